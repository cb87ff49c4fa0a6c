// SPDX-License-Identifier: Apache-2.0
#include "src/lower/box_nest.h"

#include "src/lower/rebuild.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using loop::Instruction;
using loop::InstructionKind;
using loop::ScalarOp;
using loop::ValueId;

class BoxCopy {
 public:
  BoxCopy(const loop::Nest& nest, size_t axis, Expr begin, Expr extent, Known known, const graph::Ranges& symbols)
      : nest_(nest),
        axis_(Expr::axis(static_cast<int>(axis))),
        begin_(begin),
        known_(std::move(known)),
        symbols_(symbols) {
    box_.axes = nest.axes;
    box_.axes[axis].extent = extent;
    ranges_ = loop::nest_ranges(box_, symbols);
  }

  loop::Nest run() {
    decide();
    mark_needed();
    box_.body.use_ranges(&ranges_);
    values_.resize(nest_.body.size());
    indices_.resize(nest_.body.size());
    for (size_t i = 0; i < values_.size(); ++i)
      if (needed_[i]) values_[i] = copied(static_cast<ValueId>(i));
    box_.body.use_ranges(nullptr);
    for (const loop::Store& s : nest_.stores) box_.stores.push_back({s.buffer, moved(s.index), value(s.value).id});
    rebuild(box_, {box_.body.instructions().begin(), box_.body.instructions().end()},
            loop::nest_ranges(box_, symbols_));
    return std::move(box_);
  }

 private:
  std::optional<bool> known(ValueId v) const { return v < 0 ? std::nullopt : known_[static_cast<size_t>(v)]; }
  loop::Value value(ValueId v) const { return v < 0 ? loop::Value{} : values_[static_cast<size_t>(v)]; }

  /// Follows what is known through the logic of masks.
  void decide() {
    for (size_t i = 0; i < known_.size(); ++i) {
      const Instruction& in = nest_.body[static_cast<ValueId>(i)];
      if (in.kind == InstructionKind::constant && in.type.is_boolean()) known_[i] = in.bits != 0;
      if (known_[i] || in.kind != InstructionKind::scalar || !in.type.is_boolean()) continue;
      const auto a = known(in.operands[0]), b = known(in.operands[1]);
      if (in.op == ScalarOp::bit_and && (a == false || b == false)) known_[i] = false;
      if (in.op == ScalarOp::bit_and && a == true && b == true) known_[i] = true;
      if (in.op == ScalarOp::bit_or && (a == true || b == true)) known_[i] = true;
      if (in.op == ScalarOp::bit_or && a == false && b == false) known_[i] = false;
      if (in.op == ScalarOp::bit_not && a) known_[i] = !*a;
    }
  }

  /// The side that a decided select takes, or -1.
  ValueId choice(const Instruction& in) const {
    if (in.kind != InstructionKind::scalar || in.op != ScalarOp::select) return -1;
    const auto c = known(in.operands[0]);
    return !c ? -1 : in.operands[*c ? 1 : 2];
  }

  /// A checked index reports where no guard forbids it: a guarded one checks select(guard, index, 0).
  bool reports(const Instruction& in) const {
    if (in.kind != InstructionKind::to_index || in.mode != loop::IndexMode::check) return false;
    const Instruction& checked = nest_.body[in.operands[0]];
    const bool selects = checked.kind == InstructionKind::scalar && checked.op == ScalarOp::select;
    return !selects || known(checked.operands[0]) != false;
  }

  void mark_needed() {
    needed_.assign(nest_.body.size(), false);
    const auto need = [&](ValueId v) {
      if (v >= 0) needed_[static_cast<size_t>(v)] = true;
    };
    const auto need_index = [&](const std::vector<Expr>& index) {
      for (Expr e : index)
        visit_leaves(e, [&](Expr leaf) {
          if (leaf.kind() == Expr::Kind::value) need(leaf.id());
        });
    };
    for (const loop::Store& s : nest_.stores) {
      need(s.value);
      need_index(s.index);
    }
    for (size_t i = needed_.size(); i-- > 0;) {
      const Instruction& in = nest_.body[static_cast<ValueId>(i)];
      if (reports(in)) needed_[i] = true;
      if (!needed_[i] || known_[i]) continue;
      const auto mask = in.kind == InstructionKind::load ? known(in.operands[0]) : std::nullopt;
      if (const ValueId side = choice(in); side >= 0) {
        need(side);
      } else if (mask == false) {
        need(in.operands[1]);
      } else {
        if (!mask)
          for (ValueId v : in.operands) need(v);
        need_index(in.index);
      }
    }
  }

  Expr moved(Expr e) const {
    int64_t coefficient = 0;
    bool elsewhere = false, values = false;
    for (const auto& [c, t] : e.terms()) {
      if (t == axis_)
        coefficient = c;
      else
        elsewhere = elsewhere || depends_on_axis(t, axis_.id());
    }
    visit_leaves(e, [&](Expr leaf) { values = values || leaf.kind() == Expr::Kind::value; });
    if (!elsewhere && !values) return e + Expr(coefficient) * begin_;
    return substitute(e, [&](Expr leaf) -> std::optional<Expr> {
      if (leaf.kind() == Expr::Kind::value) return indices_[static_cast<size_t>(leaf.id())];
      return leaf == axis_ ? std::optional(axis_ + begin_) : std::nullopt;
    });
  }
  std::vector<Expr> moved(std::vector<Expr> index) const {
    for (Expr& e : index) e = moved(e);
    return index;
  }

  loop::Value copied(ValueId id) {
    const Instruction& in = nest_.body[id];
    loop::Body& body = box_.body;
    if (const auto k = known(id)) return body.constant(scalar::constant_bool(*k));
    if (const ValueId side = choice(in); side >= 0) return value(side);
    switch (in.kind) {
      case InstructionKind::load: {
        const auto mask = known(in.operands[0]);
        if (mask == false) return value(in.operands[1]);
        if (mask == true) return body.load(in.id, in.attribute, moved(in.index));
        return body.load(in.id, in.attribute, moved(in.index), value(in.operands[0]), value(in.operands[1]));
      }
      case InstructionKind::index_value:
        return body.index_value(moved(in.index[0]), in.type);
      case InstructionKind::to_index: {
        body.set_message(in.id);
        const Expr e = body.to_index(value(in.operands[0]), in.index[0], in.mode);
        indices_[static_cast<size_t>(id)] = e;
        return e.kind() == Expr::Kind::value ? loop::Value{e.id(), i64} : body.index_value(e, i64);
      }
      case InstructionKind::scalar: {
        std::vector<loop::Value> operands;
        for (ValueId v : in.operands)
          if (v >= 0) operands.push_back(value(v));
        return body.scalar(in.op, operands, in.attribute);
      }
      default:
        return body.append(in);
    }
  }

  const loop::Nest& nest_;
  const Expr axis_, begin_;
  Known known_;
  std::vector<bool> needed_;
  loop::Nest box_;
  const graph::Ranges& symbols_;
  graph::Ranges ranges_;
  std::vector<loop::Value> values_;  ///< of the old body's instructions
  std::vector<Expr> indices_;        ///< of its to_index instructions
};

}  // namespace

loop::Nest box_of(const loop::Nest& nest, size_t axis, Expr begin, Expr extent, Known known,
                  const graph::Ranges& symbols) {
  return BoxCopy(nest, axis, begin, extent, std::move(known), symbols).run();
}

}  // namespace sinter::lower
