// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/choose.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <tuple>

namespace sinter::tile_ir {
namespace {

constexpr int vector_bytes = 16;

/// Sort key of a dim: fastest first.
auto speed(const TileShape& shape, const MemoryPattern& memory, int dim) {
  const StrideClass& stride = memory.dims[static_cast<size_t>(dim)];
  enum { known, unknown, broadcast, trivial } kind = stride.value ? known : unknown;
  if (stride.value == 0) kind = broadcast;
  if (shape.log_dim(dim) == 0) kind = trivial;
  int64_t size = kind == known ? std::abs(*stride.value) : 0;
  return std::tuple(static_cast<int>(kind), size, -dim);
}

/// Consecutive addresses along which a thread may take a vector.
struct Run {
  int64_t granule = 1;  ///< elements of memory per element of the tile: the interleaved parts
  int log_length = 0;   ///< log2 of the tile elements it reaches over, along order[0], order[1], ...
  int dims = 0;         ///< how many dims of the order it includes
};

Run contiguous_run(const BlockedLayout& blocked, const MemoryPattern& memory) {
  const TileShape& shape = blocked.shape;
  Run run;
  if (shape.parts > 1 && memory.parts.value && std::abs(*memory.parts.value) == 1) run.granule = shape.parts;
  for (int i = 0; i < shape.rank; ++i) {
    int dim = blocked.order[static_cast<size_t>(i)];
    std::optional<int64_t> stride = memory.dims[static_cast<size_t>(dim)].value;
    if (!stride || std::abs(*stride) != run.granule << run.log_length) break;
    run.log_length += shape.log_dim(dim);
    run.dims = i + 1;
  }
  return run;
}

/// A divisor, in elements, of the first address of every run: whatever moves a run around divides by it.
int64_t run_alignment(const BlockedLayout& blocked, const MemoryPattern& memory, const Run& run) {
  auto divisor = [](const StrideClass& stride) { return stride.value ? *stride.value : stride.divisibility; };
  int64_t alignment = memory.base_divisibility;
  if (blocked.shape.parts > 1 && run.granule == 1) alignment = std::gcd(alignment, divisor(memory.parts));
  for (int i = run.dims; i < blocked.shape.rank; ++i) {
    int dim = blocked.order[static_cast<size_t>(i)];
    if (blocked.shape.log_dim(dim) > 0) alignment = std::gcd(alignment, divisor(memory.dims[static_cast<size_t>(dim)]));
  }
  return alignment;
}

/// log2 of the tile elements that one thread takes along the run.
int log_vector(const BlockedLayout& blocked, int threads, const MemoryPattern& memory, const Run& run) {
  if (run.dims == 0) return 0;
  auto twos = [](int64_t x) { return x == 0 ? 62 : std::countr_zero(static_cast<uint64_t>(x)); };
  int64_t bytes = run.granule * memory.element_bytes;
  int wanted = std::max(0, twos(vector_bytes) - twos(bytes));
  // Starts of vectors are multiples of granule << result from the run's start, so they keep what both know.
  int aligned = memory.realigned ? wanted : std::max(0, twos(run_alignment(blocked, memory, run)) - twos(run.granule));
  int log_threads = std::countr_zero(static_cast<uint32_t>(threads));
  int busy = std::max(0, blocked.shape.log_elements() - log_threads);
  return std::min({wanted, aligned, run.log_length, busy});
}

}  // namespace

BlockedLayout choose_blocked(const TileShape& shape, int threads, const MemoryPattern& memory) {
  BlockedLayout blocked;
  blocked.shape = shape;
  std::sort(blocked.order.begin(), blocked.order.begin() + shape.rank,
            [&](int a, int b) { return speed(shape, memory, a) < speed(shape, memory, b); });
  Run run = contiguous_run(blocked, memory);
  int vector = log_vector(blocked, threads, memory, run);
  for (int i = 0; i < run.dims; ++i) {
    int dim = blocked.order[static_cast<size_t>(i)];
    int taken = std::min(vector, shape.log_dim(dim));
    blocked.vector[static_cast<size_t>(dim)] = taken;
    vector -= taken;
  }
  spread_threads(blocked, threads);
  return blocked;
}

LinearLayout choose_layout(const TileShape& shape, int threads, const MemoryPattern& memory) {
  return make_layout(choose_blocked(shape, threads, memory));
}

}  // namespace sinter::tile_ir
