// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/tile/layout/vectorize.h"

namespace sinter::tile_ir {
namespace {

TileShape tile_of(std::vector<int32_t> dims, int parts = 1) { return TileShape::of(dims, parts); }

MemoryPattern pattern(int element_bytes, std::vector<StrideClass> dims, StrideClass parts = StrideClass::of(0),
                      int64_t base = 256) {
  MemoryPattern memory;
  std::copy(dims.begin(), dims.end(), memory.dims.begin());
  memory.parts = parts;
  memory.element_bytes = element_bytes;
  memory.base_divisibility = base;
  return memory;
}
StrideClass known(int64_t stride) { return StrideClass::of(stride); }

std::string chosen(const TileShape& shape, int threads, const MemoryPattern& memory) {
  return to_string(choose_layout(shape, threads, memory));
}

TEST(Choose, WidestVectorsAlongTheContiguousDim) {
  EXPECT_EQ(chosen(tile_of({16, 64}), 128, pattern(4, {known(1024), known(1)})),
            "{reg: [0,1],[0,2],[8,0]; lane: [0,4],[0,8],[0,16],[0,32],[1,0]; warp: [2,0],[4,0]}");
  EXPECT_EQ(chosen(tile_of({64, 16}), 128, pattern(2, {known(1), known(1024)})),
            "{reg: [1,0],[2,0],[4,0]; lane: [8,0],[16,0],[32,0],[0,1],[0,2]; warp: [0,4],[0,8]}");
  EXPECT_EQ(choose_blocked(tile_of({4096}), 32, pattern(1, {known(1)})).vector[0], 4);
  EXPECT_EQ(choose_blocked(tile_of({4096}), 32, pattern(8, {known(1)})).vector[0], 1);
  EXPECT_EQ(choose_blocked(tile_of({4096}), 32, pattern(4, {known(-1)})).vector[0], 2);
}

TEST(Choose, AlignmentLimitsTheVector) {
  EXPECT_EQ(choose_blocked(tile_of({16, 64}), 32, pattern(2, {known(1022), known(1)})).vector[1], 1);
  EXPECT_EQ(choose_blocked(tile_of({16, 64}), 32, pattern(2, {StrideClass::unknown(4), known(1)})).vector[1], 2);
  EXPECT_EQ(choose_blocked(tile_of({16, 64}), 32, pattern(2, {StrideClass::unknown(), known(1)})).vector[1], 0);
  EXPECT_EQ(choose_blocked(tile_of({1, 64}), 4, pattern(2, {StrideClass::unknown(), known(1)})).vector[1], 3);
  EXPECT_EQ(choose_blocked(tile_of({64}), 4, pattern(2, {known(1)}, known(0), 2)).vector[0], 1);
  MemoryPattern realigned = pattern(2, {known(1023), known(1)}, known(0), 1);
  realigned.realigned = true;
  EXPECT_EQ(choose_blocked(tile_of({16, 64}), 32, realigned).vector[1], 3);
}

TEST(Choose, NoThreadIdlesForWiderVectors) {
  EXPECT_EQ(choose_blocked(tile_of({256}), 128, pattern(1, {known(1)})).vector[0], 1);
  EXPECT_EQ(choose_blocked(tile_of({64}), 128, pattern(1, {known(1)})).vector[0], 0);
}

TEST(Choose, RunsContinueIntoTheNextDim) {
  BlockedLayout blocked = choose_blocked(tile_of({64, 2}), 16, pattern(2, {known(2), known(1)}));
  EXPECT_EQ(blocked.vector[1], 1);
  EXPECT_EQ(blocked.vector[0], 2);
  EXPECT_EQ(choose_blocked(tile_of({64, 2}), 16, pattern(2, {known(4), known(1)})).vector[0], 0);
}

TEST(Choose, InterleavedPartsFillWholeVectors) {
  struct Case {
    int parts, element_bytes, pixels;
  };
  for (Case c : {Case{3, 1, 16}, Case{4, 1, 4}, Case{2, 1, 8}, Case{3, 4, 4}, Case{3, 2, 8}, Case{4, 4, 1},
                 Case{5, 8, 2}, Case{6, 1, 8}}) {
    TileShape shape = tile_of({8, 256}, c.parts);
    MemoryPattern memory = pattern(c.element_bytes, {known(c.parts * 1024), known(c.parts)}, known(1));
    LinearLayout layout = choose_layout(shape, 32, memory);
    EXPECT_EQ(1 << choose_blocked(shape, 32, memory).vector[1], c.pixels);
    // Then every access of the thread is 16 bytes wide.
    StaticStrides strides{1, {c.parts * 1024, c.parts}};
    for (const VectorAccess& access : vectorize(layout, strides, {256, 0}, c.element_bytes)) {
      EXPECT_EQ(access.count * c.element_bytes, 16) << c.parts << " parts of " << c.element_bytes << " bytes";
    }
  }
  // Planar parts do not change the vector; their distance limits it.
  EXPECT_EQ(choose_blocked(tile_of({4096}, 3), 32, pattern(1, {known(1)}, known(1 << 20))).vector[0], 4);
  EXPECT_EQ(choose_blocked(tile_of({4096}, 3), 32, pattern(1, {known(1)}, known(50 * 50))).vector[0], 2);
}

TEST(Choose, BroadcastAndUnknownDimsComeAfterKnownOnes) {
  EXPECT_EQ(choose_blocked(tile_of({32, 32}), 32, pattern(4, {known(1), known(0)})).order[0], 0);
  EXPECT_EQ(choose_blocked(tile_of({32, 32}), 32, pattern(4, {known(512), StrideClass::unknown()})).order[0], 0);
  BlockedLayout unknown =
      choose_blocked(tile_of({32, 32}), 32, pattern(4, {StrideClass::unknown(), StrideClass::unknown()}));
  EXPECT_EQ(unknown.order[0], 1);
  EXPECT_EQ(unknown.vector, (std::array<int, 4>{}));
}

TEST(Choose, AWarpTouchesTheFewestSectors) {
  // 32-byte sectors touched by one warp in its first access, for strides that have a contiguous dim.
  for (auto [dims, strides] : {std::pair{std::vector<int32_t>{64, 64}, std::array<int64_t, 4>{1, 4096}},
                               std::pair{std::vector<int32_t>{64, 64}, std::array<int64_t, 4>{4096, 1}},
                               std::pair{std::vector<int32_t>{4, 32, 32}, std::array<int64_t, 4>{64, 4096, 1}}}) {
    TileShape shape = tile_of(dims);
    MemoryPattern memory = pattern(4, {});
    for (size_t d = 0; d < dims.size(); ++d) memory.dims[d] = known(strides[d]);
    LinearLayout layout = choose_layout(shape, 128, memory);
    VectorAccess first = vectorize(layout, {0, strides}, {256, 0}, 4)[0];
    ASSERT_EQ(first.count, 4);
    std::set<int64_t> sectors;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      TileCoords c = layout.coords(0, lane);
      int64_t at = first.offset;
      for (size_t d = 0; d < dims.size(); ++d) at += c[d] * strides[d];
      sectors.insert(at * 4 / 32);
    }
    EXPECT_EQ(sectors.size(), 16u);  // 32 lanes x 16 bytes
  }
}

}  // namespace
}  // namespace sinter::tile_ir
