// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/fold_plan.h"

#include <algorithm>
#include <bit>

#include "codegen/schedule/cost.h"
#include "codegen/schedule/fold_stages.h"
#include "codegen/schedule/lengths.h"
#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using loop::InstructionKind;

constexpr int32_t chunk_partials = loop::reduction_partials;
constexpr int32_t max_warps = 16;

/// Tiles of 256 that cover n elements, as far as a chunk has them.
int32_t tiles_of(int64_t n) {
  return static_cast<int32_t>(std::clamp<int64_t>((n + chunk_partials - 1) / chunk_partials, 1, 4));
}

class Planner {
 public:
  Planner(const loop::Nest& nest, const Target& target, bool again, int32_t repeated_bytes = 0)
      : nest_(nest),
        target_(target),
        again_(again),
        repeated_bytes_(repeated_bytes),
        axis_(nest.axes.size() - 1),
        length_(planned_length()) {
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
    const FoldStages folds(nest_);
    for (const auto& stage : folds.stages())
      most_of_stage_ = std::max(most_of_stage_, static_cast<int64_t>(stage.size()));
    const int64_t rows = std::max<int64_t>(parallel_points(), 1);
    const auto programs = static_cast<int32_t>(std::min<int64_t>(target_.processors / rows, target_.cluster));
    const bool few = programs > 1 && keep_few_rows(bytes, programs);
    if (!few && !keep_rows(bytes, rows)) return std::nullopt;
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

  // Rows that stay ----------------------------------------------------------------------------------------------------

  int64_t chunks_of_row() const { return (length_ - 1) / loop::reduction_chunk + 1; }

  /// Does a program's share fit where so many programs have a processor's memory? With what warps and clusters
  /// exchange, and 1024 bytes of the system.
  bool fits(const FoldPlan::Resident& r, int32_t bytes, int programs, int32_t warps) const {
    const int64_t folds =
        std::ranges::count(nest_.body.instructions(), loop::InstructionKind::reduce, &loop::Instruction::kind);
    const int64_t tiles = r.slots + (r.last_width > 0 ? 1 : 0);
    const int64_t meeting = r.cluster == 1 ? 0 : 8 * folds * r.slots;
    const int64_t exchange = std::max<int64_t>(512, 8 * most_of_stage_ * tiles * warps);
    return r.share * bytes + meeting + exchange + 1024 <= target_.shared_bytes / programs;
  }

  /// A row over programs of so many warps. One alone has a tile for what is left behind its whole ones, a power of two
  /// of chunks; those of a cluster have whole tiles, so that tiles are subtrees of the canonical order.
  FoldPlan::Resident spread(int32_t warps, int32_t cluster) const {
    constexpr auto chunk = static_cast<int32_t>(loop::reduction_chunk);
    const auto share = static_cast<int32_t>((chunks_of_row() + cluster - 1) / cluster);
    FoldPlan::Resident r{share / warps, covering(share % warps) * chunk, cluster, 0};
    if (share % warps == 0 || cluster > 1 || r.slots == 0 || r.last_width == warps * chunk) {
      r.slots = (share + warps - 1) / warps;
      r.last_width = 0;
    }
    r.share = int64_t{r.slots} * warps * chunk + r.last_width;
    return r;
  }

  void keep_in(const FoldPlan::Resident& r, int32_t warps) {
    plan_.folds = 1;
    plan_.width = static_cast<int32_t>(warps * loop::reduction_chunk);
    plan_.tiling.num_warps = warps;
    plan_.resident = r;
  }

  /// A row that is one of few, over `programs`: a tile for each.
  bool keep_few_rows(int32_t bytes, int32_t programs) {
    const int64_t share = (chunks_of_row() + programs - 1) / programs;
    if (chunks_of_row() <= max_warps || share > max_warps) return false;
    int32_t warps = covering(share);
    if (warps > share + share / 4) warps /= 2;  // too many would have no chunk
    const FoldPlan::Resident r = spread(std::min(warps, max_warps), programs);
    if (!fits(r, bytes, 1, std::min(warps, max_warps))) return false;
    keep_in(r, std::min(warps, max_warps));
    return true;
  }

  bool keep_rows(int32_t bytes, int64_t rows) {
    // Single elements of which only folds are made come better by bulk copies.
    const bool by_copies = target_.bulk_copies && !are_aligned(axis_) && !stores_along_axis();
    const int64_t in_registers = by_copies ? 32 << 10 : 64 << 10;
    if (chunks_of_row() * loop::reduction_chunk * bytes < in_registers) return false;
    for (const int programs : {2, 1}) {
      if (programs == 1 && (target_.cluster == 1 || rows < target_.processors)) break;
      // Where only few programs fit a processor, they need twice the warps to hide what they wait for: with three of
      // them that is the loads of other rows than staged ones.
      const FoldPlan::Resident alone = spread(max_warps, 1);
      const int64_t much = target_.shared_bytes / (target_.bulk_copies ? 3 : 4);
      if (fits(alone, bytes, programs, max_warps) && alone.share * bytes > much) {
        keep_in(alone, max_warps);
        return true;
      }
      for (int32_t warps = max_warps / 2; warps >= 2; warps /= 2)
        if (const auto r = spread_over_programs(bytes, warps, programs)) {
          keep_in(*r, warps);
          return true;
        }
    }
    return false;
  }

  /// As few programs as hold a row if that is one; else as many as it fills.
  std::optional<FoldPlan::Resident> spread_over_programs(int32_t bytes, int32_t warps, int programs) const {
    if (warps > chunks_of_row()) return std::nullopt;
    if (const FoldPlan::Resident alone = spread(warps, 1); fits(alone, bytes, programs, warps)) return alone;
    std::optional<FoldPlan::Resident> found;
    const auto kept = [](const FoldPlan::Resident& r) { return r.share * r.cluster; };
    for (int32_t cluster = 2; cluster <= target_.cluster; ++cluster) {
      const FoldPlan::Resident r = spread(warps, cluster);
      if (!fits(r, bytes, programs, warps)) continue;
      if (found && r.slots < 2) break;
      if (!found || kept(r) <= std::max(kept(*found), length_ + length_ / 16)) found = r;
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

  /// Do all lines of memory along an axis that are loaded start at a vector's boundary?
  bool are_aligned(size_t along) const {
    for (const loop::Instruction& in : nest_.body.instructions()) {
      if (in.kind != loop::InstructionKind::load) continue;
      const AxisStrides s = axis_strides(in.index[0], nest_.axes.size());
      if (!s[along] || !s[along]->is_constant(1)) continue;
      for (size_t a = 0; a < s.size(); ++a)
        if (a != along && s[a] && s[a]->constant() && *s[a]->constant() * in.attribute.bytes() % 16 != 0) return false;
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

  /// -1 if folded elements lie side by side along the reduction axis: where they are loaded, or, if no load tells,
  /// where results of theirs are stored. What is stored across the loads is transposed on the way.
  int contiguous_parallel_axis() const {
    int strip = -1;
    bool row = false;
    const auto consider = [&](Expr address) {
      const AxisStrides s = axis_strides(address, nest_.axes.size());
      if (s[axis_] && s[axis_]->is_constant(0)) return;
      const auto varies = [](const auto& stride) { return !stride || !stride->is_constant(0); };
      const auto parallel = s.begin() + static_cast<std::ptrdiff_t>(axis_);
      if (axis_ > 0 && std::none_of(s.begin(), parallel, varies)) return;  // a weight, the same for all rows
      row = row || (s[axis_] && s[axis_]->is_constant(1));
      for (size_t a = 0; a < axis_; ++a)
        if (s[a] && s[a]->is_constant(1) && extent(a) >= 4) strip = static_cast<int>(a);
    };
    for (const loop::Instruction& in : nest_.body.instructions())
      if (in.kind == loop::InstructionKind::load) consider(in.index[0]);
    if (!row && strip < 0)
      for (const loop::Store& s : nest_.stores) consider(s.index[0]);
    return row ? -1 : strip;
  }

  void place(size_t axis, int32_t size) {
    plan_.tiling.axes[axis] = {AxisPlace::Kind::tile, static_cast<int>(plan_.tiling.dims.size()), size};
    plan_.tiling.dims.push_back(size);
  }

  void rows_of_programs() {
    if (!target_.cuda && length_ > loop::reduction_chunk && is_long_code()) return rows_of_chunks();
    plan_.single = length_ <= loop::reduction_chunk;
    plan_.width = std::min(covering(length_), chunk_partials);
    plan_.folds = tiles_of(length_);
    place_rows(plan_.folds == 1 ? rows_together(4 * target_.vector_bits / 32, 0) : 1);
    plan_.tiling.num_warps = 1;
  }

  /// Would the instructions of a chunk's vectors be many?
  bool is_long_code() const {
    constexpr int many = 16;
    const std::vector<loop::AxisSet> axes = loop::axis_dependence(nest_);
    int n = 0;
    for (size_t i = 0; i < nest_.body.size(); ++i) {
      if ((axes[i] >> axis_ & 1) == 0) continue;
      const loop::Instruction& in = nest_.body[static_cast<loop::ValueId>(i)];
      if (in.kind == InstructionKind::scalar) n += instruction_weight_on_cpu(in.op, in.type);
      if (in.kind != InstructionKind::load) continue;
      const AxisStrides strides = axis_strides(in.index[0], nest_.axes.size());
      if (in.operands[0] >= 0 || !std::ranges::all_of(strides, [](const auto& s) { return s.has_value(); }))
        return true;
    }
    return n >= many;
  }

  void rows_of_chunks() {
    constexpr int64_t cached_bytes = 256 << 10;
    plan_.width = loop::reduction_chunk;
    plan_.folds = 1;
    plan_.tiling.num_warps = 1;
    const int64_t chunks = (length_ - 1) / loop::reduction_chunk + 1;
    if (repeated_bytes_ > 0 && chunks * loop::reduction_chunk * repeated_bytes_ <= cached_bytes)
      plan_.kept_tiles = chunks;
    place_rows(1);
  }

  void rows_of_warps() {
    plan_.folds = 1;
    if (length_ <= loop::reduction_chunk) return short_rows();
    const int64_t chunks = (length_ - 1) / loop::reduction_chunk + 1;
    plan_.single = chunks <= max_warps * 2;
    if (plan_.single && target_.folds != FoldStrategy::rows_by_warps && !are_aligned(axis_))
      return rows_of_elements(chunks);
    plan_.runs = again_ || narrowest_ >= 8 ? 1 : 2;
    int32_t warps = again_ ? (length_ < unknown_length ? max_warps / 2 : 4) : 1;
    const int64_t rows = parallel_points(), few = 32 * int64_t{target_.processors};
    if (!again_ && rows <= few && chunks <= few / std::max<int64_t>(rows, 1)) {
      // Not a chunk for each warp that the machine wants: more programs, and of more warps, to have more under way.
      plan_.runs = 1;
      warps = 4;
    }
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

  /// A program keeps a strip of columns in registers, or partial sums of a wider one in memory.
  void columns_of_programs() {
    if (const int32_t strip = !target_.cuda && length_ > 8 ? strip_of_rows() : 0; strip > 0)
      return rows_of_strips(strip);
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

  /// On the CPU: columns of a strip that is read row by row, in long runs; 0 where what is read again would not lie in
  /// cache.
  int32_t strip_of_rows() const {
    constexpr int32_t widest = 1024, narrow = 128;
    constexpr int64_t cached_bytes = 512 << 10;
    const int64_t columns = extent(static_cast<size_t>(strip_));
    int32_t words = 0;  // of a column's partial sums
    for (const loop::Instruction& in : nest_.body.instructions())
      if (in.kind == InstructionKind::reduce) words += std::max(1, in.type.bytes() / 4);
    int32_t strip = columns < unknown_length ? std::min(widest, covering(columns)) : narrow;
    const auto too_wide = [&] {
      const int64_t padded = (columns + strip - 1) / strip * strip;
      return strip * words > widest || padded > columns + columns / 4;
    };
    while (strip > narrow && too_wide()) strip /= 2;
    const bool in_cache = !again_ || length_ <= cached_bytes / (strip * int64_t{8});
    return strip * words <= 2 * widest && in_cache ? strip : 0;
  }

  /// A strip's partial sums are those of a few rows, each with the rows 256, 512 and 768 further on: as many as give
  /// work for a turn of the counter.
  void rows_of_strips(int32_t strip) {
    plan_.width = 1;
    plan_.beside = std::clamp(256 / strip, 4, 16);
    plan_.folds = tiles_of(length_);
    plan_.tiling.num_warps = 1;
    place_columns(strip);
  }

  /// A warp goes down a strip of 256 bytes: a lane loads a vector from each of 16 rows, and folds in its registers.
  /// Where rows start anywhere it loads elements, so many fewer that enough warps fit a processor.
  void columns_of_warps() {
    const auto along = static_cast<size_t>(strip_);
    const bool vectors = extent(along) < unknown_length && are_aligned(along);
    const int32_t of_lane = vectors ? 4 * std::max(1, 16 / narrowest_) : 8;
    const int32_t widest = vectors ? std::min(128, 256 / narrowest_) : 64;
    const int32_t strip = std::min(widest, covering(extent(along)));
    const int32_t rows = std::clamp(32 * of_lane / strip, 1, chunk_partials);
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
  const int32_t repeated_bytes_;
  const size_t axis_;
  const int64_t length_;
  const int32_t narrowest_ = narrowest_load();
  int strip_ = -1;
  int64_t most_of_stage_ = 1;  ///< folds whose warps meet together
  FoldPlan plan_;
};

}  // namespace

FoldPlan plan_fold(const loop::Nest& nest, const Target& target, bool again, int32_t repeated_bytes) {
  return Planner(nest, target, again, repeated_bytes).run();
}

std::optional<FoldPlan> plan_resident_rows(const loop::Nest& nest, const Target& target, const RowPasses& passes) {
  std::optional<FoldPlan> plan = Planner(nest, target, true).run_resident(passes.kept_bytes());
  if (plan) plan->resident->staged = target.bulk_copies && plan->resident->cluster == 1 && passes.kept_is_only_read();
  return plan;
}

}  // namespace sinter::schedule
