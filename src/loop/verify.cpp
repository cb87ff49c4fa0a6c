// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include "src/graph/registry.h"
#include "src/loop/dependence.h"
#include "src/loop/program.h"

namespace sinter::loop {
namespace {

class NestVerifier {
 public:
  NestVerifier(const Program& program, const Group& group, size_t nest)
      : program_(program),
        nest_(group.nests[nest]),
        alone_(group.nests.size() == 1),
        where_(fmt::format("group {}, nest {}", group.name, nest)) {}

  void run() {
    axes();
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      at_ = static_cast<ValueId>(i);
      instruction(nest_.body[at_]);
    }
    at_ = -1;
    dependence_ = axis_dependence(nest_);
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      at_ = static_cast<ValueId>(i);
      const Instruction& in = nest_.body[at_];
      if (in.kind == InstructionKind::reduce)
        need(reduction_axes(nest_) != 0, "a reduce in a nest without reduction axes");
    }
    at_ = -1;
    need(!nest_.stores.empty(), "a nest without stores");
    for (const Store& s : nest_.stores) store(s);
  }

 private:
  void need(bool condition, const std::string& what) const {
    if (condition) return;
    const std::string at = at_ < 0 ? "" : fmt::format(", %{}", at_);
    throw CompileError(fmt::format("internal: loop program {}, {}{}: {}", program_.name, where_, at, what));
  }

  void axes() const {
    need(nest_.axes.size() <= 64, "at most 64 axes");
    bool reduction = false;
    for (const Axis& a : nest_.axes) {
      need(!reduction || a.reduction, "reduction axes come last");
      need(alone_ || !a.reduction, "a nest with reduction axes is alone in its group");
      reduction = a.reduction;
      visit_leaves(a.extent,
                   [&](Expr leaf) { need(leaf.kind() == Expr::Kind::symbol, "extents depend on symbols only"); });
    }
  }

  const Instruction& operand(const Instruction& in, size_t i) const {
    need(in.operands[i] >= 0 && in.operands[i] < at_, "operands are earlier values");
    return nest_.body[in.operands[i]];
  }

  void index(Expr e) const {
    visit_leaves(e, [&](Expr leaf) {
      const int id = leaf.id();
      if (leaf.kind() == Expr::Kind::axis) need(id >= 0 && static_cast<size_t>(id) < nest_.axes.size(), "no such axis");
      if (leaf.kind() == Expr::Kind::symbol) need(id >= 0 && id < program_.symbol_count, "no such symbol");
      if (leaf.kind() != Expr::Kind::value) return;
      const bool earlier = id >= 0 && static_cast<size_t>(id) < nest_.body.size() && (at_ < 0 || id < at_);
      need(earlier && nest_.body[id].kind == InstructionKind::to_index, "an index value is an earlier to_index");
    });
  }

  const Buffer& access(int buffer, const std::vector<Expr>& at) const {
    need(buffer >= 0 && static_cast<size_t>(buffer) < program_.buffers.size(), "no such buffer");
    const Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
    need(at.size() == b.shape.size(), fmt::format("{} indices for rank {}", at.size(), b.shape.size()));
    for (Expr e : at) index(e);
    return b;
  }

  void scalar_instruction(const Instruction& in) const {
    const auto arity = static_cast<size_t>(scalar::info(in.op).arity);
    std::array<DType, 3> types;
    for (size_t i = 0; i < arity; ++i) types[i] = operand(in, i).type;
    need(scalar::result_type(in.op, {types.data(), arity}, in.attribute) == in.type, "types do not fit the op");
  }

  void instruction(const Instruction& in) const {
    need(scalar::is_compute_type(in.type), "values have compute types");
    switch (in.kind) {
      case InstructionKind::constant:
        break;
      case InstructionKind::number:
        need(in.id >= 0 && static_cast<size_t>(in.id) < program_.number_types.size() &&
                 !program_.number_types[static_cast<size_t>(in.id)].is_boolean(),
             "no such number");
        break;
      case InstructionKind::scalar:
        scalar_instruction(in);
        break;
      case InstructionKind::load: {
        const Buffer& b = access(in.id, in.index);
        need(b.dtype == in.attribute && scalar::compute_type(b.dtype) == in.type, "the buffer has another dtype");
        if (in.operands[0] >= 0)
          need(operand(in, 0).type.is_boolean() && operand(in, 1).type == in.type, "a mask and a fill");
        break;
      }
      case InstructionKind::index_value:
        index(in.index.at(0));
        need(in.type == i32 || in.type == i64, "index values are i32 or i64");
        break;
      case InstructionKind::to_index:
        index(in.index.at(0));
        need(operand(in, 0).type == i64 && in.type == i64, "to_index takes i64");
        if (in.mode == IndexMode::check)
          need(program_.uses_status && in.id >= 0 && static_cast<size_t>(in.id) < program_.messages.size(),
               "a checked index has a message");
        break;
      case InstructionKind::reduce:
        need(operand(in, 0).type == in.type && in.id >= 0 && in.id <= static_cast<int>(ReduceKind::amin), "a fold");
        break;
      case InstructionKind::scan:
        scan(in);
        break;
    }
  }

  void scan(const Instruction& in) const {
    need(in.id >= 0 && in.id <= static_cast<int>(ScanKind::argmin), "no such scan");
    const bool pairs = scalar::scans_pairs(static_cast<ScanKind>(in.id));
    need(pairs ? operand(in, 1).type == i64 && in.type == i64 : operand(in, 0).type == in.type, "a scan");
    operand(in, 0);
    need(in.index.size() == 1 && in.index[0].kind() == Expr::Kind::axis, "a scan goes along an axis");
    index(in.index[0]);
    need(static_cast<size_t>(in.index[0].id()) == scan_axis(nest_), "all scans of a nest go along one axis");
    need(alone_ && reduction_axes(nest_) == 0, "a nest with scans has no reduction axes and is alone in its group");
  }

  void store(const Store& s) const {
    const Buffer& b = access(s.buffer, s.index);
    need(b.role != BufferRole::input || b.written, "an input is stored to that is not declared written");
    need(s.value >= 0 && static_cast<size_t>(s.value) < nest_.body.size(), "a store of an unknown value");
    need(nest_.body[s.value].type == scalar::compute_type(b.dtype), "the buffer has another dtype");
    if (s.fold) {
      need(reduction_axes(nest_) == 0, "an accumulating store in a nest that reduces");
      need(b.dtype == i32 || b.dtype == u32 || b.dtype == i64 || b.dtype == u64, "only integers accumulate");
      need(*s.fold != ReduceKind::prod, "products do not accumulate");
      return;
    }
    AxisSet at = 0;
    for (Expr e : s.index) at |= axes_of(e, dependence_);
    need((dependence_[static_cast<size_t>(s.value)] & ~at) == 0, "a value that varies where its address does not");
  }

  const Program& program_;
  const Nest& nest_;
  bool alone_;
  std::string where_;
  ValueId at_ = -1;
  std::vector<AxisSet> dependence_;
};

class CallVerifier {
 public:
  CallVerifier(const Program& program, const Group& group) : program_(program), group_(group) {}

  void run() const {
    const Call& call = *group_.call;
    need(group_.nests.empty(), "a call has no nests");
    need(call.op != nullptr && call.op->call.has_value(), "a call of an op that is none");
    need(!call.results.empty(), "a call without results");
    for (const graph::Scalar& s : call.attributes.scalars) {
      if (s.is_extent) uniform(s.expr);
      need(s.symbol < program_.symbol_count, "no such symbol");
    }
    for (const CallTensor& t : call.operands) tensor(t);
    for (const CallTensor& t : call.results) {
      tensor(t);
      need(program_.buffers[static_cast<size_t>(t.buffer)].role != BufferRole::input, "inputs are not written");
    }
  }

 private:
  void need(bool condition, const char* what) const {
    if (condition) return;
    throw CompileError(fmt::format("internal: loop program {}, group {}: {}", program_.name, group_.name, what));
  }
  void uniform(Expr e) const {
    visit_leaves(e, [&](Expr leaf) {
      need(leaf.kind() == Expr::Kind::symbol && leaf.id() < program_.symbol_count,
           "what a call gets depends on symbols");
    });
  }
  void tensor(const CallTensor& t) const {
    need(t.buffer >= 0 && static_cast<size_t>(t.buffer) < program_.buffers.size(), "no such buffer");
    need(t.shape.size() == t.strides.size(), "a tensor needs a stride a dim");
    for (Expr e : t.shape) uniform(e);
    for (Expr e : t.strides) uniform(e);
    uniform(t.offset);
  }

  const Program& program_;
  const Group& group_;
};

}  // namespace

void verify(const Program& program) {
  for (const Buffer& b : program.buffers)
    if (b.strides.size() != b.shape.size()) throw CompileError("internal: loop program: a buffer needs a stride a dim");
  for (const Group& g : program.groups) {
    for (size_t n = 0; n < g.nests.size(); ++n) NestVerifier(program, g, n).run();
    if (g.call) CallVerifier(program, g).run();
  }
}

}  // namespace sinter::loop
