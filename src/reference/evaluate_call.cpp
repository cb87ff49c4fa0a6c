// SPDX-License-Identifier: Apache-2.0
#include "src/reference/evaluate_call.h"

#include <cstring>

#include "src/graph/registry.h"
#include "src/reference/bind.h"
#include "src/reference/interpret.h"

namespace sinter::reference {
namespace {

std::byte* element(const loop::CallMemory& m, const Dims& index) {
  int64_t at = 0;
  for (size_t d = 0; d < index.size(); ++d) at += index[d] * m.strides[d];
  return static_cast<std::byte*>(m.data) + at * m.dtype.bytes();
}

Dims shape_of(const loop::CallMemory& m) {
  Dims shape;
  for (int64_t e : m.shape) shape.push_back(e);
  return shape;
}

/// Copies between strided memory and a dense array, in either direction.
template <class Copy>
void each_element(const loop::CallMemory& m, const Copy& copy) {
  size_t position = 0;
  for_each_index(shape_of(m), [&](const Dims& index) {
    copy(element(m, index), position);
    position += static_cast<size_t>(m.dtype.bytes());
  });
}

}  // namespace

void evaluate_call(const loop::Call& call, std::span<const loop::CallMemory> operands,
                   std::span<const loop::CallMemory> results, std::span<const int64_t> symbols) {
  graph::Node node;
  node.op = call.op;
  node.attributes = call.attributes;
  for (const loop::CallMemory& m : results) node.results.push_back({m.dtype, {m.shape.begin(), m.shape.end()}});
  std::vector<Array> arrays;
  for (const loop::CallMemory& m : operands) {
    arrays.push_back(Array::zeros(m.dtype, shape_of(m)));
    each_element(m, [&](const std::byte* from, size_t at) {
      std::memcpy(arrays.back().data.data() + at, from, static_cast<size_t>(m.dtype.bytes()));
    });
  }
  const std::vector<Array> computed = interpret_node(Binding(symbols).literal(node), arrays);
  for (size_t i = 0; i < results.size(); ++i)
    each_element(results[i], [&](std::byte* to, size_t at) {
      std::memcpy(to, computed[i].data.data() + at, static_cast<size_t>(results[i].dtype.bytes()));
    });
}

}  // namespace sinter::reference
