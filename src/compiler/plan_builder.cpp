// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/plan_builder.h"

#include <sinter/error.h>

#include <algorithm>

#include "src/compiler/arena.h"
#include "src/compiler/host_expressions.h"
#include "src/graph/registry.h"

namespace sinter::compiler {
namespace {

using graph::Expr;

void add_outputs(exec::Plan& plan, HostExpressions& b, const graph::Graph& g, const loop::Program& program) {
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    const graph::ValueType& t = g.type(g.outputs()[i]);
    exec::TensorSpec spec;
    spec.dtype = t.dtype;
    Dims order = g.output_order(i);
    for (size_t d = order.size(); d < t.shape.size(); ++d) order.push_back(static_cast<int64_t>(d));
    for (int64_t d : order) spec.shape.push_back(b.expr(t.shape[static_cast<size_t>(d)]));
    const auto alias = std::ranges::find(program.aliases, static_cast<int>(i), &loop::Alias::output);
    if (alias != program.aliases.end()) {
      (alias->of_output ? spec.alias_output : spec.alias_input) = alias->base;
      spec.alias_offset = b.expr(alias->offset);
      for (Expr e : alias->strides) spec.strides.push_back(b.expr(e));
    } else {
      std::vector<Expr> strides(t.shape.size(), Expr(int64_t{1}));
      for (size_t d = t.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * graph::max(t.shape[d], Expr(int64_t{1}));
      for (int64_t d : order) spec.strides.push_back(b.expr(strides[static_cast<size_t>(d)]));
    }
    plan.outputs.push_back(std::move(spec));
  }
}

exec::SlotSource memory_of(HostExpressions& b, const loop::Program& program, const Arena& arena, int id) {
  using Kind = exec::SlotSource::Kind;
  const loop::Buffer& buffer = program.buffers[static_cast<size_t>(id)];
  exec::SlotSource out;
  out.index = buffer.position;
  out.dtype = buffer.dtype;
  switch (buffer.role) {
    case loop::BufferRole::input:
      out.kind = Kind::input;
      break;
    case loop::BufferRole::output:
      out.kind = Kind::output;
      break;
    case loop::BufferRole::temporary:
      out.kind = Kind::temporary;
      out.expr = b.expr(arena.offsets[static_cast<size_t>(buffer.position)]);
  }
  return out;
}

exec::CallTensorSource tensor_of(HostExpressions& b, const loop::Program& program, const Arena& arena,
                                 const loop::CallTensor& t) {
  exec::CallTensorSource out;
  out.address = memory_of(b, program, arena, t.buffer);
  out.dtype = out.address.dtype;
  Expr bytes = t.offset * Expr(int64_t{out.dtype.bytes()});
  if (out.address.kind == exec::SlotSource::Kind::temporary)
    bytes = bytes + arena.offsets[static_cast<size_t>(out.address.index)];
  out.address.expr = b.expr(bytes);
  for (Expr e : t.shape) out.shape.push_back(b.expr(e));
  for (Expr e : t.strides) out.strides.push_back(b.expr(e));
  return out;
}

exec::CallRef call_of(HostExpressions& b, const loop::Program& program, const Arena& arena, const loop::Call& call) {
  exec::CallRef out;
  out.op = call.op->name;
  out.provider = call.provider;
  out.words = call.attributes.words;
  for (const graph::Scalar& s : call.attributes.scalars)
    out.numbers.push_back({s.literal.kind == graph::Number::Kind::floating, s.is_extent ? -1 : s.symbol,
                           b.expr(s.is_extent ? s.expr : Expr(s.literal.bits))});
  for (const loop::CallTensor& t : call.operands) out.operands.push_back(tensor_of(b, program, arena, t));
  for (const loop::CallTensor& t : call.results) out.results.push_back(tensor_of(b, program, arena, t));
  return out;
}

exec::SlotSource slot(HostExpressions& b, const schedule::ParameterSource& s, const loop::Program& program,
                      const Arena& arena, size_t kernel) {
  using Kind = exec::SlotSource::Kind;
  exec::SlotSource out;
  out.dtype = s.dtype;
  switch (s.kind) {
    case schedule::ParameterSource::Kind::index:
      out.kind = Kind::index;
      out.expr = b.expr(s.expr);
      return out;
    case schedule::ParameterSource::Kind::number:
      out.kind = Kind::number;
      out.index = s.id;
      out.bits = program.number_types[static_cast<size_t>(s.id)] == f64;
      return out;
    case schedule::ParameterSource::Kind::status:
      out.kind = Kind::status;
      return out;
    case schedule::ParameterSource::Kind::arrivals:
      out.kind = Kind::arrivals;
      return out;
    case schedule::ParameterSource::Kind::workspace:
      out.kind = Kind::temporary;
      out.expr = b.expr(arena.workspaces[kernel] + s.expr);
      return out;
    case schedule::ParameterSource::Kind::buffer:
      break;
  }
  const DType dtype = out.dtype;
  out = memory_of(b, program, arena, s.id);
  out.dtype = dtype;
  return out;
}

}  // namespace

exec::Plan build_plan(const graph::Graph& g, const loop::Program& program,
                      const std::vector<schedule::ScheduledKernel>& kernels, const std::vector<CodeImage>& images) {
  exec::Plan plan;
  HostExpressions b(plan);
  plan.name = g.name;
  plan.device = g.device;
  plan.input_count = static_cast<int32_t>(g.inputs().size());
  plan.symbol_count = g.symbol_count();
  add_outputs(plan, b, g, program);
  const Arena arena = place_temporaries(program, kernels);
  plan.arena_bytes = b.expr(arena.bytes);
  size_t next = 0;
  for (const loop::Group& group : program.groups) {
    if (!group.call && group.nests.empty()) continue;  // it writes nothing
    exec::Step& step = plan.steps.emplace_back();
    if (group.call) {
      step.call = static_cast<int32_t>(plan.calls.size());
      plan.calls.push_back(call_of(b, program, arena, *group.call));
      continue;
    }
    const size_t k = next++;
    plan.kernels.push_back({images[k].key, images[k].entry, images[k].threads, images[k].shared_bytes});
    step.kernel = static_cast<int32_t>(k);
    step.grid = b.expr(kernels[k].grid);
    for (const auto& s : kernels[k].sources) {
      step.slots.push_back(slot(b, s, program, arena, k));
      plan.uses_arrivals = plan.uses_arrivals || s.kind == schedule::ParameterSource::Kind::arrivals;
    }
  }
  plan.uses_status = program.uses_status;
  plan.status_messages = program.messages;
  return plan;
}

}  // namespace sinter::compiler
