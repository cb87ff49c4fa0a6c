// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/grid_split.h"

#include <algorithm>
#include <bit>

#include "codegen/tile/expand_grid_reduces.h"
#include "runtime/device/backend.h"
#include "src/loop/canonical_fold.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

/// Programs that keep the machine busy and even out: on CUDA about two rounds of resident blocks.
int64_t wanted_programs(const FoldPlan& plan, const Target& target) {
  const int64_t a_processor = target.cuda ? std::clamp(32 / plan.tiling.num_warps, 4, 32) : 8;
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(a_processor * target.processors)));
  return std::clamp<int64_t>(n, 2, device::arrival_words);
}

/// Elements of a program's result.
int64_t result_elements(const FoldPlan& plan) {
  int64_t n = 1;
  for (size_t d = 0; d < plan.tiling.dims.size(); ++d)
    if (static_cast<int>(d) != plan.dim) n *= plan.tiling.dims[d];
  return n;
}

/// A shorter run is not worth an arrival.
int64_t fewest_chunks(const FoldPlan& plan, const Target& target) {
  const uint64_t elements = target.cuda ? 4096 : 65536;
  const uint64_t a_chunk = static_cast<uint64_t>(loop::reduction_chunk * result_elements(plan));
  return std::max<int64_t>(plan.step_elements() / loop::reduction_chunk,
                           static_cast<int64_t>(std::bit_ceil(std::max<uint64_t>(1, elements / a_chunk))));
}

/// What the program that comes last folds is straight code on the CPU, or goes through cache where a result is wide.
int64_t most_pieces(const FoldPlan& plan, const Target& target) {
  const int64_t n = result_elements(plan);
  if (target.cuda) return tile_ir::most_pieces(n, plan.tiling.num_warps);
  constexpr int64_t straight = 1024, cached = 16384;  // elements
  return std::max<int64_t>(2, (n < tile_ir::wide_result ? straight : cached) / n);
}

/// Columns of few chunks: the partial sums of a chunk are spread as well.
int32_t pieces_of_chunk(const FoldPlan& plan, const GridSplit& split, Expr groups, int64_t programs, int64_t most) {
  const auto pieces = split.pieces.constant(), of_grid = groups.constant();
  if (!pieces || !of_grid || !split.chunks.is_constant(1)) return 1;
  int32_t n = 1;
  while (2 * n <= plan.units_per_chunk() && *of_grid * *pieces * 2 * n <= programs && *pieces * 2 * n <= most) n *= 2;
  return n;
}

}  // namespace

std::optional<GridSplit> split_over_grid(const FoldPlan& plan, Expr extent, Expr groups, const Target& target,
                                         const graph::Ranges& ranges) {
  const bool forced = target.folds == FoldStrategy::split;
  const int64_t programs = forced ? device::arrival_words : wanted_programs(plan, target);
  const int64_t least =
      forced ? std::max<int64_t>(1, plan.step_elements() / loop::reduction_chunk) : fewest_chunks(plan, target);
  const int64_t most = std::min(programs, most_pieces(plan, target));
  const Expr chunks = ceildiv(extent, Expr(loop::reduction_chunk));
  if (ranges.of(chunks).second <= least || ranges.of(groups).first >= programs) return std::nullopt;
  GridSplit split;
  split.chunks = doubled(max(ceildiv(groups * chunks, Expr(programs)), ceildiv(chunks, Expr(most))), Expr(least));
  split.pieces = max(Expr(1), ceildiv(chunks, split.chunks));
  split.of_chunk = pieces_of_chunk(plan, split, groups, programs, most);
  split.pieces = split.pieces * Expr(int64_t{split.of_chunk});
  if (split.pieces.is_constant(1)) return std::nullopt;
  split.most = static_cast<int32_t>(split.pieces.constant().value_or(most));
  return split;
}

}  // namespace sinter::schedule
