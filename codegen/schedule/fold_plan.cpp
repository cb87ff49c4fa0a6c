// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/fold_plan.h"

#include <algorithm>
#include <bit>

#include "codegen/schedule/lengths.h"
#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

constexpr int32_t chunk_partials = loop::reduction_partials;
constexpr int32_t max_warps = 16;

/// Tiles of 256 that cover n elements, as far as a chunk has them.
int32_t tiles_of(int64_t n) {
  return static_cast<int32_t>(std::clamp<int64_t>((n + chunk_partials - 1) / chunk_partials, 1, 4));
}

class Planner {
 public:
  Planner(const loop::Nest& nest, const Target& target, bool again)
      : nest_(nest), target_(target), again_(again), axis_(nest.axes.size() - 1), length_(planned_length()) {
    plan_.tiling.axes.resize(nest.axes.size());
  }

  FoldPlan run() {
    strip_ = contiguous_parallel_axis();
    if (!forced()) chosen();
    return plan_;
  }

  std::optional<FoldPlan> run_resident(int32_t bytes) {
    if (!target_.cuda || bytes == 0 || length_ >= unknown_length || contiguous_parallel_axis() >= 0)
      return std::nullopt;
    constexpr int64_t chunk_elements = loop::reduction_chunk;
    // Single elements of which only folds are made come better by bulk copies.
    const int64_t in_registers =
        target_.bulk_copies && !rows_are_aligned() && !stores_along_axis() ? 32 << 10 : 64 << 10;
    const int64_t chunks = (length_ - 1) / chunk_elements + 1;
    if (chunks * chunk_elements * bytes < in_registers) return std::nullopt;
    plan_.folds = 1;
    // Where only few programs fit a processor, they need twice the warps to hide what they wait for: with three of them
    // that is the loads of other rows than staged ones.
    const int64_t much = target_.shared_bytes / (target_.bulk_copies ? 3 : 4);
    for (int32_t warps = max_warps; warps >= 2; warps /= 2) {
      plan_.width = static_cast<int32_t>(warps * chunk_elements);
      plan_.tiling.num_warps = warps;
      plan_.resident = warps <= chunks ? spread_over_programs(bytes) : std::nullopt;
      if (!plan_.resident) continue;
      const bool alone = plan_.resident->cluster == 1;
      if (warps < max_warps || (alone && kept_elements() * bytes > much)) break;
    }
    if (!plan_.resident) return std::nullopt;
    place_rows(1);
    return plan_;
  }

 private:
  void chosen() {
    const bool columns = strip_ >= 0;
    if (columns && target_.cuda && !again_)
      columns_of_warps();
    else if (columns)
      columns_of_programs();
    else if (target_.cuda)
      rows_of_warps();
    else
      rows_of_programs();
  }

  int64_t kept_elements() const { return int64_t{plan_.resident->slots} * plan_.width + plan_.resident->last_width; }

  /// Programs of at most half of a processor's memory, so that one computes while another reads. A row that must be
  /// spread is spread over as many as it fills: smaller programs overlap better.
  std::optional<FoldPlan::Resident> spread_over_programs(int32_t bytes) const {
    constexpr int64_t chunk_elements = loop::reduction_chunk;
    constexpr int64_t beside = 1536;  // what warps exchange, and 1024 bytes of the system
    const int64_t room = (target_.shared_bytes / 2 - beside) / bytes;
    const auto whole = static_cast<int32_t>(length_ / plan_.width);
    const int64_t left = length_ % plan_.width;
    const auto last_width =
        left == 0 ? 0 : static_cast<int32_t>(covering((left - 1) / chunk_elements + 1) * chunk_elements);
    if (int64_t{whole} * plan_.width + last_width <= room) return FoldPlan::Resident{whole, 1, length_, last_width};
    std::optional<FoldPlan::Resident> found;
    for (int32_t cluster = 2; cluster <= target_.cluster; cluster *= 2) {
      const int64_t of_program = ((length_ - 1) / chunk_elements + cluster) / cluster;
      const int64_t share = std::max<int64_t>(covering(of_program) * chunk_elements, plan_.width);
      if (share > room) continue;
      const auto slots = static_cast<int32_t>(share / plan_.width);
      if (found && (share * cluster > found->share * found->cluster || slots < 2)) break;
      found = FoldPlan::Resident{slots, cluster, share, 0};
    }
    return found;
  }

  /// By the strategy that the target names; false if it cannot serve this fold.
  bool forced() {
    switch (target_.folds) {
      case FoldStrategy::rows_by_warps:
        return target_.cuda && (rows_of_warps(), true);
      case FoldStrategy::rows_by_elements:
        return target_.cuda && forced_rows_of_elements();
      case FoldStrategy::rows_by_programs:
        return rows_of_programs(), true;
      case FoldStrategy::columns_by_warps:
        return target_.cuda && forced_strip() && (columns_of_warps(), true);
      case FoldStrategy::columns_by_programs:
        return forced_strip() && (columns_of_programs(), true);
      default:
        return false;
    }
  }

  bool forced_strip() {
    if (strip_ < 0) strip_ = static_cast<int>(axis_) - 1;
    return strip_ >= 0;
  }

  bool forced_rows_of_elements() {
    if (length_ > 2 * max_warps * loop::reduction_chunk) return false;
    plan_.folds = 1;
    plan_.single = true;
    rows_of_elements(std::max<int64_t>(1, (length_ + loop::reduction_chunk - 1) / loop::reduction_chunk));
    return true;
  }

  int64_t planned_length() const {
    const bool as_unknown = target_.folds == FoldStrategy::looped || target_.folds == FoldStrategy::split;
    return as_unknown ? unknown_length : extent(axis_);
  }

  int64_t extent(size_t axis) const { return nest_.axes[axis].extent.constant().value_or(unknown_length); }

  /// Bytes of the narrowest element that is loaded along the axis.
  int32_t narrowest_load() const {
    const std::vector<loop::AxisSet> axes = loop::axis_dependence(nest_);
    int32_t bytes = 8;
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      const loop::Instruction& in = nest_.body[static_cast<loop::ValueId>(i)];
      if (in.kind == loop::InstructionKind::load && (axes[i] >> axis_ & 1) != 0)
        bytes = std::min(bytes, static_cast<int32_t>(in.attribute.bytes()));
    }
    return bytes;
  }

  /// Do all rows that are loaded start at a vector's boundary?
  bool rows_are_aligned() const {
    for (const loop::Instruction& in : nest_.body.instructions()) {
      if (in.kind != loop::InstructionKind::load) continue;
      const AxisStrides s = axis_strides(in.index[0], nest_.axes.size());
      if (!s[axis_] || !s[axis_]->is_constant(1)) continue;
      for (size_t a = 0; a < axis_; ++a)
        if (s[a] && s[a]->constant() && *s[a]->constant() * in.attribute.bytes() % 16 != 0) return false;
    }
    return true;
  }

  bool stores_along_axis() const {
    return std::ranges::any_of(nest_.stores, [&](const loop::Store& s) {
      const AxisStrides strides = axis_strides(s.index[0], nest_.axes.size());
      return !strides[axis_] || !strides[axis_]->is_constant(0);
    });
  }

  int64_t parallel_points() const {
    int64_t n = 1;
    for (size_t a = 0; a < axis_; ++a)
      n = std::min(unknown_length, n * std::min(extent(a), unknown_length / std::max<int64_t>(n, 1)));
    return n;
  }

  /// -1 if some access of folded elements is contiguous along the reduction axis.
  int contiguous_parallel_axis() const {
    int strip = -1;
    bool row = false;
    const auto consider = [&](Expr address) {
      const AxisStrides s = axis_strides(address, nest_.axes.size());
      if (s[axis_] && s[axis_]->is_constant(0)) return;
      row = row || (s[axis_] && s[axis_]->is_constant(1));
      for (size_t a = 0; a < axis_; ++a)
        if (s[a] && s[a]->is_constant(1) && extent(a) >= 4) strip = static_cast<int>(a);
    };
    for (const loop::Instruction& in : nest_.body.instructions())
      if (in.kind == loop::InstructionKind::load) consider(in.index[0]);
    for (const loop::Store& s : nest_.stores) consider(s.index[0]);
    return row ? -1 : strip;
  }

  void place(size_t axis, int32_t size) {
    plan_.tiling.axes[axis] = {AxisPlace::Kind::tile, static_cast<int>(plan_.tiling.dims.size()), size};
    plan_.tiling.dims.push_back(size);
  }

  void rows_of_programs() {
    plan_.single = length_ <= loop::reduction_chunk;
    plan_.width = std::min(covering(length_), chunk_partials);
    plan_.folds = tiles_of(length_);
    place_rows(plan_.folds == 1 ? rows_together(4 * target_.vector_bits / 32, 0) : 1);
    plan_.tiling.num_warps = 1;
  }

  void rows_of_warps() {
    plan_.folds = 1;
    if (length_ <= loop::reduction_chunk) return short_rows();
    const int64_t chunks = (length_ - 1) / loop::reduction_chunk + 1;
    plan_.single = chunks <= max_warps * 2;
    if (plan_.single && target_.folds != FoldStrategy::rows_by_warps && !rows_are_aligned())
      return rows_of_elements(chunks);
    plan_.runs = again_ || narrowest_ >= 8 ? 1 : 2;
    int32_t warps = again_ ? (length_ < unknown_length ? max_warps / 2 : 4) : 1;
    if (plan_.single) {
      warps = std::min(covering(chunks), max_warps);
      plan_.runs = static_cast<int32_t>((chunks + warps - 1) / warps);
    }
    plan_.width = warps * static_cast<int32_t>(loop::reduction_chunk);
    plan_.tiling.num_warps = warps;
    place_rows(1);
  }

  /// Without vectors the threads of all warps run along memory, and a program goes through exactly as many chunks as
  /// there are (with a chunk a warp, warps are a power of two, and those without a chunk idle).
  void rows_of_elements(int64_t chunks) {
    constexpr int64_t most_a_thread = 48, at_once = 8;
    const int32_t warps = chunks * loop::reduction_chunk > at_once * 32 * most_a_thread ? max_warps : at_once;
    plan_.width = static_cast<int32_t>(loop::reduction_chunk * warps / at_once);
    plan_.runs = static_cast<int32_t>((chunks * loop::reduction_chunk + plan_.width - 1) / plan_.width);
    plan_.tiling.num_warps = warps;
    place_rows(1);
  }

  /// Up to a chunk is a tile dim; a thread takes 8 elements, or a lane's share of a row.
  void short_rows() {
    plan_.single = true;
    plan_.width = covering(length_);
    const int32_t elements = 32 * std::max(8, plan_.width / 32);  // of a warp
    const int32_t together = rows_together(4 * elements, 2 * int64_t{target_.processors});
    place_rows(together);
    plan_.tiling.num_warps = std::clamp(together * plan_.width / elements, 1, 4);
  }

  void place_rows(int32_t together) {
    if (together > 1) place(axis_ - 1, together);
    plan_.dim = static_cast<int>(plan_.tiling.dims.size());
    place(axis_, plan_.width);
  }

  /// Short rows share a program of up to `elements`, as long as there are programs enough.
  int32_t rows_together(int32_t elements, int64_t programs) const {
    if (!plan_.single || axis_ == 0 || plan_.width >= elements) return 1;
    int32_t n = std::min<int32_t>(elements / plan_.width, covering(std::min<int64_t>(extent(axis_ - 1), elements)));
    while (n > 1 && parallel_points() / n < programs) n /= 2;
    return n;
  }

  /// A program keeps a strip of columns in registers.
  void columns_of_programs() {
    const int32_t wish = target_.cuda ? 32 : 2 * target_.vector_bits / 32;
    const int32_t most =
        target_.cuda ? chunk_partials : 8;  // registers hold one tile of `most` rows for each of `folds`
    plan_.single = length_ <= most || (most == chunk_partials && length_ <= loop::reduction_chunk);
    plan_.width = std::min(covering(length_), most);
    plan_.folds = plan_.single ? tiles_of(length_) : 4;
    place_columns(std::min(wish, covering(extent(static_cast<size_t>(strip_)))));
    // 4 elements a thread: 16 bytes of f32, and every tile of a unit is loaded before the first is used.
    const int64_t elements = int64_t{plan_.width} * plan_.tiling.dims[1];
    plan_.tiling.num_warps = target_.cuda ? static_cast<int>(std::clamp<int64_t>(elements / 128, 1, 16)) : 1;
  }

  /// A warp goes down a strip of 256 bytes: a lane loads a vector from each of 16 rows, and folds in its registers.
  void columns_of_warps() {
    const int32_t vector = std::max(1, 16 / narrowest_);
    const int32_t strip = std::min({std::min(128, 256 / narrowest_), covering(extent(static_cast<size_t>(strip_)))});
    const int32_t rows = std::clamp(32 * 4 * vector / strip, 1, chunk_partials);
    plan_.single = length_ <= std::min(4 * rows, chunk_partials);
    plan_.width = plan_.single ? covering(length_) : std::min(rows, chunk_partials / 2);
    plan_.folds = plan_.single ? 1 : 4;
    place_columns(strip);
    plan_.tiling.num_warps = 1;
  }

  void place_columns(int32_t strip) {
    plan_.dim = 0;
    place(axis_, plan_.width);
    place(static_cast<size_t>(strip_), strip);
  }

  const loop::Nest& nest_;
  const Target& target_;
  const bool again_;
  const size_t axis_;
  const int64_t length_;
  const int32_t narrowest_ = narrowest_load();
  int strip_ = -1;
  FoldPlan plan_;
};

}  // namespace

FoldPlan plan_fold(const loop::Nest& nest, const Target& target, bool again) {
  return Planner(nest, target, again).run();
}

std::optional<FoldPlan> plan_resident_rows(const loop::Nest& nest, const Target& target, const RowPasses& passes) {
  std::optional<FoldPlan> plan = Planner(nest, target, true).run_resident(passes.kept_bytes());
  if (plan) plan->resident->staged = target.bulk_copies && plan->resident->cluster == 1 && passes.kept_is_only_read();
  return plan;
}

}  // namespace sinter::schedule
