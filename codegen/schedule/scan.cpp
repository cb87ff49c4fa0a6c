// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/scan_plan.h"
#include "codegen/schedule/strategies.h"
#include "codegen/schedule/tile_scan.h"
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
        plan_(plan_scan(nest, axis_, target, most)),
        scans_(find_scans(nest_)),
        dependence_(loop::axis_dependence(nest_)),
        kernel_(program, target, name),
        e_(kernel_, nest_, plan_.tiling),
        b_(kernel_.builder()) {}

  ScheduledKernel run(const std::vector<std::string>& comments) {
    e_.decode_program_id(b_.program_id());
    const Expr tiles = ceildiv(extent_, Expr(int64_t{plan_.width}));
    const int64_t most_tiles = e_.ranges().of(tiles).second;
    if (most_tiles <= 1)
      scan_only_tile();
    else
      scan_tiles(tiles, most_tiles);
    ScheduledKernel k = kernel_.finish(e_.programs(), comments, plan_.tiling.num_warps);
    k.elements_per_program = e_.elements_per_program() * std::clamp<int64_t>(most_tiles, 1, 1024);
    k.cost = cost_of(kernel_.program(), nest_);
    return k;
  }

 private:
  void scan_only_tile() {
    e_.set_origin(axis_, b_.literal(0));
    for (const TogetherScanned& s : scans_) {
      TileScan scan(b_, s.kind, element_type(s), plan_.dim, 0, false);
      set_results(s, scan.scan(values_of(s)));
    }
    for (const loop::Store& s : nest_.stores) e_.store(s);
  }

  void scan_tiles(Expr tiles, int64_t most_tiles) {
    const int64_t of_chunk = loop::scan_chunk / plan_.width;
    const int levels = std::bit_width(static_cast<uint64_t>(std::min(most_tiles, of_chunk) - 1));
    std::vector<TileScan> scans;
    std::vector<Value> start;
    for (const TogetherScanned& s : scans_) {
      scans.emplace_back(b_, s.kind, element_type(s), plan_.dim, levels, most_tiles > of_chunk);
      tile_ir::Type end = shape_of(s);
      end.dims[static_cast<size_t>(plan_.dim)] = 1;
      const std::vector<Value> own = scans.back().start(end);
      start.insert(start.end(), own.begin(), own.end());
    }
    hoist_invariants();
    const NestEmitter::Memo before = e_.memo();
    b_.for_loop(b_.literal(0), e_.scalar_of(simplify(tiles, e_.ranges())), b_.literal(1), start,
                [&](Value tile, std::span<const Value> carried) {
                  e_.forget_axis(axis_);
                  e_.set_origin(axis_, b_.mul(tile, b_.literal(plan_.width)));
                  const Value number = b_.bit_and(tile, b_.literal(of_chunk - 1));
                  return scan_tile(scans, number, b_.eq(number, b_.literal(of_chunk - 1)), carried);
                });
    e_.restore(before);
  }

  std::vector<Value> scan_tile(std::vector<TileScan>& scans, Value number, Value last, std::span<const Value> carried) {
    std::vector<Value> next;
    for (size_t i = 0; i < scans.size(); ++i) {
      const size_t n = scans[i].carried_size();
      TileScan::Step step = scans[i].step(number, last, values_of(scans_[i]), carried.subspan(next.size(), n));
      set_results(scans_[i], step.scanned);
      next.insert(next.end(), step.carried.begin(), step.carried.end());
    }
    for (const loop::Store& s : nest_.stores) e_.store(s);
    return next;
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
  const ScanPlan plan_;
  const std::vector<TogetherScanned> scans_;
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
