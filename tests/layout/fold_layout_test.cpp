// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/fold_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinter::tile_ir {
namespace {

BlockedLayout blocked(std::vector<int32_t> dims) {
  BlockedLayout b;
  b.shape = TileShape::of(dims);
  for (int d = 0; d < b.shape.rank; ++d) b.order[static_cast<size_t>(d)] = b.shape.rank - 1 - d;
  return b;
}

/// Rows that the bits of a group stand for; 0 is none.
std::vector<int32_t> rows_of(const LinearLayout& l, BitGroup group) {
  std::vector<int32_t> rows;
  for (int bit = 0; bit < l.bits(group); ++bit) rows.push_back(l.basis(group, bit)[0]);
  return rows;
}

TEST(FoldLayout, AThreadFoldsItsRowsBeforeWarpsMeet) {
  const LinearLayout l = make_fold_layout(blocked({256, 32}), 512, 0);
  EXPECT_EQ(rows_of(l, BitGroup::reg), (std::vector<int32_t>{1, 2, 4, 8})) << "the lowest bits, which fold first";
  EXPECT_EQ(rows_of(l, BitGroup::lane), (std::vector<int32_t>{0, 0, 0, 0, 0})) << "lanes run along memory";
  EXPECT_EQ(rows_of(l, BitGroup::warp), (std::vector<int32_t>{128, 64, 32, 16}));
}

TEST(FoldLayout, RowsAlongMemoryGiveWarpsTheirHighestBits) {
  const LinearLayout l = make_fold_layout(blocked({2048}), 64, 0x300);
  EXPECT_EQ(rows_of(l, BitGroup::lane), (std::vector<int32_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(rows_of(l, BitGroup::warp), (std::vector<int32_t>{1024}));
  EXPECT_EQ(rows_of(l, BitGroup::reg), (std::vector<int32_t>{32, 64, 128, 256, 512})) << "partial sums are a thread's";
}

}  // namespace
}  // namespace sinter::tile_ir
