// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/grid_split.h"

#include <algorithm>
#include <bit>

#include "runtime/device/backend.h"
#include "src/loop/canonical_fold.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

int64_t power_of_two_from(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(n, 1))));
}

/// Programs that keep the machine busy and even out: on CUDA about two rounds of resident blocks.
int64_t wanted_programs(const FoldPlan& plan, const Target& target) {
  const int64_t a_processor = target.cuda ? std::clamp(32 / plan.tiling.num_warps, 4, 16) : 8;
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(a_processor * target.processors)));
  return std::clamp<int64_t>(n, 2, device::arrival_words);
}

/// A shorter run is not worth an arrival.
int64_t fewest_chunks(const FoldPlan& plan, const Target& target) {
  const int64_t elements = target.cuda ? 8192 : 65536;
  int64_t a_chunk = loop::reduction_chunk;
  for (size_t d = 0; d < plan.tiling.dims.size(); ++d)
    if (static_cast<int>(d) != plan.dim) a_chunk *= plan.tiling.dims[d];
  return std::max<int64_t>(plan.chunks, power_of_two_from(elements / a_chunk));
}

/// least * 4^m (later 64^m) for the smallest m with at least total / programs.
Expr chosen_at_launch(Expr total, int64_t largest, int64_t least, int64_t programs) {
  Expr chunks = least;
  int64_t run = least;
  for (int step = 0; run < (largest - 1) / programs + 1; ++step) {
    const int64_t factor = step < 6 ? 4 : 64;
    const Expr is_more = min(Expr(1), floordiv(total - Expr(1), Expr(run * programs)));
    chunks = chunks + Expr(run * (factor - 1)) * is_more;
    run *= factor;
  }
  return chunks;
}

}  // namespace

std::optional<GridSplit> split_over_grid(const FoldPlan& plan, Expr extent, Expr groups, const Target& target,
                                         const graph::Ranges& ranges) {
  const int64_t programs = wanted_programs(plan, target), least = fewest_chunks(plan, target);
  const Expr chunks = ceildiv(extent, Expr(loop::reduction_chunk));
  constexpr int64_t unbounded = int64_t{1} << 52;
  const auto most_of = [&](Expr e) { return std::clamp<int64_t>(ranges.of(e).second, 0, unbounded); };
  if (most_of(chunks) <= least || ranges.of(groups).first >= programs) return std::nullopt;
  const Expr total = max(simplify(groups * chunks, ranges), Expr(1));
  GridSplit split;
  if (const auto n = total.constant(); n && chunks.constant()) {
    split.chunks = std::max(least, power_of_two_from((*n - 1) / programs + 1));
    split.pieces = ceildiv(chunks, split.chunks);
    split.most = static_cast<int32_t>(*split.pieces.constant());
    return split.most > 1 ? std::optional(split) : std::nullopt;
  }
  split.chunks = chosen_at_launch(total, most_of(total), least, programs);
  split.pieces = max(Expr(1), ceildiv(chunks, split.chunks));
  split.most = static_cast<int32_t>(programs);
  return split;
}

}  // namespace sinter::schedule
