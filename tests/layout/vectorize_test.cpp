// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/vectorize.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/layout/random_layouts.h"

namespace sinter::tile_ir {
namespace {

using testing::LayoutSampler;

int64_t address(const LinearLayout& layout, const StaticStrides& memory, int reg, uint32_t lane, uint32_t warp) {
  TileCoords c = layout.coords(static_cast<uint32_t>(reg), lane, warp);
  int64_t result = layout.part_of(reg) * memory.part_stride;
  for (size_t d = 0; d < max_tile_dims; ++d) result += c[d] * memory.strides[d];
  return result;
}

/// The fewest aligned power-of-two accesses that cover a set of offsets exactly, by dynamic programming over each run.
int fewest_accesses(const std::set<int64_t>& offsets, int64_t widest, int64_t remainder) {
  std::vector<int64_t> sorted(offsets.begin(), offsets.end());
  std::vector<int> best(sorted.size() + 1, 1 << 30);
  best[0] = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (int64_t count = 1; count <= widest; count *= 2) {
      size_t end = i + static_cast<size_t>(count);
      if (end > sorted.size() || sorted[end - 1] != sorted[i] + count - 1) break;
      if (((sorted[i] + remainder) % count + count) % count != 0) break;
      best[end] = std::min(best[end], best[i] + 1);
    }
  }
  return best[sorted.size()];
}

/// Strides of a dense tile in some order of the dims, often along the registers, with gaps, copies and reversed dims.
StaticStrides random_strides(LayoutSampler& sampler, const LinearLayout& layout) {
  StaticStrides memory;
  std::vector<int> order(static_cast<size_t>(layout.shape().rank));
  std::iota(order.begin(), order.end(), 0);
  for (size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<size_t>(sampler.below(static_cast<int>(k)))]);
  if (layout.bits(BitGroup::reg) > 0 && sampler.chance(60)) {  // memory runs along the registers
    TileCoords first = layout.basis(BitGroup::reg, 0);
    std::stable_partition(order.begin(), order.end(), [&](int d) { return first[static_cast<size_t>(d)] != 0; });
  }
  bool interleaved = sampler.chance(40);
  int64_t stride = interleaved ? layout.shape().parts : 1;
  for (int d : order) {
    memory.strides[static_cast<size_t>(d)] = sampler.chance(15) ? 0 : sampler.chance(20) ? -stride : stride;
    stride *= layout.shape().dims[static_cast<size_t>(d)] * (sampler.chance(20) ? 3 : 1);
  }
  memory.part_stride = interleaved ? (sampler.chance(30) ? -1 : 1) : sampler.chance(30) ? 0 : stride;
  return memory;
}

TEST(Vectorize, RandomLayoutsAgainstEveryThread) {
  constexpr uint64_t seed = 31;
  RecordProperty("seed", std::to_string(seed));
  LayoutSampler sampler(seed);
  int merged = 0, wide = 0, negative = 0;
  for (int i = 0; i < 600; ++i) {
    int log_threads = sampler.between(5, 7);
    TileShape shape = sampler.shape(sampler.between(0, log_threads + 4), sampler.between(1, 5));
    LinearLayout layout = sampler.layout(shape, log_threads);
    int element_bytes = 1 << sampler.below(4);
    StaticStrides memory = random_strides(sampler, layout);
    Alignment origin{sampler.chance(50) ? 64 : int64_t{1} << sampler.below(6), 0};
    if (sampler.chance(30)) origin.divisor *= 3;
    if (sampler.chance(50)) origin.remainder = sampler.below(static_cast<int>(origin.divisor));

    std::optional<std::vector<int64_t>> offsets = register_offsets(layout, memory);
    ASSERT_EQ(offsets.has_value(), layout.registers_separate());
    if (!offsets) {
      EXPECT_THROW(vectorize(layout, memory, origin, element_bytes), CompileError);
      continue;
    }
    std::vector<VectorAccess> accesses = vectorize(layout, memory, origin, element_bytes);
    Alignment base = thread_base_alignment(layout, memory, origin);
    std::set<int> seen;
    std::set<int64_t> distinct(offsets->begin(), offsets->end());
    for (uint32_t thread = 0; thread < 1u << log_threads; ++thread) {
      uint32_t lane = thread & 31, warp = thread >> 5;
      int64_t thread_base = origin.remainder + address(layout, memory, 0, lane, warp);
      ASSERT_EQ(((thread_base - base.remainder) % base.divisor), 0);
      for (const VectorAccess& access : accesses) {
        ASSERT_LE(access.count * element_bytes, std::max(16, element_bytes));
        ASSERT_EQ((thread_base + access.offset) % access.count, 0) << "misaligned vector";
        ASSERT_EQ(access.registers.size(), static_cast<size_t>(access.count));
        for (int k = 0; k < access.count; ++k) {
          for (int reg : access.registers[static_cast<size_t>(k)]) {
            ASSERT_EQ(origin.remainder + address(layout, memory, reg, lane, warp), thread_base + access.offset + k);
            if (thread == 0) {
              ASSERT_TRUE(seen.insert(reg).second);
            }
          }
        }
      }
    }
    ASSERT_EQ(seen.size(), static_cast<size_t>(layout.registers())) << "a register is missing";
    int64_t widest = 16 / element_bytes;
    while (widest > 1 && base.divisor % widest != 0) widest /= 2;
    ASSERT_EQ(static_cast<int>(accesses.size()),
              fewest_accesses(distinct, std::max<int64_t>(widest, 1), base.remainder));
    for (const VectorAccess& access : accesses) {
      merged += access.registers[0].size() > 1;
      wide += access.count > 1;
      negative += access.count > 1 && access.registers[0][0] > access.registers[1][0];
    }
  }
  EXPECT_GT(merged, 100);
  EXPECT_GT(wide, 500);
  EXPECT_GT(negative, 100);
}

TEST(Vectorize, PixelsOfThreeBytesAreThreeWideAccesses) {
  LinearLayout layout = parse_layout("{reg: [1],[2],[4],[8]; lane: [16],[32],[64],[128],[256]; parts: 3}");
  std::vector<VectorAccess> accesses = vectorize(layout, {1, {3}}, {16, 0}, 1);
  ASSERT_EQ(accesses.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(accesses[static_cast<size_t>(i)].offset, 16 * i);
    EXPECT_EQ(accesses[static_cast<size_t>(i)].count, 16);
  }
  // Byte 16 of the thread is channel 1 of pixel 5: register 1 * 16 + 5.
  EXPECT_EQ(accesses[1].registers[0], std::vector<int>{21});
}

TEST(Vectorize, ReversedRowsUseTheKnownRemainder) {
  LinearLayout layout = parse_layout("{reg: [1],[2]; lane: [4],[8]}");
  // The last element of an aligned row of 16 is at 15 modulo 16; coordinates run down from it.
  std::vector<VectorAccess> accesses = vectorize(layout, {0, {-1}}, {16, 15}, 4);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0], (VectorAccess{-3, 4, {{3}, {2}, {1}, {0}}}));
  EXPECT_EQ(vectorize(layout, {0, {-1}}, {16, 0}, 4).size(), 3u);  // starts at 13, 14 and 0 modulo 16
}

TEST(Vectorize, BaseAlignmentHoldsForCombinedThreadBits) {
  // Lane 3 is at 3 ^ 6 = 5, no multiple of 3.
  LinearLayout layout = parse_layout("{lane: [3],[6]}");
  EXPECT_EQ(thread_base_alignment(layout, {0, {1}}, {12, 0}).divisor, 1);
  EXPECT_EQ(thread_base_alignment(layout, {0, {4}}, {24, 30}).divisor, 4);
  EXPECT_EQ(thread_base_alignment(layout, {0, {4}}, {24, 30}).remainder, 2);
}

TEST(Vectorize, BroadcastLoadsOnce) {
  LinearLayout layout = parse_layout("{reg: [0,1],[1,0]; lane: [0,2],[0,4]; tile: 2x8; parts: 2}");
  std::vector<VectorAccess> accesses = vectorize(layout, {0, {0, 1}}, {2, 0}, 2);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0], (VectorAccess{0, 2, {{0, 2, 4, 6}, {1, 3, 5, 7}}}));
}

}  // namespace
}  // namespace sinter::tile_ir
