// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "codegen/schedule/binary_counter.h"
#include "codegen/schedule/fold_plan.h"
#include "codegen/schedule/joint_axis.h"
#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/strategies.h"
#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using loop::ValueId;
using tile::Value;

constexpr int64_t chunk = loop::reduction_chunk, partials = loop::reduction_partials;
constexpr int64_t max_extent = int64_t{1} << 40;

/// A number that is a literal, or a run-time scalar.
struct Count {
  std::optional<int64_t> literal;
  Value value;
};

/// Folds that need no other fold come first, then those that need their results, and so on: stage by stage the axis is
/// gone through once. What is stored along the axis is computed in a last pass.
class FoldEmitter {
 public:
  FoldEmitter(const loop::Program& program, const loop::Nest& nest, const Target& target, const std::string& name)
      : nest_(nest),
        axis_(nest.axes.size() - 1),
        extent_(nest.axes[axis_].extent),
        plan_(plan_fold(nest, target)),
        kernel_(program, target, name),
        e_(kernel_, nest, plan_.tiling),
        b_(kernel_.builder()),
        dependence_(loop::axis_dependence(nest)),
        live_(loop::live_instructions(nest)),
        longest_(std::min(max_extent, program.ranges.of(extent_).second)) {
    find_stages();
  }

  ScheduledKernel run(const std::vector<std::string>& comments) {
    e_.decode_program_id(b_.program_id());
    if (extent_.is_constant(0))
      fold_nothing();
    else
      fold_stages();
    for (const loop::Store& s : nest_.stores)
      if (!is_inner(s)) e_.store(s);
    store_along_axis();
    ScheduledKernel k = kernel_.finish(e_.programs(), comments, plan_.tiling.num_warps);
    k.elements_per_program =
        e_.elements_per_program() * std::max<int64_t>(1, extent_.constant().value_or(chunk) / plan_.width);
    k.cost = cost_of(kernel_.program(), nest_);
    return k;
  }

 private:
  bool is_inner(ValueId v) const { return (dependence_[static_cast<size_t>(v)] >> axis_ & 1) != 0; }
  bool is_inner(const loop::Store& s) const {
    return is_inner(s.value) || (loop::axes_of(s.index[0], dependence_) >> axis_ & 1) != 0;
  }

  void find_stages() {
    std::vector<size_t> stage(nest_.body.size());
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      const loop::Instruction& in = nest_.body[static_cast<ValueId>(i)];
      const auto needs = [&](ValueId v) { stage[i] = std::max(stage[i], stage[static_cast<size_t>(v)]); };
      for (ValueId v : in.operands)
        if (v >= 0) needs(v);
      for (Expr e : in.index)
        visit_leaves(e, [&](Expr leaf) {
          if (leaf.kind() == Expr::Kind::value) needs(leaf.id());
        });
      if (in.kind != loop::InstructionKind::reduce || !live_[i]) continue;
      if (stages_.size() <= stage[i]) stages_.resize(stage[i] + 1);
      stages_[stage[i]].push_back(static_cast<ValueId>(i));
      ++stage[i];
    }
  }

  graph::ReduceKind kind(ValueId reduce) const { return static_cast<graph::ReduceKind>(nest_.body[reduce].id); }
  DType type(ValueId reduce) const { return nest_.body[reduce].type; }
  Value constant(const scalar::Constant& c) { return b_.constant(tile::Type::scalar(c.dtype), c.bits); }

  void fold_nothing() {
    for (const auto& stage : stages_)
      for (ValueId r : stage) e_.set_value(r, constant(loop::reduction_identity(kind(r), type(r))));
  }

  // Units -------------------------------------------------------------------------------------------------------------

  /// Units before this one lie inside the extent.
  Expr whole_units() const { return floordiv(extent_, Expr(chunk * plan_.chunks)) * Expr(plan_.units_per_chunk()); }

  /// Units that hold what is left: one, or those of the last, incomplete chunk.
  Expr tail_units() const {
    const Expr rest = mod(extent_, Expr(chunk * plan_.chunks));
    return plan_.width < partials ? ceildiv(min(rest, Expr(partials)), Expr(int64_t{plan_.width}))
                                  : ceildiv(rest, Expr(chunk * plan_.chunks));
  }

  Count count(Expr e) {
    const Expr simple = simplify(e, e_.ranges());
    return {simple.constant(), e_.scalar_of(simple)};
  }

  /// Logical index of a unit's first element.
  Value first_of(Value unit) {
    const int64_t per_chunk = plan_.units_per_chunk();
    if (per_chunk == 1) return b_.mul(unit, b_.literal(chunk * plan_.chunks));
    const Value in_chunk = b_.bit_and(unit, b_.literal(per_chunk - 1));
    const Value of_chunk = b_.shr(unit, b_.literal(std::countr_zero(static_cast<uint64_t>(per_chunk))));
    return b_.add(b_.mul(of_chunk, b_.literal(chunk)), b_.mul(in_chunk, b_.literal(plan_.width)));
  }

  void go_to(Value first, int64_t offset, bool whole) {
    e_.forget_axis(axis_);
    e_.set_whole(axis_, whole);
    e_.set_origin(axis_, offset == 0 ? first : b_.add(first, b_.literal(offset)));
  }

  /// f(offset) for each tile of a unit that can hold an element. The tiles of the only unit are kept for the next pass.
  template <class F>
  void each_tile(Value first, bool whole, const F& f) {
    for (int64_t c = 0; c < plan_.chunks; ++c)
      for (int64_t fold = 0; fold < plan_.folds; ++fold) {
        const int64_t offset = c * chunk + fold * partials;
        if (!plan_.single) {
          go_to(first, offset, whole);
          f(offset);
          continue;
        }
        const int64_t n = *extent_.constant();
        if (offset >= n) continue;
        go_to(first, offset, n >= offset + plan_.width);
        auto& kept = kept_[offset];
        for (const auto& [id, v] : kept) e_.set_value(id, v);
        f(offset);
        for (const auto& [id, v] : e_.known())
          if (is_inner(id)) kept[id] = v;
      }
  }

  Value padded(ValueId reduce) {
    Value v = e_.value(nest_.body[reduce].operands[0]);
    if (const auto inside = e_.inside(axis_))
      v = b_.select(*inside, v, constant(loop::reduction_padding(kind(reduce), type(reduce))));
    tile::Type full = b_.type(v);
    if (!full.is_tile) full = tile::Type::tile(type(reduce), std::vector<int32_t>(plan_.tiling.dims.size(), 1));
    full.dims[static_cast<size_t>(plan_.dim)] = plan_.width;
    return b_.broadcast(v, full);
  }

  /// The fold of each of a stage's reduces over one unit.
  std::vector<Value> fold_unit(const std::vector<ValueId>& stage, Value first, bool whole) {
    std::vector<std::vector<Value>> folded(stage.size());  // by chunk
    each_tile(first, whole, [&](int64_t offset) {
      for (size_t i = 0; i < stage.size(); ++i) {
        const Value v = padded(stage[i]);
        if (offset % chunk == 0)
          folded[i].push_back(v);
        else
          folded[i].back() = b_.scalar(loop::fold_op(kind(stage[i])), {folded[i].back(), v});
      }
    });
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i) {
      for (Value& v : folded[i]) v = b_.reduce(static_cast<tile::ReduceKind>(kind(stage[i])), plan_.dim, v);
      sums.push_back(tree(kind(stage[i]), std::move(folded[i])));
    }
    return sums;
  }

  /// Neighbours combine, then neighbours of the results; one without a neighbour moves up as it is.
  Value tree(graph::ReduceKind kind, std::vector<Value> v) {
    while (v.size() > 1) {
      std::vector<Value> above;
      for (size_t i = 0; i < v.size(); i += 2)
        above.push_back(i + 1 < v.size() ? b_.scalar(loop::fold_op(kind), {v[i], v[i + 1]}) : v[i]);
      v = std::move(above);
    }
    return v[0];
  }

  // Stages ------------------------------------------------------------------------------------------------------------

  void fold_stages() {
    for (const auto& stage : stages_) {
      hoist_invariants();
      const std::vector<Value> sums = plan_.single ? fold_unit(stage, b_.literal(0), false) : fold_units(stage);
      for (size_t i = 0; i < stage.size(); ++i) e_.set_value(stage[i], sums[i]);
    }
  }

  /// Computes before a loop what does not change in it and is known already.
  void hoist_invariants() {
    std::vector<bool> ready(nest_.body.size());
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const loop::Instruction& in = nest_.body[id];
      bool r = live_[i] && !is_inner(id);
      for (ValueId v : in.operands) r = r && (v < 0 || ready[static_cast<size_t>(v)]);
      for (Expr e : in.index)
        visit_leaves(e, [&](Expr leaf) {
          r = r && (leaf.kind() != Expr::Kind::value || ready[static_cast<size_t>(leaf.id())]);
        });
      if (in.kind == loop::InstructionKind::reduce) r = e_.known().contains(id);
      ready[i] = r;
      if (r && in.kind != loop::InstructionKind::constant) e_.value(id);
    }
  }

  using UnitBody = std::function<std::vector<Value>(Value unit, std::span<const Value> carried, bool whole)>;

  /// Goes through all units: a loop over the whole ones, then what is left with masks.
  std::vector<Value> each_unit(std::vector<Value> carried, const UnitBody& body) {
    const Count whole = count(whole_units()), tail = count(tail_units());
    const auto loop = [&](Value lo, Value hi, bool is_whole) {
      const NestEmitter::Memo before = e_.memo();
      carried = b_.for_loop(lo, hi, b_.literal(1), carried,
                            [&](Value u, std::span<const Value> c) { return body(u, c, is_whole); });
      e_.restore(before);
    };
    if (whole.literal != 0) loop(b_.literal(0), whole.value, true);
    if (tail.literal == 1)
      carried = body(whole.value, carried, false);
    else if (tail.literal != 0)
      loop(whole.value, b_.add(whole.value, tail.value), false);
    return carried;
  }

  std::vector<Value> fold_units(const std::vector<ValueId>& stage) {
    const int64_t unit = chunk * plan_.chunks, most = (longest_ + unit - 1) / unit * plan_.units_per_chunk();
    const int levels = static_cast<int>(std::bit_width(static_cast<uint64_t>(most)));
    std::vector<BinaryCounter> counters;
    std::vector<Value> slots;
    for (ValueId r : stage) {
      counters.emplace_back(b_, kind(r), type(r), levels);
      const std::vector<Value> empty = counters.back().empty(folded_type(r));
      slots.insert(slots.end(), empty.begin(), empty.end());
    }
    const auto own = [&](std::span<const Value> all, size_t i) {
      return all.subspan(i * static_cast<size_t>(levels), static_cast<size_t>(levels));
    };
    slots = each_unit(std::move(slots), [&](Value unit, std::span<const Value> carried, bool whole) {
      const std::vector<Value> sums = fold_unit(stage, first_of(unit), whole);
      std::vector<Value> next;
      for (size_t i = 0; i < stage.size(); ++i) {
        const std::vector<Value> pushed = counters[i].push(unit, sums[i], own(carried, i));
        next.insert(next.end(), pushed.begin(), pushed.end());
      }
      return next;
    });
    const Count units = count(whole_units() + tail_units());
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i)
      sums.push_back(units.literal ? counters[i].drain(*units.literal, own(slots, i))
                                   : counters[i].drain(units.value, own(slots, i)));
    return sums;
  }

  /// Shape of a folded unit: what the operand varies with, but for the folded dim.
  tile::Type folded_type(ValueId reduce) const {
    std::vector<int32_t> dims(plan_.tiling.dims.size(), 1);
    const loop::AxisSet axes = dependence_[static_cast<size_t>(nest_.body[reduce].operands[0])];
    for (size_t a = 0; a < axis_; ++a) {
      const AxisPlace& p = plan_.tiling.axes[a];
      const bool varies = (axes >> a & 1) != 0;
      if (p.kind == AxisPlace::Kind::tile && varies) dims[static_cast<size_t>(p.dim)] = p.size;
    }
    return tile::Type::tile(type(reduce), dims);
  }

  void store_along_axis() {
    const auto store = [&] {
      for (const loop::Store& s : nest_.stores)
        if (is_inner(s)) e_.store(s);
    };
    const bool any = std::ranges::any_of(nest_.stores, [&](const loop::Store& s) { return is_inner(s); });
    if (!any || extent_.is_constant(0)) return;
    hoist_invariants();
    if (plan_.single) {
      each_tile(b_.literal(0), true, [&](int64_t) { store(); });
      return;
    }
    each_unit({}, [&](Value unit, std::span<const Value>, bool whole) {
      each_tile(first_of(unit), whole, [&](int64_t) { store(); });
      return std::vector<Value>{};
    });
  }

  const loop::Nest& nest_;
  const size_t axis_;
  const Expr extent_;
  const FoldPlan plan_;
  KernelWriter kernel_;
  NestEmitter e_;
  tile::KernelBuilder& b_;
  const std::vector<loop::AxisSet> dependence_;
  const std::vector<bool> live_;
  const int64_t longest_;
  std::vector<std::vector<ValueId>> stages_;
  std::map<int64_t, std::map<ValueId, Value>> kept_;  ///< of each tile of the only unit
};

}  // namespace

ScheduledKernel schedule_reduction(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                   const std::vector<std::string>& comments, const Target& target) {
  const loop::Nest joined = with_joint_reduction_axis(nest, program.ranges);
  return FoldEmitter(program, joined, target, name).run(comments);
}

}  // namespace sinter::schedule
