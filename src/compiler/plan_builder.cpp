// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/plan_builder.h"

#include <sinter/error.h>

#include <algorithm>

#include "src/compiler/arena.h"

namespace sinter::compiler {
namespace {

using exec::HostExpr;
using exec::HostOp;
using graph::Expr;

class Builder {
 public:
  explicit Builder(exec::Plan& plan) : plan_(plan) {}

  HostExpr expr(Expr e) {
    if (const auto c = e.constant()) return {0, 0, *c};
    HostExpr h;
    h.begin = static_cast<int32_t>(plan_.code.size());
    write(e);
    h.length = static_cast<int32_t>(plan_.code.size()) - h.begin;
    return h;
  }

 private:
  void push(HostOp op, int64_t operand = 0) { plan_.code.push_back({op, operand}); }

  void write(Expr e) {
    switch (e.kind()) {
      case Expr::Kind::constant:
        return push(HostOp::push, *e.constant());
      case Expr::Kind::symbol:
        return push(HostOp::symbol, e.id());
      case Expr::Kind::axis:
      case Expr::Kind::value:
        throw CompileError("internal: a host expression depends on the device");
      case Expr::Kind::sum: {
        push(HostOp::push, e.offset());
        for (const auto& [c, t] : e.terms()) {
          write(t);
          if (c != 1) {
            push(HostOp::push, c);
            push(HostOp::mul);
          }
          push(HostOp::add);
        }
        return;
      }
      case Expr::Kind::product: {
        write(e.operands()[0]);
        for (Expr f : e.operands().subspan(1)) {
          write(f);
          push(HostOp::mul);
        }
        return;
      }
      default:
        break;
    }
    write(e.operands()[0]);
    write(e.operands()[1]);
    push(e.kind() == Expr::Kind::floordiv  ? HostOp::floordiv
         : e.kind() == Expr::Kind::mod     ? HostOp::mod
         : e.kind() == Expr::Kind::min     ? HostOp::min
         : e.kind() == Expr::Kind::doubled ? HostOp::doubled
                                           : HostOp::max);
  }

  exec::Plan& plan_;
};

void add_outputs(exec::Plan& plan, Builder& b, const graph::Graph& g, const loop::Program& program) {
  for (size_t i = 0; i < g.outputs().size(); ++i) {
    const graph::ValueType& t = g.type(g.outputs()[i]);
    exec::TensorSpec spec;
    spec.dtype = t.dtype;
    for (Expr e : t.shape) spec.shape.push_back(b.expr(e));
    const auto alias = std::ranges::find(program.aliases, static_cast<int>(i), &loop::Alias::output);
    if (alias != program.aliases.end()) {
      (alias->of_output ? spec.alias_output : spec.alias_input) = alias->base;
      spec.alias_offset = b.expr(alias->offset);
      for (Expr e : alias->strides) spec.strides.push_back(b.expr(e));
    } else {
      std::vector<Expr> strides(t.shape.size(), Expr(int64_t{1}));
      for (size_t d = t.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * graph::max(t.shape[d], Expr(int64_t{1}));
      for (Expr e : strides) spec.strides.push_back(b.expr(e));
    }
    plan.outputs.push_back(std::move(spec));
  }
}

exec::SlotSource slot(Builder& b, const schedule::ParameterSource& s, const loop::Program& program, const Arena& arena,
                      size_t kernel) {
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
  const loop::Buffer& buffer = program.buffers[static_cast<size_t>(s.id)];
  out.index = buffer.position;
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

}  // namespace

exec::Plan build_plan(const graph::Graph& g, const loop::Program& program,
                      const std::vector<schedule::ScheduledKernel>& kernels, const std::vector<CodeImage>& images) {
  exec::Plan plan;
  Builder b(plan);
  plan.name = g.name;
  plan.device = g.device;
  plan.input_count = static_cast<int32_t>(g.inputs().size());
  plan.symbol_count = g.symbol_count();
  add_outputs(plan, b, g, program);
  const Arena arena = place_temporaries(program, kernels);
  plan.arena_bytes = b.expr(arena.bytes);
  for (size_t k = 0; k < kernels.size(); ++k) {
    plan.kernels.push_back({images[k].key, images[k].entry, images[k].threads, images[k].shared_bytes});
    exec::Step step;
    step.kernel = static_cast<int32_t>(k);
    step.grid = b.expr(kernels[k].grid);
    for (const auto& s : kernels[k].sources) {
      step.slots.push_back(slot(b, s, program, arena, k));
      plan.uses_arrivals = plan.uses_arrivals || s.kind == schedule::ParameterSource::Kind::arrivals;
    }
    plan.steps.push_back(std::move(step));
  }
  plan.uses_status = program.uses_status;
  plan.status_messages = program.messages;
  return plan;
}

}  // namespace sinter::compiler
