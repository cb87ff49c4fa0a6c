// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "src/graph/registry.h"
#include "src/lower/lower.h"

// Which ops use the platform's functions for f64, whose last bits differ between CPU and CUDA (semantics contract,
// point 3).

namespace sinter::test {

inline bool calls_platform(const loop::Instruction& in) {
  if (in.kind == loop::InstructionKind::scalar) return scalar::is_platform_function(in.op);
  const bool logarithms =
      in.kind == loop::InstructionKind::scan && in.id == static_cast<int>(loop::ScanKind::logaddexp);
  return logarithms && in.type == f64;
}

/// Does the arithmetic of a graph of primitive ops call one?
inline bool calls_platform(const graph::Graph& graph) {
  const loop::Program program = lower::lower_to_nests(graph, {});
  for (const loop::Group& group : program.groups)
    for (const loop::Nest& nest : group.nests)
      for (loop::ValueId i = 0; i < static_cast<loop::ValueId>(nest.body.size()); ++i)
        if (calls_platform(nest.body[i])) return true;
  return false;
}

inline bool calls_platform(const graph::OpDef& op);

/// Does this call, of an op with a lowering or a decomposition?
inline bool calls_platform(const graph::OpDef& op, const graph::SampleCall& call) {
  graph::Graph graph;
  std::vector<graph::Value> inputs;
  for (const graph::ValueType& t : call.operands) inputs.push_back(graph.add_input(t));
  const graph::NodeId node = graph.add(op, inputs, call.attributes);
  if (!op.decompose) {
    graph.add_output({node, 0});
    return calls_platform(graph);
  }
  const graph::Node copy = graph.node(node);
  op.decompose(graph, copy);
  for (graph::NodeId part = node + 1; part < graph.size(); ++part)
    if (graph.node(part).op && calls_platform(*graph.node(part).op)) return true;
  return false;
}

/// Does one of the op's sampled calls of f64 tensors, perhaps with indices, or of a generator's state?
inline bool calls_platform(const graph::OpDef& op) {
  thread_local std::map<const graph::OpDef*, bool> known;
  const auto [found, is_new] = known.try_emplace(&op, false);
  if (!is_new || (!op.lower && !op.decompose && !op.scan)) return found->second;
  const auto counts = [](const graph::ValueType& t) { return t.dtype == f64 || t.dtype == u64; };
  const auto counts_or_is_index = [&](const graph::ValueType& t) { return counts(t) || t.dtype == i64; };
  for (int variant = 0; const auto call = op.sample(variant); ++variant)
    if (std::ranges::any_of(call->operands, counts) && std::ranges::all_of(call->operands, counts_or_is_index) &&
        calls_platform(op, *call))
      return found->second = true;
  return false;
}

}  // namespace sinter::test
