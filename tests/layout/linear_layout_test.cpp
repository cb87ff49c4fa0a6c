// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/linear_layout.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <map>
#include <set>

#include "codegen/tile/layout/blocked.h"
#include "tests/layout/random_layouts.h"

namespace sinter::tile_ir {
namespace {

using testing::LayoutSampler;

/// Random layouts of many sizes, for laws that hold for all.
std::vector<LinearLayout> samples(int count, uint64_t seed) {
  SCOPED_TRACE(seed);
  LayoutSampler sampler(seed);
  std::vector<LinearLayout> layouts;
  for (int i = 0; i < count; ++i) {
    int log_threads = sampler.between(0, 8);
    layouts.push_back(
        sampler.layout(sampler.shape(sampler.between(0, log_threads + 5), sampler.between(1, 5)), log_threads));
  }
  return layouts;
}

uint32_t inputs_of(const LinearLayout& layout) { return uint32_t{1} << layout.map().inputs(); }

TEST(LinearLayout, BlockedMatchesItsDescription) {
  BlockedLayout blocked;
  blocked.shape = TileShape::of(std::vector<int32_t>{16, 64});
  blocked.order = {1, 0};
  blocked.vector = {0, 2};
  spread_threads(blocked, 128);
  LinearLayout layout = make_layout(blocked);
  EXPECT_EQ(to_string(layout), "{reg: [0,1],[0,2],[8,0]; lane: [0,4],[0,8],[0,16],[0,32],[1,0]; warp: [2,0],[4,0]}");
  // Register 5 of lane 17 in warp 3: bits 0 and 2 of the register, 0 and 4 of the lane, both of the warp.
  EXPECT_EQ(layout.coords(5, 17, 3), (TileCoords{8 + 1 + 2 + 4, 1 + 4}));
  EXPECT_EQ(layout.registers(), 8);
  EXPECT_TRUE(layout.injective() && layout.surjective() && layout.registers_separate());
}

TEST(LinearLayout, SmallTilesLeaveTheUpperThreadsFree) {
  BlockedLayout blocked;
  blocked.shape = TileShape::of(std::vector<int32_t>{8}, 3);
  spread_threads(blocked, 64);
  LinearLayout layout = make_layout(blocked);
  EXPECT_EQ(to_string(layout), "{lane: [1],[2],[4],[0],[0]; warp: [0]; parts: 3}");
  EXPECT_EQ(layout.free_bits(BitGroup::lane), 0b11000u);
  EXPECT_EQ(layout.pivots(BitGroup::lane), 0b00111u);
  EXPECT_EQ(layout.registers(), 3);
  blocked.shape = TileShape::of({}, 1);
  spread_threads(blocked, 32);
  EXPECT_EQ(make_layout(blocked).free_bits(BitGroup::lane), 0b11111u);
}

TEST(LinearLayout, ApplyIsLinear) {
  LayoutSampler sampler(1);
  for (const LinearLayout& layout : samples(100, 2)) {
    const BitMap& map = layout.map();
    for (int i = 0; i < 20; ++i) {
      uint32_t a = static_cast<uint32_t>(sampler.below(static_cast<int>(inputs_of(layout))));
      uint32_t b = static_cast<uint32_t>(sampler.below(static_cast<int>(inputs_of(layout))));
      ASSERT_EQ(map.apply(a ^ b), map.apply(a) ^ map.apply(b));
    }
  }
}

TEST(LinearLayout, EveryElementHasTheNumberOfHoldersThatTheRankSays) {
  for (const LinearLayout& layout : samples(100, 3)) {
    std::map<uint32_t, uint32_t> holders;
    for (uint32_t x = 0; x < inputs_of(layout); ++x) ++holders[layout.map().apply(x)];
    ASSERT_TRUE(layout.surjective());
    ASSERT_EQ(holders.size(), size_t{1} << layout.shape().log_elements());
    for (auto [element, count] : holders) {
      ASSERT_EQ(count, uint32_t{1} << (layout.map().inputs() - layout.map().rank())) << to_string(layout);
    }
    ASSERT_EQ(layout.injective(), layout.map().inputs() == layout.map().rank());
  }
}

TEST(LinearLayout, HolderInvertsOnPivotBits) {
  for (const LinearLayout& layout : samples(200, 4)) {
    BitMap holder = layout.holder();
    uint32_t pivots = layout.map().pivots();
    for (uint32_t e = 0; e < uint32_t{1} << layout.shape().log_elements(); ++e) {
      uint32_t x = holder.apply(e);
      ASSERT_EQ(layout.map().apply(x), e) << to_string(layout);
      ASSERT_EQ(x & ~pivots, 0u);
    }
    if (layout.injective()) {
      ASSERT_EQ(compose(holder, layout.map()), BitMap::identity(layout.map().inputs()));
    }
    ASSERT_EQ(compose(layout.map(), holder), BitMap::identity(layout.map().outputs()));
  }
}

TEST(BitMap, PseudoInverseOfAnyMatrix) {
  LayoutSampler sampler(5);
  for (int i = 0; i < 500; ++i) {
    int inputs = sampler.between(0, 12), outputs = sampler.between(0, 12);
    std::vector<uint32_t> columns;
    for (int c = 0; c < inputs; ++c)
      columns.push_back(static_cast<uint32_t>(sampler.below(1 << sampler.between(0, outputs))));
    BitMap a(columns, outputs);
    ASSERT_EQ(compose(a, compose(a.pseudo_inverse(), a)), a);
    if (a.injective()) {
      ASSERT_EQ(compose(a.pseudo_inverse(), a), BitMap::identity(inputs));
    }
    if (a.surjective()) {
      ASSERT_EQ(compose(a, a.pseudo_inverse()), BitMap::identity(outputs));
    }
  }
}

TEST(BitMap, ComposeIsAssociativeAndApplies) {
  LayoutSampler sampler(6);
  auto random_map = [&](int inputs, int outputs) {
    std::vector<uint32_t> columns;
    for (int c = 0; c < inputs; ++c) columns.push_back(static_cast<uint32_t>(sampler.below(1 << outputs)));
    return BitMap(columns, outputs);
  };
  for (int i = 0; i < 300; ++i) {
    int n0 = sampler.between(0, 10), n1 = sampler.between(0, 10), n2 = sampler.between(0, 10),
        n3 = sampler.between(0, 10);
    BitMap a = random_map(n0, n1), b = random_map(n1, n2), c = random_map(n2, n3);
    ASSERT_EQ(compose(c, compose(b, a)), compose(compose(c, b), a));
    uint32_t x = static_cast<uint32_t>(sampler.below(1 << n0));
    ASSERT_EQ(compose(b, a).apply(x), b.apply(a.apply(x)));
  }
  EXPECT_THROW(compose(random_map(3, 2), random_map(2, 4)), CompileError);
}

TEST(LinearLayout, ReshapeKeepsRowMajorElements) {
  for (const LinearLayout& layout : samples(100, 7)) {
    LinearLayout flat = layout.reshape(std::vector<int32_t>{1 << layout.shape().log_elements()});
    const TileShape& shape = layout.shape();
    for (uint32_t x = 0; x < inputs_of(layout); ++x) {
      TileCoords c = shape.unflatten(layout.map().apply(x));
      int32_t row_major = 0;
      for (size_t d = 0; d < static_cast<size_t>(shape.rank); ++d) row_major = row_major * shape.dims[d] + c[d];
      ASSERT_EQ(flat.shape().unflatten(flat.map().apply(x))[0], row_major);
    }
    ASSERT_EQ(flat.reshape({shape.dims.data(), static_cast<size_t>(shape.rank)}), layout);
  }
  EXPECT_THROW(LinearLayout().reshape(std::vector<int32_t>{2}), CompileError);
}

TEST(LinearLayout, TransposePermutesCoordinates) {
  LayoutSampler sampler(8);
  for (const LinearLayout& layout : samples(100, 9)) {
    std::vector<int> order, back(static_cast<size_t>(layout.rank()));
    for (int i = 0; i < layout.rank(); ++i) order.insert(order.begin() + sampler.below(i + 1), i);
    for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int>(i);
    LinearLayout moved = layout.transpose(order);
    for (uint32_t x = 0; x < inputs_of(layout); ++x) {
      TileCoords a = layout.shape().unflatten(layout.map().apply(x)), b = moved.shape().unflatten(moved.map().apply(x));
      for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(b[i], a[static_cast<size_t>(order[i])]);
    }
    ASSERT_EQ(moved.transpose(back), layout);
  }
  EXPECT_THROW(LinearLayout().transpose(std::vector<int>{0}), CompileError);
}

TEST(LinearLayout, RemoveDimDropsACoordinate) {
  for (const LinearLayout& layout : samples(100, 10)) {
    for (int dim = 0; dim < layout.rank(); ++dim) {
      LinearLayout slice = layout.remove_dim(dim);
      for (uint32_t x = 0; x < inputs_of(layout); ++x) {
        TileCoords a = layout.shape().unflatten(layout.map().apply(x)),
                   b = slice.shape().unflatten(slice.map().apply(x));
        for (int d = 0; d < slice.rank(); ++d) {
          ASSERT_EQ(b[static_cast<size_t>(d)], a[static_cast<size_t>(d + (d >= dim))]);
        }
      }
      LinearLayout compact = slice.without_free_registers();
      ASSERT_EQ(compact.free_bits(BitGroup::reg), 0u);
      uint32_t kept = (uint32_t{1} << slice.bits(BitGroup::reg)) - 1 - slice.free_bits(BitGroup::reg);
      for (uint32_t r = 0; r < static_cast<uint32_t>(compact.registers_per_part()); ++r) {
        ASSERT_EQ(compact.element(r, 0), slice.element(spread_bits(r, kept), 0));
      }
    }
  }
}

TEST(LinearLayout, DivideUndoesProduct) {
  LayoutSampler sampler(11);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    TileShape small = sampler.shape(sampler.between(0, 4), sampler.between(1, 2));
    LinearLayout inner = sampler.layout(small, sampler.between(0, 4));
    TileShape other = sampler.shape(sampler.between(0, 4), sampler.between(1, 2));
    other.rank = small.rank;
    for (size_t d = static_cast<size_t>(small.rank); d < max_tile_dims; ++d) other.dims[d] = 1;
    LinearLayout outer = sampler.layout(other, sampler.between(0, 3));
    LinearLayout whole = inner.product(outer);
    ASSERT_EQ(whole.divide(inner), outer);
    // Coordinates of the product: the inner tile's, plus the outer one's in units of inner tiles.
    TileCoords basis = outer.bits(BitGroup::lane) > 0 ? outer.basis(BitGroup::lane, 0) : TileCoords{};
    if (outer.bits(BitGroup::lane) > 0) {
      for (size_t d = 0; d < max_tile_dims; ++d) {
        ASSERT_EQ(whole.basis(BitGroup::lane, inner.bits(BitGroup::lane))[d], basis[d] * small.dims[d]);
      }
    }
    LinearLayout unrelated = sampler.layout(small, 4);
    std::optional<LinearLayout> quotient = whole.divide(unrelated);
    if (quotient) {
      ASSERT_EQ(unrelated.product(*quotient), whole);
    }
    refused += !quotient;
  }
  EXPECT_GT(refused, 50);
}

TEST(LinearLayout, TextRoundTrip) {
  std::set<std::string> texts;
  std::set<size_t> hashes;
  for (const LinearLayout& layout : samples(500, 12)) {
    std::string text = to_string(layout);
    LinearLayout parsed = parse_layout(text);
    ASSERT_EQ(parsed, layout) << text;
    ASSERT_EQ(to_string(parsed), text);
    ASSERT_EQ(parsed.hash(), layout.hash());
    texts.insert(text);
    hashes.insert(layout.hash());
  }
  EXPECT_EQ(texts.size(), hashes.size());
  EXPECT_EQ(to_string(parse_layout("{ reg : [1] , [2] ;lane: [4],[8]; warp: [16] }")),
            "{reg: [1],[2]; lane: [4],[8]; warp: [16]}");
  EXPECT_EQ(parse_layout("{reg: [1]; tile: 2; parts: 5}").registers(), 10);
  EXPECT_EQ(to_string(parse_layout("{block: [1,0]; tile: 2x4}")), "{block: [1,0]; tile: 2x4}");
  EXPECT_EQ(to_string(LinearLayout()), "{}");
}

TEST(LinearLayout, TextErrorsNameTheColumn) {
  for (const char* text :
       {"", "{reg [1]}", "{reg: [1],}", "{reg: [1,0],[1]}", "{reg: [1]; reg: [2]}", "{tile: 3}", "{lanes: [1]}",
        "{reg: [-1]}", "{reg: [1]} x", "{reg: [1]; tile: 2x2}", "{reg: [1,1,1,1,1]}", "{reg: [4]; tile: 4}"}) {
    EXPECT_THROW(parse_layout(text), CompileError) << text;
  }
  try {
    parse_layout("{reg: [1; lane: [2]}");
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("column 9: expected ']'"), std::string::npos) << error.what();
  }
}

TEST(LinearLayout, RejectsBasesOutsideTheTile) {
  LayoutBases bases;
  bases[0] = {{4}};
  EXPECT_THROW(LinearLayout(TileShape::of(std::vector<int32_t>{4}), bases), CompileError);
  EXPECT_THROW(TileShape::of(std::vector<int32_t>{6}), CompileError);
  EXPECT_THROW(TileShape::of(std::vector<int32_t>{2, 2, 2, 2, 2}), CompileError);
  EXPECT_THROW(TileShape::of(std::vector<int32_t>{2}, 0), CompileError);
}

}  // namespace
}  // namespace sinter::tile_ir
