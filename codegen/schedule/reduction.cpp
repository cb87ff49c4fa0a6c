// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "codegen/schedule/binary_counter.h"
#include "codegen/schedule/fold_plan.h"
#include "codegen/schedule/fold_stages.h"
#include "codegen/schedule/grid_split.h"
#include "codegen/schedule/joint_axis.h"
#include "codegen/schedule/kept_counter.h"
#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/row_passes.h"
#include "codegen/schedule/strategies.h"
#include "codegen/tile/expand_grid_reduces.h"
#include "src/graph/seeded_fault.h"
#include "src/loop/canonical_fold.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using graph::Fault;  // tests only
using loop::ValueId;
using tile_ir::Value;

constexpr int64_t chunk = loop::reduction_chunk, partials = loop::reduction_partials;
constexpr int64_t max_extent = int64_t{1} << 40;

/// A number that is a literal, or a run-time scalar.
struct Count {
  std::optional<int64_t> literal;
  Value value;
};

/// Writes a nest that folds: stage by stage (fold_stages.h), each a loop over the steps of the plan.
class FoldEmitter {
 public:
  FoldEmitter(const loop::Program& program, const loop::Nest& nest, const Target& target, const std::string& name,
              FoldPlan plan)
      : nest_(nest),
        axis_(nest.axes.size() - 1),
        extent_(nest.axes[axis_].extent),
        folds_(nest),
        passes_(nest, folds_),
        plan_(std::move(plan)),
        kernel_(program, target, name),
        e_(kernel_, nest, plan_.tiling),
        b_(kernel_.builder()),
        longest_(std::min(max_extent, program.ranges.of(extent_).second)) {}

  ScheduledKernel run(const std::vector<std::string>& comments) {
    const std::optional<GridSplit> split = split_if_possible();
    const Expr grid = split ? fold_split(*split) : plan_.resident ? fold_resident() : fold_alone();
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
    if (plan_.single || plan_.resident || folds_.reads_again()) return std::nullopt;
    return split_over_grid(plan_, extent_, e_.programs(), kernel_.target(), e_.ranges());
  }

  int64_t folded_by_program(const std::optional<GridSplit>& split) const {
    if (split) return split->chunks.constant().value_or(1) * chunk;
    return extent_.constant().value_or(chunk);
  }

  void store_results() {
    for (const loop::Store& s : nest_.stores)
      if (!folds_.is_inner(s)) e_.store(s);
  }

  /// Programs fold their pieces of a result; the last one of a group has the result.
  Expr fold_split(const GridSplit& split) {
    const Value id = b_.program_id(), pieces = e_.scalar_of(split.pieces);
    const Value piece = b_.irem(id, pieces), group = b_.idiv(id, pieces);
    const Expr groups = e_.programs();
    e_.decode_program_id(group);
    const std::vector<ValueId>& stage = folds_.stages()[0];
    hoist_invariants();
    const Value cuts = b_.literal(split.of_chunk);
    if (split.of_chunk > 1) part_ = PartOfChunk{b_.irem(piece, cuts), plan_.units_per_chunk() / split.of_chunk};
    const std::vector<Value> own =
        fold_steps(stage, steps_of_piece(split, split.of_chunk > 1 ? b_.idiv(piece, cuts) : piece));
    tile_ir::GridFold fold;
    fold.most = split.most;
    const Expr stored = groups * split.pieces * min(split.pieces - Expr(1), Expr(1));  // a single piece is not
    int64_t widest = 1;
    for (Value v : own) widest = std::max(widest, b_.type(v).elements());
    const int64_t slots = tile_ir::slots_per_piece(fold.most, widest, plan_.tiling.num_warps);
    for (size_t i = 0; i < stage.size(); ++i) {
      fold.kinds.push_back(kind(stage[i]));
      fold.partials.push_back(kernel_.workspace(type(stage[i]), stored * Expr(slots * b_.type(own[i]).elements())));
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

  graph::ReduceKind kind(ValueId reduce) const { return static_cast<graph::ReduceKind>(nest_.body[reduce].id); }
  DType type(ValueId reduce) const { return nest_.body[reduce].type; }
  Value constant(const scalar::Constant& c) { return b_.constant(tile_ir::Type::scalar(c.dtype), c.bits); }

  void fold_nothing() {
    for (const auto& stage : folds_.stages())
      for (ValueId r : stage) e_.set_value(r, constant(loop::reduction_identity(kind(r), type(r))));
  }

  // Steps -------------------------------------------------------------------------------------------------------------

  /// Steps before this one lie inside the extent.
  Expr whole_steps() const { return floordiv(extent_, Expr(plan_.step_elements())); }
  /// The step that holds what is left, if something is.
  Expr tail_steps() const { return ceildiv(mod(extent_, Expr(plan_.step_elements())), Expr(plan_.step_elements())); }

  Count count(Expr e) {
    const Expr simple = simplify(e, e_.ranges());
    return {simple.constant(), e_.scalar_of(simple)};
  }

  void go_to(Value first, int64_t offset, bool whole) {
    e_.forget_axis(axis_);
    e_.set_whole(axis_, whole);
    e_.set_origin(axis_, offset == 0 ? first : b_.add(first, b_.literal(offset)));
  }

  /// Of tiles of one row in the chunk behind the whole ones: does the tile at `offset` lie inside the extent in every
  /// unit, or in none?
  bool is_inside(int64_t offset) const {
    const auto n = extent_.constant();
    if (plan_.width > 1 || !n) return false;
    const int64_t left = *n % chunk - offset / partials * partials;
    return left >= partials || (offset < partials && left % plan_.unit_partials() == 0);
  }
  bool is_behind(int64_t offset) const {
    const auto n = extent_.constant();
    return plan_.width == 1 && n && *n % chunk <= offset;
  }

  /// f(offset) for each tile of a unit that can hold an element. The tiles of the only one are kept for the next pass.
  template <class F>
  void each_tile(Value first, bool whole, const F& f) {
    for (int64_t k = 0; k < plan_.runs * plan_.beside; ++k)  // only one of the two is several
      for (int64_t fold = 0; fold < plan_.folds; ++fold) {
        const int64_t offset = (plan_.runs > 1 ? k * plan_.run_elements() : k) + fold * partials;
        if (!plan_.single) {
          if (!whole && is_behind(offset)) continue;
          go_to(first, offset, whole || is_inside(offset));
          if (plan_.kept_tiles > 0) recall_repeated(first);
          f(offset);
          if (plan_.kept_tiles > 0) keep_repeated(first);
          continue;
        }
        const int64_t n = *extent_.constant();
        if (offset >= n) continue;
        go_to(first, offset, n >= offset + plan_.width);
        auto& kept = kept_[offset];
        for (const auto& [id, v] : kept) e_.set_value(id, v);
        f(offset);
        for (const auto& [id, v] : e_.known())
          if (folds_.is_inner(id)) kept[id] = v;
      }
  }

  tile_ir::KernelBuilder::Store store_of_repeated(size_t i) const {
    return {static_cast<int32_t>(i), nest_.body[passes_.repeated()[i]].type, plan_.kept_tiles};
  }
  Value tile_number(Value first) { return b_.shr(first, b_.literal(std::countr_zero(uint64_t{chunk}))); }

  /// What an earlier pass left of the tile that begins at `first`.
  void recall_repeated(Value first) {
    for (size_t i = 0; i < passes_.repeated().size(); ++i) {
      const ValueId v = passes_.repeated()[i];
      if (!was_computed(v) || !passes_.needs(pass_, v)) continue;
      const auto tile = tile_ir::Type::tile(nest_.body[v].type, plan_.tiling.dims);
      e_.set_value(v, b_.recall(store_of_repeated(i), tile_number(first), tile));
    }
  }

  void keep_repeated(Value first) {
    for (size_t i = 0; i < passes_.repeated().size(); ++i) {
      const ValueId v = passes_.repeated()[i];
      if (!was_computed(v) && passes_.needs(pass_, v)) b_.keep(store_of_repeated(i), tile_number(first), e_.value(v));
    }
  }

  /// ... by an earlier pass.
  bool was_computed(ValueId v) const {
    for (size_t p = 0; p < pass_; ++p)
      if (passes_.needs(p, v)) return true;
    return false;
  }

  Value padding(ValueId reduce) {
    scalar::Constant c = loop::reduction_padding(kind(reduce), type(reduce));
    if (planted(Fault::wrong_padding)) c.bits = 0;
    return constant(c);
  }

  Value padded(ValueId reduce) {
    Value v = e_.value(nest_.body[reduce].operands[0]);
    const auto inside = e_.inside(axis_);
    if (inside && !planted(Fault::unmasked_fold)) v = b_.select(*inside, v, padding(reduce));
    tile_ir::Type full = b_.type(v);
    if (!full.is_tile) full = tile_ir::Type::tile(type(reduce), std::vector<int32_t>(plan_.tiling.dims.size(), 1));
    full.dims[static_cast<size_t>(plan_.dim)] = plan_.width;
    return b_.broadcast(v, full);
  }

  /// The fold of each of a stage's reduces over one unit.
  std::vector<Value> fold_unit(const std::vector<ValueId>& stage, Value first, bool whole) {
    std::vector<std::vector<Value>> folded(stage.size());  // by run
    each_tile(first, whole, [&](int64_t offset) {
      for (size_t i = 0; i < stage.size(); ++i) {
        const Value v = padded(stage[i]);
        if (offset % chunk < plan_.beside || planted(Fault::other_order))
          folded[i].push_back(v);
        else
          folded[i].back() = b_.scalar(loop::fold_op(kind(stage[i])), {folded[i].back(), v});
      }
    });
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i) {
      if (plan_.width > 1 || plan_.single)
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
    for (const auto& stage : folds_.stages()) {
      hoist_invariants();
      const std::vector<Value> sums =
          plan_.single ? fold_unit(stage, b_.literal(0), false) : fold_steps(stage, all_steps());
      for (size_t i = 0; i < stage.size(); ++i) e_.set_value(stage[i], sums[i]);
      ++pass_;
    }
  }

  /// Computes before a loop what does not change in it and is known already.
  void hoist_invariants() {
    std::vector<bool> ready(nest_.body.size());
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const loop::Instruction& in = nest_.body[id];
      bool r = folds_.is_live(id) && !folds_.is_inner(id);
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

  /// The steps that a program goes through: up to `whole_end` they lie inside the extent.
  struct Steps {
    Value first, whole_end, end;
    bool from_0 = true;
    Value count;
    std::optional<int64_t> whole, tail, literal_count;  ///< numbers of steps, where they are the same for all programs
    int64_t longest = 0;                                ///< count at most
    bool single = false;                                ///< one step, with masks unless `whole` says one
  };

  Steps all_steps() {
    const Count whole = count(whole_steps()), tail = count(tail_steps()), both = count(whole_steps() + tail_steps());
    Steps s;
    s.first = b_.literal(0);
    s.whole_end = whole.value;
    s.end = s.count = both.value;
    s.whole = whole.literal;
    s.tail = tail.literal;
    s.literal_count = both.literal;
    s.longest = (longest_ + plan_.step_elements() - 1) / plan_.step_elements();
    return s;
  }

  Steps steps_of_piece(const GridSplit& split, Value piece) {
    Steps s = all_steps();
    const Count in_piece = count(floordiv(split.chunks, Expr(plan_.step_elements() / chunk)));
    s.first = b_.mul(piece, in_piece.value);
    s.from_0 = false;
    const Value end = b_.add(s.first, in_piece.value);
    const bool even = simplify(mod(extent_, split.chunks * Expr(chunk)), e_.ranges()).is_constant(0);
    s.whole_end = even ? end : b_.min(end, s.whole_end);
    s.end = even ? end : b_.min(end, s.end);
    s.count = even ? in_piece.value : b_.sub(s.end, s.first);
    s.whole = std::nullopt;
    if (s.tail != 0) s.tail = std::nullopt;
    s.literal_count = even ? in_piece.literal : std::nullopt;
    if (in_piece.literal) s.longest = std::min(s.longest, *in_piece.literal);
    s.single = in_piece.literal == 1 && plan_.units_per_chunk() == 1;
    if (s.single) s.literal_count = 1;
    if (s.single && even) s.whole = 1;
    return s;
  }

  using StepBody = std::function<std::vector<Value>(Value step, std::span<const Value> carried, bool whole)>;

  std::vector<Value> loop(Value lo, Value hi, std::vector<Value> carried,
                          const std::function<std::vector<Value>(Value, std::span<const Value>)>& body) {
    const NestEmitter::Memo before = e_.memo();
    carried = b_.for_loop(lo, hi, b_.literal(1), carried, body);
    e_.restore(before);
    return carried;
  }

  /// Goes through steps: a loop over the whole ones, then what is left with masks.
  std::vector<Value> each_step(const Steps& steps, std::vector<Value> carried, const StepBody& body) {
    const auto go = [&](Value lo, Value hi, bool whole) {
      carried = loop(lo, hi, std::move(carried), [&](Value u, std::span<const Value> c) { return body(u, c, whole); });
    };
    // Each of the programs that only few elements keep busy reads its code from memory: it is written once.
    if (steps.single) return body(steps.first, carried, steps.whole == 1);
    if (steps.whole != 0) go(steps.first, steps.whole_end, true);
    if (steps.tail == 1)
      carried = body(steps.whole_end, carried, false);
    else if (steps.tail != 0)
      go(steps.from_0 ? steps.whole_end : b_.max(steps.first, steps.whole_end), steps.end, false);
    return carried;
  }

  Value first_of(Value step) { return b_.mul(step, b_.literal(plan_.step_elements())); }

  /// A program's share of each of its chunks.
  struct PartOfChunk {
    Value number;
    int64_t units = 1;
  };

  /// Units of a chunk that hold an element: all, or in the last chunk those of what is left.
  Count units_of(bool whole) {
    if (whole) return count(plan_.units_per_chunk());
    const Expr left = min(mod(extent_, Expr(chunk)), Expr(partials));
    return count(ceildiv(left, Expr(plan_.unit_partials())));
  }

  /// Of `n` units those from `begin` on, at most `most`.
  Value left_of(Value n, Value begin, int64_t most) {
    return b_.max(b_.min(b_.sub(n, begin), b_.literal(most)), b_.literal(0));
  }

  /// The fold of each of a stage's reduces over one step: a unit, or the units of a chunk.
  std::vector<Value> fold_step(const std::vector<ValueId>& stage, Value step, bool whole) {
    if (plan_.units_per_chunk() == 1) return fold_unit(stage, first_of(step), whole);
    Value begin = b_.literal(0), of_step = first_of(step);
    Count n = units_of(whole);
    if (part_) {
      begin = b_.mul(part_->number, b_.literal(part_->units));
      of_step = b_.add(of_step, b_.mul(begin, b_.literal(plan_.unit_partials())));
      n = whole ? count(part_->units) : Count{std::nullopt, left_of(n.value, begin, part_->units)};
    }
    return fold_run(stage, part_ ? part_->units : plan_.units_per_chunk(), n, [&](const CounterLoop& body) {
      return loop(b_.literal(0), n.value, body.empty, [&](Value unit, std::span<const Value> carried) {
        const Value first = b_.add(of_step, b_.mul(unit, b_.literal(plan_.unit_partials())));
        return body.push(unit, fold_unit(stage, first, whole), carried);
      });
    });
  }

  std::vector<Value> fold_steps(const std::vector<ValueId>& stage, const Steps& steps) {
    return fold_run(stage, steps.longest, {steps.literal_count, steps.count}, [&](const CounterLoop& body) {
      return each_step(steps, body.empty, [&](Value step, std::span<const Value> carried, bool whole) {
        const std::vector<Value> sums = fold_step(stage, step, whole);
        return body.push(steps.from_0 ? step : b_.sub(step, steps.first), sums, carried);
      });
    });
  }

  /// The slots of a stage's binary counters as the values that a loop carries.
  struct CounterLoop {
    std::vector<Value> empty;
    std::function<std::vector<Value>(Value number, const std::vector<Value>& sums, std::span<const Value> carried)>
        push;
  };

  /// Folds values that come one by one, at most `longest`, `n` of them: `run` makes the loop.
  std::vector<Value> fold_run(const std::vector<ValueId>& stage, int64_t longest, const Count& n,
                              const std::function<std::vector<Value>(const CounterLoop&)>& run) {
    const int levels = static_cast<int>(std::bit_width(static_cast<uint64_t>(longest)));
    if (keeps_slots(stage, levels)) return fold_run_in_memory(stage, levels, n.value, run);
    std::vector<BinaryCounter> counters;
    CounterLoop body;
    for (ValueId r : stage) {
      counters.emplace_back(b_, kind(r), type(r), levels);
      const std::vector<Value> empty = counters.back().empty(folded_type(r));
      body.empty.insert(body.empty.end(), empty.begin(), empty.end());
    }
    const auto own = [&](std::span<const Value> all, size_t i) {
      return all.subspan(i * static_cast<size_t>(levels), static_cast<size_t>(levels));
    };
    body.push = [&](Value number, const std::vector<Value>& sums, std::span<const Value> carried) {
      std::vector<Value> next;
      for (size_t i = 0; i < stage.size(); ++i) {
        const std::vector<Value> pushed = counters[i].push(number, sums[i], own(carried, i));
        next.insert(next.end(), pushed.begin(), pushed.end());
      }
      return next;
    };
    const std::vector<Value> slots = run(body);
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i)
      sums.push_back(n.literal ? counters[i].drain(*n.literal, own(slots, i))
                               : counters[i].drain(n.value, own(slots, i)));
    return sums;
  }

  /// On the CPU slots that registers do not hold, or that are many, lie in memory.
  bool keeps_slots(const std::vector<ValueId>& stage, int levels) const {
    constexpr int most_in_registers = 6;
    constexpr size_t most_stores = 16;
    return !kernel_.target().cuda && stage.size() <= most_stores && (levels > most_in_registers || plan_.width == 1);
  }

  std::vector<Value> fold_run_in_memory(const std::vector<ValueId>& stage, int levels, Value n,
                                        const std::function<std::vector<Value>(const CounterLoop&)>& run) {
    const int first = counters_in_use_;
    std::vector<KeptCounter> counters;
    for (ValueId r : stage) {
      const tile_ir::Type tile = folded_type(r);
      counters.emplace_back(b_, kind(r), tile, levels, store_of({counters_in_use_++, tile, levels}));
      counters.back().clear();
    }
    CounterLoop body;
    body.push = [&](Value number, const std::vector<Value>& sums, std::span<const Value>) {
      for (size_t i = 0; i < stage.size(); ++i) counters[i].push(number, sums[i]);
      return std::vector<Value>{};
    };
    run(body);
    std::vector<Value> sums;
    for (KeptCounter& c : counters) sums.push_back(c.drain(n));
    counters_in_use_ = first;
    return sums;
  }

  /// What a store holds, and which of the counters that are in use at the same time it is for.
  struct CounterStore {
    int number;
    tile_ir::Type tile;
    int levels;
    friend bool operator==(const CounterStore&, const CounterStore&) = default;
  };

  int32_t store_of(const CounterStore& s) {
    auto at = std::ranges::find(counter_stores_, s);
    if (at == counter_stores_.end()) at = counter_stores_.insert(at, s);
    const size_t before = plan_.kept_tiles > 0 ? passes_.repeated().size() : 0;
    return static_cast<int32_t>(before + static_cast<size_t>(at - counter_stores_.begin()));
  }

  /// Shape of a folded unit: what the operand varies with, but for the folded dim.
  tile_ir::Type folded_type(ValueId reduce) const {
    std::vector<int32_t> dims(plan_.tiling.dims.size(), 1);
    const loop::AxisSet axes = folds_.dependence()[static_cast<size_t>(nest_.body[reduce].operands[0])];
    for (size_t a = 0; a < axis_; ++a) {
      const AxisPlace& p = plan_.tiling.axes[a];
      const bool varies = (axes >> a & 1) != 0;
      if (p.kind == AxisPlace::Kind::tile && varies) dims[static_cast<size_t>(p.dim)] = p.size;
    }
    return tile_ir::Type::tile(type(reduce), dims);
  }

  // Rows that stay ----------------------------------------------------------------------------------------------------

  /// The programs of a cluster fold a row together; each goes through its share once a pass, from memory at first.
  Expr fold_resident() {
    const int32_t n = plan_.resident->cluster;
    const Value id = b_.program_id();
    b_.kernel().cluster = n;
    e_.decode_program_id(n == 1 ? id : b_.idiv(id, b_.literal(n)));
    if (n > 1) number_ = b_.irem(id, b_.literal(n));
    const Steps steps = steps_of_share();
    if (plan_.resident->staged) stage_row();
    for (size_t pass = 0; pass < folds_.stages().size(); ++pass) {
      const auto& stage = folds_.stages()[pass];
      hoist_invariants();
      const std::vector<Value> sums = fold_pass(pass, steps);
      for (size_t i = 0; i < stage.size(); ++i) e_.set_value(stage[i], sums[i]);
    }
    const NestEmitter::Memo before = e_.memo();
    const auto results = [&] {
      store_results();
      return std::vector<Value>{};
    };
    if (n > 1)
      b_.if_then(b_.eq(*number_, b_.literal(0)), results);
    else
      results();
    e_.restore(before);
    if (folds_.stores_along_axis()) {
      hoist_invariants();
      const size_t pass = folds_.stages().size();
      const auto store = [&] {
        for (const loop::Store& s : nest_.stores)
          if (folds_.is_inner(s)) e_.store(s);
      };
      each_step(steps, {}, [&](Value step, std::span<const Value>, bool whole) {
        at_tile(pass, step, whole, store);
        return std::vector<Value>{};
      });
      if (plan_.resident->last_width > 0) at_last_tile(pass, store);
    }
    return e_.programs() * Expr(int64_t{n});
  }

  bool shares_are_whole() const { return extent_.is_constant(plan_.resident->share * plan_.resident->cluster); }
  Value first_of_share(int64_t offset) {
    const Value first = b_.literal(offset);
    return number_ ? b_.add(first, b_.mul(*number_, b_.literal(plan_.resident->share))) : first;
  }

  /// Sends for the whole row, a tile at a time.
  void stage_row() {
    go_to(b_.literal(0), 0, true);
    const int64_t most = std::min(plan_.resident->share, *extent_.constant());
    tile_ir::Run run{.number = 0, .most = most, .piece = plan_.width};
    for (ValueId load : passes_.kept()) {
      e_.stage(load, run, e_.scalar_of(extent_));
      ++run.number;
    }
    e_.forget_axis(axis_);
  }

  /// The tiles of a program: of a cluster's, the last ones may have less than a share, or nothing.
  Steps steps_of_share() {
    const int64_t most = plan_.resident->slots;
    Steps s;
    s.first = b_.literal(0);
    s.longest = most;
    if (!number_ || shares_are_whole()) {
      s.whole = number_ ? most : std::min(most, *extent_.constant() / plan_.width);
      s.tail = most - *s.whole;
      s.literal_count = most;
      s.whole_end = b_.literal(*s.whole);
      s.end = s.count = b_.literal(most);
      return s;
    }
    const int log = std::countr_zero(static_cast<uint64_t>(plan_.width));
    const Value left = b_.sub(e_.scalar_of(extent_), b_.mul(*number_, b_.literal(plan_.resident->share)));
    const auto steps_in = [&](Value elements) {
      return b_.max(b_.min(b_.shr(elements, b_.literal(log)), b_.literal(most)), b_.literal(0));
    };
    s.whole_end = steps_in(left);
    s.end = s.count = steps_in(b_.add(left, b_.literal(plan_.width - 1)));
    return s;
  }

  /// f() for the tile of a step. A load that a later pass needs as well is kept, or was kept by one before.
  template <class F>
  void at_tile(size_t pass, Value step, bool whole, const F& f) {
    const Value first = first_of(step);
    go_to(number_ ? b_.add(first, first_of_share(0)) : first, 0, whole);
    for (ValueId load : passes_.loads(pass)) keep_or_recall(pass, load, step, plan_.resident->slots, 0);
    f();
  }

  /// The same for what is left of a share behind its whole tiles: a tile of as few chunks as that has.
  template <class F>
  void at_last_tile(size_t pass, const F& f) {
    const int32_t width = plan_.width;
    const int64_t first = int64_t{plan_.resident->slots} * width;
    const auto resize = [&](int32_t size) {
      plan_.width = plan_.tiling.axes[axis_].size = plan_.tiling.dims[static_cast<size_t>(plan_.dim)] = size;
    };
    resize(plan_.resident->last_width);
    go_to(first_of_share(first), 0, shares_are_whole());
    const auto stores = static_cast<int32_t>(passes_.kept().size());
    for (ValueId load : passes_.loads(pass)) keep_or_recall(pass, load, b_.literal(0), 1, stores);
    f();
    e_.forget_axis(axis_);
    resize(width);
  }

  void keep_or_recall(size_t pass, ValueId load, Value slot, int64_t slots, int32_t first_store) {
    const auto at = std::ranges::find(passes_.kept(), load);
    if (at == passes_.kept().end() || plan_.resident->staged) return;
    const tile_ir::KernelBuilder::Store store{first_store + static_cast<int32_t>(at - passes_.kept().begin()),
                                              nest_.body[load].attribute, slots};
    const auto [first, added] = first_pass_.try_emplace(load, pass);
    if (first->second == pass)
      b_.keep(store, slot, e_.value(load));
    else
      e_.set_value(load, b_.recall(store, slot, tile_ir::Type::tile(nest_.body[load].type, plan_.tiling.dims)));
  }

  /// The folds of a tile's chunks, each by one warp if there is a warp for each.
  Value fold_chunks(ValueId reduce) {
    const auto chunks = static_cast<int32_t>(plan_.width / chunk);
    return b_.reduce(kind(reduce), 1, b_.reshape(padded(reduce), {chunks, static_cast<int32_t>(chunk)}));
  }

  /// A warp folds its chunks; what each has, tile by tile, meets once.
  std::vector<Value> fold_pass(size_t pass, const Steps& steps) {
    const auto& stage = folds_.stages()[pass];
    const auto slots = static_cast<size_t>(plan_.resident->slots);
    std::vector<Value> folded;  // by reduce and slot
    for (ValueId r : stage) {
      const Value none = b_.broadcast(constant(loop::reduction_padding(kind(r), type(r))),
                                      tile_ir::Type::tile(type(r), {static_cast<int32_t>(plan_.width / chunk), 1}));
      folded.insert(folded.end(), slots, none);
    }
    folded = each_step(steps, folded, [&](Value step, std::span<const Value> carried, bool whole) {
      std::vector<Value> next(carried.begin(), carried.end());
      at_tile(pass, step, whole, [&] {
        for (size_t i = 0; i < stage.size(); ++i) {
          const Value v = fold_chunks(stage[i]);
          for (size_t slot = 0; slot < slots; ++slot) {
            Value& at = next[i * slots + slot];
            at = b_.select(b_.eq(step, b_.literal(static_cast<int64_t>(slot))), v, at);
          }
        }
      });
      return next;
    });
    std::vector<Value> last;
    if (plan_.resident->last_width > 0)
      at_last_tile(pass, [&] {
        for (ValueId r : stage) last.push_back(fold_chunks(r));
      });
    return meet(stage, std::move(folded), std::move(last));
  }

  /// Of each reduce of a stage the folds of a program's chunks: of each slot's, and of the last tile's. Tiles are
  /// subtrees of the canonical order; all of a program are one if they are a power of two.
  std::vector<Value> meet(const std::vector<ValueId>& stage, std::vector<Value> folded, std::vector<Value> last) {
    const auto slots = static_cast<size_t>(plan_.resident->slots);
    for (size_t k = 0; k < folded.size(); ++k) folded[k] = b_.reduce(kind(stage[k / slots]), 0, folded[k]);
    for (size_t i = 0; i < last.size(); ++i) last[i] = b_.reduce(kind(stage[i]), 0, last[i]);
    std::vector<Value> sums;
    for (size_t i = 0; i < stage.size(); ++i) {
      const auto own = folded.begin() + static_cast<std::ptrdiff_t>(i * slots);
      std::vector<Value> tiles(own, own + static_cast<std::ptrdiff_t>(slots));
      if (!last.empty()) tiles.push_back(last[i]);
      if (!number_ || std::has_single_bit(slots)) tiles = {tree(kind(stage[i]), std::move(tiles))};
      sums.push_back(number_ ? b_.cluster_reduce(kind(stage[i]), tiles, std::ssize(tiles)) : b_.reshape(tiles[0], {1}));
    }
    return sums;
  }

  // Results along the axis -----------------------------------------------------------------------------------------

  void store_along_axis() {
    const auto store = [&] {
      for (const loop::Store& s : nest_.stores)
        if (folds_.is_inner(s)) e_.store(s);
    };
    if (!folds_.stores_along_axis() || extent_.is_constant(0)) return;
    hoist_invariants();
    if (plan_.single) {
      each_tile(b_.literal(0), true, [&](int64_t) { store(); });
      return;
    }
    each_step(all_steps(), {}, [&](Value step, std::span<const Value>, bool whole) {
      if (plan_.units_per_chunk() == 1) {
        each_tile(first_of(step), whole, [&](int64_t) { store(); });
      } else {
        loop(b_.literal(0), units_of(whole).value, {}, [&](Value unit, std::span<const Value>) {
          each_tile(b_.add(first_of(step), b_.mul(unit, b_.literal(plan_.unit_partials()))), whole,
                    [&](int64_t) { store(); });
          return std::vector<Value>{};
        });
      }
      return std::vector<Value>{};
    });
  }

  const loop::Nest& nest_;
  const size_t axis_;
  const Expr extent_;
  const FoldStages folds_;
  const RowPasses passes_;
  FoldPlan plan_;
  KernelWriter kernel_;
  NestEmitter e_;
  tile_ir::KernelBuilder& b_;
  const int64_t longest_;
  std::optional<PartOfChunk> part_;
  std::vector<CounterStore> counter_stores_;  ///< by number
  int counters_in_use_ = 0;
  size_t pass_ = 0;                                   ///< over the row
  std::optional<Value> number_;                       ///< of the program in its cluster
  std::map<ValueId, size_t> first_pass_;              ///< that needs a load which is kept
  std::map<int64_t, std::map<ValueId, Value>> kept_;  ///< of each tile of the only unit
};

}  // namespace

ScheduledKernel schedule_reduction(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                   const std::vector<std::string>& comments, const Target& target) {
  const loop::Nest joined = with_joint_reduction_axis(nest, program.ranges);
  const FoldStages folds(joined);
  const int32_t repeated_bytes = RowPasses(joined, folds).repeated_bytes();
  const FoldPlan plan = plan_fold(joined, target, folds.reads_again(), repeated_bytes);
  return FoldEmitter(program, joined, target, name, plan).run(comments);
}

bool leaves_processors_idle(const loop::Program& program, const loop::Nest& nest, const Target& target) {
  constexpr int64_t short_row = 16 * chunk;  // in the registers of one program
  int64_t rows = 1, length = 1;
  for (const loop::Axis& a : nest.axes) {
    if (!a.extent.constant()) return false;
    (a.reduction ? length : rows) *= *a.extent.constant();
  }
  if (rows >= target.processors || length <= short_row) return false;
  const loop::Nest joined = with_joint_reduction_axis(nest, program.ranges);
  const FoldStages folds(joined);
  return folds.reads_again() &&
         (target.folds != FoldStrategy::automatic || !plan_resident_rows(joined, target, RowPasses(joined, folds)));
}

std::optional<Candidate> resident_reduction(const loop::Program& program, const loop::Nest& nest,
                                            const std::string& name, const std::vector<std::string>& comments,
                                            const Target& target) {
  if (target.folds != FoldStrategy::automatic) return std::nullopt;
  loop::Nest joined = with_joint_reduction_axis(nest, program.ranges);
  const FoldStages folds(joined);
  const RowPasses passes(joined, folds);
  const auto plan = plan_resident_rows(joined, target, passes);
  if (!plan) return std::nullopt;
  return [&, name, joined = std::move(joined), plan = *plan] {
    return FoldEmitter(program, joined, target, name, plan).run(comments);
  };
}

}  // namespace sinter::schedule
