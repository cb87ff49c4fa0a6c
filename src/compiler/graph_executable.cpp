// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/graph_executable.h"

#include <algorithm>
#include <cstddef>

#include "src/graph/recorder.h"
#include "src/graph/registry.h"
#include "src/lower/aliases.h"
#include "src/ops/assign.h"
#include "src/passes/channels_last.h"

namespace sinter::compiler {
namespace {

/// The output becomes another handle of the value's data.
void give(const Tensor& value, tensor::TensorImpl& output) {
  const tensor::TensorImpl& t = *value.impl();
  output.dtype = t.dtype;
  output.device = t.device;
  output.storage = t.storage;
  output.offset = t.offset;
  output.shape = t.shape;
  output.strides = t.strides;
}

/// Dim d is dim order[d] of dense row-major memory (none: as it is).
Dims dense_strides(const Dims& shape, const Dims& order) {
  if (order.empty()) return tensor::contiguous_strides(shape);
  Dims memory = shape;
  for (size_t d = 0; d < order.size(); ++d) memory[static_cast<size_t>(order[d])] = shape[d];
  const Dims of_memory = tensor::contiguous_strides(memory);
  Dims strides = shape;
  for (size_t d = 0; d < order.size(); ++d) strides[d] = of_memory[static_cast<size_t>(order[d])];
  return strides;
}

bool equal_addresses(const Dims& shape, const Dims& a, const Dims& b) {
  bool equal = true;
  for (size_t d = 0; d < shape.size(); ++d) equal = equal && (shape[d] == 1 || a[d] == b[d]);
  return equal || shape.product() == 0;
}

}  // namespace

GraphExecutable::GraphExecutable(const graph::Graph& graph) {
  plan_.name = graph.name;
  plan_.device = graph.device;
  plan_.input_count = static_cast<int32_t>(graph.inputs().size());
  plan_.symbol_count = graph.symbol_count();
  const graph::Graph ordered = passes::channels_last(graph);  // for the orders of its outputs alone
  aliases_ = lower::find_aliases(ordered);
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    types_.push_back(graph.type(graph.outputs()[i]));
    orders_.push_back(ordered.output_order(i));
  }
  for (const graph::Write& w : graph.writes()) written_.push_back(w.input);
}

std::vector<Tensor> GraphExecutable::shared_handles(std::span<tensor::TensorImpl* const> tensors) {
  std::vector<Tensor> handles;
  for (tensor::TensorImpl* t : tensors) {
    tensor::retain(t);
    handles.push_back(Tensor::adopt(t));
  }
  return handles;
}

const loop::Alias* GraphExecutable::alias_of(size_t output) const {
  const auto at = std::ranges::find(aliases_, static_cast<int>(output), &loop::Alias::output);
  return at == aliases_.end() ? nullptr : &*at;
}

Tensor GraphExecutable::make_output(size_t output, const Dims& shape) const {
  const DType dtype = types_[output].dtype;
  const Tensor dense = tensor::empty(shape, dtype, plan_.device);
  return tensor::make_tensor(dense.impl()->storage, dtype, shape, dense_strides(shape, orders_[output]));
}

/// Views of the output count on its strides; other outputs keep those that they have.
Tensor GraphExecutable::in_order(size_t output, const Tensor& value) const {
  const tensor::TensorImpl& t = *value.impl();
  const auto is_base = [&](const loop::Alias& a) { return a.of_output && a.base == static_cast<int>(output); };
  if (std::ranges::none_of(aliases_, is_base) ||
      equal_addresses(t.shape, t.strides, dense_strides(t.shape, orders_[output])))
    return value;
  Tensor made = make_output(output, t.shape);
  std::vector<std::byte> elements(static_cast<size_t>(t.shape.product() * t.dtype.bytes()));
  tensor::read_elements(t, elements.data());
  tensor::write_elements(*made.impl(), elements.data());
  return made;
}

void GraphExecutable::give_outputs(const exec::Arguments& a, std::span<const Tensor> values,
                                   std::span<tensor::TensorImpl* const> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (is_view(i))
      give_view(a, i, outputs);
    else
      give(in_order(i, values[i]), *outputs[i]);
}

void GraphExecutable::give_view(const exec::Arguments& a, size_t output,
                                std::span<tensor::TensorImpl* const> outputs) const {
  const auto value = [&](graph::Expr e) {
    return graph::evaluate(e, [&](graph::Expr leaf) { return a.symbols[static_cast<size_t>(leaf.id())]; });
  };
  const loop::Alias& alias = *alias_of(output);
  const auto base = static_cast<size_t>(alias.base);
  const tensor::TensorImpl& of = alias.of_output ? *outputs[base] : *a.inputs[base];
  tensor::TensorImpl& out = *outputs[output];
  out.dtype = types_[output].dtype;
  out.device = plan_.device;
  out.storage = of.storage;
  out.offset = tensor::offset_as(of, out.dtype) + value(alias.offset);
  out.shape = {};
  out.strides = {};
  for (const graph::Expr e : types_[output].shape) out.shape.push_back(value(e));
  for (const graph::Expr e : alias.strides) out.strides.push_back(value(e));
}

Tensor GraphExecutable::apart_from_writes(const exec::Arguments& a, const Tensor& value) const {
  const auto holds = [&](int input) { return a.inputs[static_cast<size_t>(input)]->storage == value.impl()->storage; };
  return std::ranges::any_of(written_, holds) ? tensor::copy_of(value) : value;
}

void GraphExecutable::write_inputs(std::span<const Tensor> inputs, std::span<const Tensor> values) const {
  for (size_t i = 0; i < written_.size(); ++i) {
    Operand destination(inputs[static_cast<size_t>(written_[i])]), value(values[i]);
    ops::write(destination, value, ops::AssignMode::exact);
  }
}

graph::Graph without_writes(const graph::Graph& graph) {
  graph::Graph g = graph;
  if (g.writes().empty()) return g;
  for (const graph::Write& w : graph.writes()) g.add_output(w.value);
  g.clear_writes();
  return g;
}

}  // namespace sinter::compiler
