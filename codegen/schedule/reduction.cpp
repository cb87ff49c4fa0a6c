// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "codegen/schedule/binary_counter.h"
#include "codegen/schedule/fold_plan.h"
#include "codegen/schedule/grid_split.h"
#include "codegen/schedule/joint_axis.h"
#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/strategies.h"
#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using loop::ValueId;
using tile_ir::Value;

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
    const std::optional<GridSplit> split = split_if_possible();
    const Expr grid = split ? fold_split(*split) : fold_alone();
    ScheduledKernel k = kernel_.finish(grid, comments, plan_.tiling.num_warps);
    k.elements_per_program = e_.elements_per_program() * std::max<int64_t>(1, folded_by_program(split) / plan_.width);
    k.cost = cost_of(kernel_.program(), nest_);
    return k;
  }

 private:
  /// A program folds whole results, and stores what lies along the axis as well.
  Expr fold_alone() {
    e_.decode_program_id(b_.program_id());
    if (extent_.is_constant(0))
      fold_nothing();
    else
      fold_stages();
    store_results();
    store_along_axis();
    return e_.programs();
  }

  /// Only results leave the kernel, and no element is needed again: a program can stop at its part.
  std::optional<GridSplit> split_if_possible() const {
    const bool along_axis = std::ranges::any_of(nest_.stores, [&](const loop::Store& s) { return is_inner(s); });
    if (plan_.single || stages_.size() != 1 || along_axis) return std::nullopt;
    return split_over_grid(plan_, extent_, e_.programs(), kernel_.target(), e_.ranges());
  }

  int64_t folded_by_program(const std::optional<GridSplit>& split) const {
    if (split) return split->chunks.constant().value_or(1) * chunk;
    return extent_.constant().value_or(chunk);
  }

  void store_results() {
    for (const loop::Store& s : nest_.stores)
      if (!is_inner(s)) e_.store(s);
  }

  /// Programs fold their pieces of a result; the last one of a group has the result.
  Expr fold_split(const GridSplit& split) {
    const Value id = b_.program_id(), pieces = e_.scalar_of(split.pieces);
    const Value piece = b_.irem(id, pieces), group = b_.idiv(id, pieces);
    const Expr groups = e_.programs();
    e_.decode_program_id(group);
    const std::vector<ValueId>& stage = stages_[0];
    hoist_invariants();
    const std::vector<Value> own = fold_units(stage, units_of_piece(split, piece));
    tile_ir::GridFold fold;
    fold.most = split.most;
    const Expr stored = groups * split.pieces * min(split.pieces - Expr(1), Expr(1));  // a single piece is not
    for (size_t i = 0; i < stage.size(); ++i) {
      fold.kinds.push_back(kind(stage[i]));
      fold.partials.push_back(kernel_.workspace(type(stage[i]), stored * Expr(b_.type(own[i]).elements())));
    }
    fold.arrivals = kernel_.arrivals();
    const std::vector<Value> all = b_.grid_reduce(std::move(fold), group, piece, pieces, own);
    b_.if_then(all[0], [&] {
      for (size_t i = 0; i < stage.size(); ++i) e_.set_value(stage[i], all[i + 1]);
      store_results();
      return std::vector<Value>{};
    });
    return groups * split.pieces;
  }

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
  Value constant(const scalar::Constant& c) { return b_.constant(tile_ir::Type::scalar(c.dtype), c.bits); }

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
    tile_ir::Type full = b_.type(v);
    if (!full.is_tile) full = tile_ir::Type::tile(type(reduce), std::vector<int32_t>(plan_.tiling.dims.size(), 1));
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
      for (Value& v : folded[i]) v = b_.reduce(kind(stage[i]), plan_.dim, v);
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
      const std::vector<Value> sums =
          plan_.single ? fold_unit(stage, b_.literal(0), false) : fold_units(stage, all_units());
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

  /// The units that a program goes through: up to `whole_end` they lie inside the extent.
  struct Units {
    Value first, whole_end, end;
    bool from_0 = true;
    Value count;
    std::optional<int64_t> whole, tail, literal_count;  ///< numbers of units, where they are the same for all programs
    int64_t longest = 0;                                ///< count at most
  };

  Units all_units() {
    const Count whole = count(whole_units()), tail = count(tail_units()), both = count(whole_units() + tail_units());
    const int64_t unit = chunk * plan_.chunks;
    Units u;
    u.first = b_.literal(0);
    u.whole_end = whole.value;
    u.end = u.count = both.value;
    u.whole = whole.literal;
    u.tail = tail.literal;
    u.literal_count = both.literal;
    u.longest = (longest_ + unit - 1) / unit * plan_.units_per_chunk();
    return u;
  }

  Units units_of_piece(const GridSplit& split, Value piece) {
    Units u = all_units();
    const Expr units = floordiv(split.chunks, Expr(int64_t{plan_.chunks})) * Expr(plan_.units_per_chunk());
    const Count in_piece = count(units);
    u.first = b_.mul(piece, in_piece.value);
    u.from_0 = false;
    const Value end = b_.add(u.first, in_piece.value);
    const bool even = simplify(mod(extent_, split.chunks * Expr(chunk)), e_.ranges()).is_constant(0);
    u.whole_end = even ? end : b_.min(end, u.whole_end);
    u.end = even ? end : b_.min(end, u.end);
    u.count = even ? in_piece.value : b_.sub(u.end, u.first);
    u.whole = std::nullopt;
    if (u.tail != 0) u.tail = std::nullopt;
    u.literal_count = even ? in_piece.literal : std::nullopt;
    if (in_piece.literal) u.longest = std::min(u.longest, *in_piece.literal);
    return u;
  }

  using UnitBody = std::function<std::vector<Value>(Value unit, std::span<const Value> carried, bool whole)>;

  /// Goes through units: a loop over the whole ones, then what is left with masks.
  std::vector<Value> each_unit(const Units& units, std::vector<Value> carried, const UnitBody& body) {
    const auto loop = [&](Value lo, Value hi, bool is_whole) {
      const NestEmitter::Memo before = e_.memo();
      carried = b_.for_loop(lo, hi, b_.literal(1), carried,
                            [&](Value u, std::span<const Value> c) { return body(u, c, is_whole); });
      e_.restore(before);
    };
    if (units.whole != 0) loop(units.first, units.whole_end, true);
    if (units.tail == 1)
      carried = body(units.whole_end, carried, false);
    else if (units.tail != 0)
      loop(units.from_0 ? units.whole_end : b_.max(units.first, units.whole_end), units.end, false);
    return carried;
  }

  std::vector<Value> fold_units(const std::vector<ValueId>& stage, const Units& units) {
    const int levels = static_cast<int>(std::bit_width(static_cast<uint64_t>(units.longest)));
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
    slots = each_unit(units, std::move(slots), [&](Value unit, std::span<const Value> carried, bool whole) {
      const std::vector<Value> sums = fold_unit(stage, first_of(unit), whole);
      const Value number = units.from_0 ? unit : b_.sub(unit, units.first);
      std::vector<Value> next;
      for (size_t i = 0; i < stage.size(); ++i) {
        const std::vector<Value> pushed = counters[i].push(number, sums[i], own(carried, i));
        next.insert(next.end(), pushed.begin(), pushed.end());
      }
      return next;
    });
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i)
      sums.push_back(units.literal_count ? counters[i].drain(*units.literal_count, own(slots, i))
                                         : counters[i].drain(units.count, own(slots, i)));
    return sums;
  }

  /// Shape of a folded unit: what the operand varies with, but for the folded dim.
  tile_ir::Type folded_type(ValueId reduce) const {
    std::vector<int32_t> dims(plan_.tiling.dims.size(), 1);
    const loop::AxisSet axes = dependence_[static_cast<size_t>(nest_.body[reduce].operands[0])];
    for (size_t a = 0; a < axis_; ++a) {
      const AxisPlace& p = plan_.tiling.axes[a];
      const bool varies = (axes >> a & 1) != 0;
      if (p.kind == AxisPlace::Kind::tile && varies) dims[static_cast<size_t>(p.dim)] = p.size;
    }
    return tile_ir::Type::tile(type(reduce), dims);
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
    each_unit(all_units(), {}, [&](Value unit, std::span<const Value>, bool whole) {
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
  tile_ir::KernelBuilder& b_;
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
