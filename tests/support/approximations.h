// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/device/backend.h"
#include "src/graph/registry.h"
#include "src/passes/decompose.h"

// Which results depend on hardware approximations (semantics contract, point 3). The CPU back end, the interpreter and
// the emulator compute them alike; only a GPU has other bits.

namespace sinter::test {

/// Has the device approximations of its own?
inline bool approximates(Device device) {
  return device.is_cuda() && device::backend(device).properties().name != "SIMT emulator";
}

/// By output: does it depend on an op whose results differ between devices?
inline std::vector<bool> approximate_outputs(const graph::Graph& graph) {
  const graph::Graph primitive = passes::decompose(graph);
  std::vector<bool> approximate(static_cast<size_t>(primitive.size()));
  for (graph::NodeId id = 0; id < primitive.size(); ++id) {
    const graph::Node& n = primitive.node(id);
    bool any = n.op != nullptr && n.op->approximates;
    for (const graph::Value v : n.operands) any = any || approximate[static_cast<size_t>(v.node)];
    approximate[static_cast<size_t>(id)] = any;
  }
  std::vector<bool> outputs;
  for (const graph::Value v : primitive.outputs()) outputs.push_back(approximate[static_cast<size_t>(v.node)]);
  return outputs;
}

/// How far a GPU's result of one op may be from the interpreter's, of max(1, |result|), for samples whose exponents are
/// below 2^6: the bound of f32, or a rounding to the other side.
inline double approximation_bound(DType dtype) { return dtype == f16 ? 0x1p-9 : dtype == bf16 ? 0x1p-7 : 0x1p-15; }

}  // namespace sinter::test
