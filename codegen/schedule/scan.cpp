// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>

#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/scan_plan.h"
#include "codegen/schedule/strategies.h"
#include "codegen/schedule/tile_scan.h"
#include "runtime/device/backend.h"
#include "src/loop/scan_combine.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using graph::ScanKind;
using loop::ValueId;
using tile_ir::Value;

/// Scans that are made together: of elements, and of pairs with their positions if those are wanted too.
struct TogetherScanned {
  ScanKind kind;
  ValueId operand = -1, position = -1;
  ValueId elements = -1, positions = -1;  ///< what the nest calls the results; -1: not wanted
};

std::vector<TogetherScanned> find_scans(const loop::Nest& nest) {
  std::vector<TogetherScanned> scans;
  const std::vector<bool> live = loop::live_instructions(nest);
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const loop::Instruction& in = nest.body[id];
    if (in.kind != loop::InstructionKind::scan || !live[i]) continue;
    const auto kind = static_cast<ScanKind>(in.id);
    const bool largest = kind == ScanKind::amax || kind == ScanKind::argmax;
    const ScanKind values = largest ? ScanKind::amax : ScanKind::amin,
                   pairs = largest ? ScanKind::argmax : ScanKind::argmin;
    const bool extreme = kind == values || kind == pairs;
    auto same = std::ranges::find_if(scans, [&](const TogetherScanned& s) {
      return extreme && s.operand == in.operands[0] && (s.kind == values || s.kind == pairs);
    });
    if (same == scans.end()) same = scans.insert(scans.end(), {.kind = kind, .operand = in.operands[0]});
    TogetherScanned& s = *same;
    if (scalar::scans_pairs(kind)) {
      s.kind = kind;
      s.position = in.operands[1];
      s.positions = id;
    } else {
      s.elements = id;
    }
  }
  return scans;
}

/// The scanned axis counts as none of the programs': a program goes along it.
loop::Nest with_own_axis(loop::Nest nest, size_t axis) {
  nest.axes[axis].reduction = true;
  return nest;
}

/// Writes a nest that scans: a loop over the tiles of the axis, each of which is computed, scanned and stored.
class ScanEmitter {
 public:
  ScanEmitter(const loop::Program& program, const loop::Nest& nest, const Target& target, const std::string& name,
              int32_t most)
      : axis_(*loop::scan_axis(nest)),
        nest_(with_own_axis(nest, axis_)),
        extent_(nest.axes[axis_].extent),
        scans_(find_scans(nest_)),
        plan_(plan_scan(nest, axis_, target, wishes(target, most))),
        dependence_(loop::axis_dependence(nest_)),
        kernel_(program, target, name),
        e_(kernel_, nest_, plan_.tiling),
        b_(kernel_.builder()) {}

  ScheduledKernel run(const std::vector<std::string>& comments) {
    const Expr grid = plan_.over_grid ? scan_over_grid() : scan_alone();
    ScheduledKernel k = kernel_.finish(grid, comments, plan_.tiling.num_warps);
    const int64_t longest = plan_.over_grid ? loop::scan_chunk : e_.ranges().of(extent_).second;
    const int64_t tiles = std::clamp<int64_t>((longest - 1) / plan_.width + 1, 1, 1024);
    k.elements_per_program = e_.elements_per_program() * tiles;
    k.cost = cost_of(kernel_.program(), nest_);
    return k;
  }

 private:
  /// A program scans whole rows or columns.
  Expr scan_alone() {
    e_.decode_program_id(b_.program_id());
    const Expr tiles = ceildiv(extent_, Expr(int64_t{plan_.width}));
    const int64_t most_tiles = e_.ranges().of(tiles).second;
    if (most_tiles <= 1)
      scan_only_tile();
    else
      scan_tiles(tiles, most_tiles);
    return e_.programs();
  }

  void scan_only_tile() {
    e_.set_origin(axis_, b_.literal(0));
    for (const TogetherScanned& s : scans_) {
      TileScan scan(b_, s.kind, element_type(s), plan_.dim, 0, false);
      set_results(s, scan.scan(values_of(s)).scanned);
    }
    store();
  }

  void store() {
    for (const loop::Store& s : nest_.stores) e_.store(s);
  }

  // Over the grid -----------------------------------------------------------------------------------------------------

  /// Places of a ring: more than programs can be running.
  static int64_t places(const Target& t, int warps) {
    return t.cuda ? (t.processors * std::max(1, 64 / warps) / 64 + 1) * 64 : 1024;
  }

  /// Is there memory for two rings? A place has two words of 32 bits for each half of a value.
  bool has_ring(const TogetherScanned& s, const Target& t, int32_t most) const {
    const auto warps = static_cast<int>(loop::scan_chunk / 32 / most);
    const int halves = element_type(s).bits() / 32 + (scalar::scans_pairs(s.kind) ? 2 : 0);
    return 4 + 4 * places(t, warps) * std::max(1, halves) <= device::arrival_words;
  }

  /// A program scans one chunk, in the order of tickets, since it waits for those before it.
  Expr scan_over_grid() {
    const Expr pieces = simplify(ceildiv(extent_, Expr(loop::scan_chunk)), e_.ranges()), rows = e_.programs();
    const Expr grid = simplify(rows * pieces, e_.ranges());
    TileScan::Meeting m;
    m.words = kernel_.arrivals();
    m.places = places(kernel_.target(), plan_.tiling.num_warps);
    m.count = e_.scalar_of(grid);
    m.number = m.piece = b_.ticket(m.words, m.count);
    Value row = b_.literal(0);
    if (!rows.is_constant(1)) {
      m.piece = b_.irem(m.number, e_.scalar_of(pieces));
      row = b_.idiv(m.number, e_.scalar_of(pieces));
    }
    e_.decode_program_id(row);
    hoist_invariants();
    const Value first = b_.mul(m.piece, b_.literal(loop::scan_chunk));
    plan_.width == loop::scan_chunk ? scan_chunk_at_once(m, first) : scan_chunk_twice(m, first);
    return grid;
  }

  /// The chunk is one tile, which stays in registers while the program waits.
  void scan_chunk_at_once(const TileScan::Meeting& m, Value first) {
    const TogetherScanned& s = scans_[0];
    TileScan scan(b_, s.kind, element_type(s), plan_.dim, 0, false);
    e_.set_origin(axis_, first);
    const TileScan::Tile tile = scan.scan(values_of(s));
    set_results(s, scan.combined(scan.before(m, tile.end), tile.scanned));
    store();
  }

  /// First what the chunk ends with, then, from cache, its elements.
  void scan_chunk_twice(const TileScan::Meeting& m, Value first) {
    const TogetherScanned& s = scans_[0];
    const int64_t of_chunk = loop::scan_chunk / plan_.width;
    const int levels = std::bit_width(static_cast<uint64_t>(of_chunk - 1));
    std::vector<TileScan> scans{TileScan(b_, s.kind, element_type(s), plan_.dim, levels, true)};
    TileScan& scan = scans[0];
    const size_t n = scan.carried_size() / static_cast<size_t>(levels + 1);
    const Value left =
        b_.sub(e_.scalar_of(ceildiv(extent_, Expr(int64_t{plan_.width}))), b_.mul(m.piece, b_.literal(of_chunk)));
    const Value tiles = b_.min(left, b_.literal(of_chunk));
    std::vector<Value> start = scan.start(end_of(s));
    const std::vector<Value> own = each_tile(first, tiles, start, [&](Value number, std::span<const Value> carried) {
      return scan.carry_on(number, is_last(number), carried, scan.scan(values_of(s)).end);
    });
    const std::vector<Value> before = scan.before(m, std::span(own).last(n));
    std::ranges::copy(before, start.end() - static_cast<std::ptrdiff_t>(n));
    each_tile(first, tiles, start,
              [&](Value number, std::span<const Value> carried) { return scan_tile(scans, number, carried); });
  }

  // Tile by tile ------------------------------------------------------------------------------------------------------

  /// Is it the last tile of its chunk?
  Value is_last(Value number) { return b_.eq(number, b_.literal(loop::scan_chunk / plan_.width - 1)); }

  using TileBody = std::function<std::vector<Value>(Value number, std::span<const Value> carried)>;

  /// body(number in its chunk, carried) for each tile from element `first` on.
  std::vector<Value> each_tile(Value first, Value tiles, const std::vector<Value>& start, const TileBody& body) {
    const NestEmitter::Memo before = e_.memo();
    std::vector<Value> carried =
        b_.for_loop(b_.literal(0), tiles, b_.literal(1), start, [&](Value tile, std::span<const Value> c) {
          e_.forget_axis(axis_);
          e_.set_origin(axis_, b_.add(first, b_.mul(tile, b_.literal(plan_.width))));
          return body(b_.bit_and(tile, b_.literal(loop::scan_chunk / plan_.width - 1)), c);
        });
    e_.restore(before);
    return carried;
  }

  void scan_tiles(Expr tiles, int64_t most_tiles) {
    const int64_t of_chunk = loop::scan_chunk / plan_.width;
    const int levels = std::bit_width(static_cast<uint64_t>(std::min(most_tiles, of_chunk) - 1));
    std::vector<TileScan> scans;
    std::vector<Value> start;
    for (const TogetherScanned& s : scans_) {
      scans.emplace_back(b_, s.kind, element_type(s), plan_.dim, levels, most_tiles > of_chunk);
      const std::vector<Value> own = scans.back().start(end_of(s));
      start.insert(start.end(), own.begin(), own.end());
    }
    hoist_invariants();
    each_tile(b_.literal(0), e_.scalar_of(simplify(tiles, e_.ranges())), start,
              [&](Value number, std::span<const Value> carried) { return scan_tile(scans, number, carried); });
  }

  std::vector<Value> scan_tile(std::vector<TileScan>& scans, Value number, std::span<const Value> carried) {
    std::vector<Value> next;
    for (size_t i = 0; i < scans.size(); ++i) {
      const auto own = carried.subspan(next.size(), scans[i].carried_size());
      const auto [scanned, end] = scans[i].scan(values_of(scans_[i]));
      const std::vector<Value> carried_on = scans[i].carry_on(number, is_last(number), own, end);
      set_results(scans_[i], scans[i].take_in(number, own, scanned));
      next.insert(next.end(), carried_on.begin(), carried_on.end());
    }
    store();
    return next;
  }

  ScanWishes wishes(const Target& target, int32_t most) const {
    constexpr size_t cheap = 16;  ///< instructions of a combine
    const bool dear = std::ranges::any_of(scans_, [&](const TogetherScanned& s) {
      return loop::scan_combine(s.kind, element_type(s)).body.size() > cheap;
    });
    const bool may_spread = scans_.size() == 1 && has_ring(scans_[0], target, most);
    return {.most = most, .may_spread = may_spread, .dear = dear};
  }

  DType element_type(const TogetherScanned& s) const { return nest_.body[s.operand].type; }

  /// What a scan's elements vary with, and the scanned axis.
  tile_ir::Type shape_of(const TogetherScanned& s) const {
    std::vector<int32_t> dims(plan_.tiling.dims.size(), 1);
    const loop::AxisSet axes = dependence_[static_cast<size_t>(s.operand)] | loop::AxisSet{1} << axis_;
    for (size_t a = 0; a < nest_.axes.size(); ++a) {
      const AxisPlace& p = plan_.tiling.axes[a];
      if (p.kind == AxisPlace::Kind::tile && (axes >> a & 1) != 0) dims[static_cast<size_t>(p.dim)] = p.size;
    }
    return tile_ir::Type::tile(f32, dims);
  }

  /// Shape of what a tile ends with.
  tile_ir::Type end_of(const TogetherScanned& s) const {
    tile_ir::Type end = shape_of(s);
    end.dims[static_cast<size_t>(plan_.dim)] = 1;
    return end;
  }

  std::vector<Value> values_of(const TogetherScanned& s) {
    std::vector<Value> values{b_.broadcast(e_.value(s.operand), shape_of(s))};
    if (scalar::scans_pairs(s.kind)) values.push_back(b_.broadcast(e_.value(s.position), shape_of(s)));
    return values;
  }

  void set_results(const TogetherScanned& s, const std::vector<Value>& scanned) {
    if (s.elements >= 0) e_.set_value(s.elements, scanned[0]);
    if (s.positions >= 0) e_.set_value(s.positions, scanned[1]);
  }

  /// Computes before the loop what is the same for all its tiles.
  void hoist_invariants() {
    const std::vector<bool> live = loop::live_instructions(nest_);
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const bool varies = (dependence_[i] >> axis_ & 1) != 0;
      if (live[i] && !varies && nest_.body[id].kind != loop::InstructionKind::constant) e_.value(id);
    }
  }

  const size_t axis_;
  const loop::Nest nest_;
  const Expr extent_;
  const std::vector<TogetherScanned> scans_;
  const ScanPlan plan_;
  const std::vector<loop::AxisSet> dependence_;
  KernelWriter kernel_;
  NestEmitter e_;
  tile_ir::KernelBuilder& b_;
};

}  // namespace

ScheduledKernel schedule_scan(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                              const std::vector<std::string>& comments, const Target& target, int32_t most) {
  return ScanEmitter(program, nest, target, name, most).run(comments);
}

}  // namespace sinter::schedule
