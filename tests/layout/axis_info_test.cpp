// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/axis_info.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <functional>

#include "tests/layout/random_layouts.h"

namespace sinter::tile_ir {
namespace {

using testing::LayoutSampler;

/// A tile of integers with what is claimed about it.
struct Value {
  AxisInfo info;
  std::vector<int64_t> elements;  // row-major
};

/// Calls visit(values of a block) for every block of a size along a dim.
void for_blocks(const TileShape& shape, const std::vector<int64_t>& elements, int dim, int64_t size,
                const std::function<void(const std::vector<int64_t>&)>& visit) {
  for (uint32_t e = 0; e < elements.size(); ++e) {
    TileCoords c = shape.unflatten(e);
    int32_t& along = c[static_cast<size_t>(dim)];
    if (along % size != 0) continue;
    std::vector<int64_t> block;
    for (int64_t k = 0; k < size; ++k, ++along) block.push_back(elements[shape.flatten(c)]);
    visit(block);
  }
}

/// The first claim that does not hold, or nothing.
std::string refute(const TileShape& shape, const Value& value) {
  const AxisInfo& info = value.info;
  std::string wrong;
  if (info.rank != shape.rank || info.dims != shape.dims) return "shape";
  if (info.constant && std::ranges::any_of(value.elements, [&](int64_t v) { return v != *info.constant; }))
    return "constant";
  for (int dim = 0; dim < shape.rank; ++dim) {
    size_t d = static_cast<size_t>(dim);
    if (info.contiguity[d] > shape.dims[d] || info.constancy[d] > shape.dims[d]) return "a block larger than the dim";
    for_blocks(shape, value.elements, dim, info.contiguity[d], [&](const std::vector<int64_t>& block) {
      if (block[0] % info.divisibility[d] != 0) wrong = "divisibility";
      for (size_t k = 0; k < block.size(); ++k) {
        if (block[k] != block[0] + static_cast<int64_t>(k)) wrong = "contiguity";
      }
    });
    for_blocks(shape, value.elements, dim, info.constancy[d], [&](const std::vector<int64_t>& block) {
      if (std::ranges::count(block, block[0]) != static_cast<int64_t>(block.size())) wrong = "constancy";
    });
    if (!wrong.empty()) return wrong;
  }
  return wrong;
}

int64_t floor_quotient(int64_t a, int64_t c) { return a / c - (a % c < 0); }

/// Random values over one shape, each made from earlier ones by a random operation.
class Expressions {
 public:
  Expressions(LayoutSampler& sampler, const TileShape& shape) : sampler_(sampler), shape_(shape) {
    for (int dim = 0; dim < shape.rank; ++dim) {
      add(AxisInfo::iota(shape, dim),
          [&, dim](uint32_t e) { return int64_t{shape.unflatten(e)[static_cast<size_t>(dim)]}; });
    }
    for (int64_t constant : {0, 1, 3, 8, -16, 24}) {
      add(AxisInfo::splat_constant(shape, constant), [&](uint32_t) { return constant; });
    }
    for (int64_t factor : {1, 4, 16}) {
      int64_t value = factor * (sampler.between(-20, 20));
      add(AxisInfo::splat(shape, factor), [&](uint32_t) { return value; });
    }
    std::vector<int64_t> noise;
    for (size_t e = 0; e < count(); ++e) noise.push_back(sampler.between(-50, 50));
    add(AxisInfo::unknown(shape), [&](uint32_t e) { return noise[e]; });
  }

  const Value& step() {
    const Value a = pick(), b = pick(), c = pick();
    constexpr int64_t divisors[] = {1, 2, 4, 8, 16, 3, 6, 12};
    int64_t k = divisors[sampler_.below(8)];
    auto binary = [&](const AxisInfo& info, auto f) {
      return add(info, [&](uint32_t e) { return f(a.elements[e], b.elements[e]); });
    };
    switch (sampler_.below(12)) {
      case 0:
      case 1:
        binary(tile_ir::add(a.info, b.info), std::plus<int64_t>());
        break;
      case 2:
        binary(sub(a.info, b.info), std::minus<int64_t>());
        break;
      case 3:
        binary(mul(a.info, b.info), std::multiplies<int64_t>());
        break;
      case 4:
        add(floor_div(a.info, k), [&](uint32_t e) { return floor_quotient(a.elements[e], k); });
        break;
      case 5:
        add(floor_mod(a.info, k), [&](uint32_t e) { return a.elements[e] - k * floor_quotient(a.elements[e], k); });
        break;
      case 6:
        binary(minimum(a.info, b.info), [](int64_t x, int64_t y) { return std::min(x, y); });
        break;
      case 7:
        binary(maximum(a.info, b.info), [](int64_t x, int64_t y) { return std::max(x, y); });
        break;
      case 8:
        binary(less(a.info, b.info), std::less<int64_t>());
        break;
      case 9:
        binary(less_equal(a.info, b.info), std::less_equal<int64_t>());
        break;
      case 10:
        add(select(c.info, a.info, b.info), [&](uint32_t e) { return c.elements[e] ? a.elements[e] : b.elements[e]; });
        break;
      default:
        add(join(a.info, b.info), [&, left = sampler_.chance(50)](uint32_t e) { return (left ? a : b).elements[e]; });
    }
    return values_.back();
  }

 private:
  size_t count() const { return size_t{1} << shape_.log_elements(); }
  /// Values stay small, so that nothing overflows.
  Value pick() {
    for (;;) {
      const Value& v = values_[static_cast<size_t>(sampler_.below(static_cast<int>(values_.size())))];
      if (std::ranges::all_of(v.elements, [](int64_t x) { return x > -(1 << 20) && x < 1 << 20; })) return v;
    }
  }
  template <typename F>
  void add(const AxisInfo& info, F f) {
    Value value{info, {}};
    for (uint32_t e = 0; e < count(); ++e) value.elements.push_back(f(e));
    values_.push_back(std::move(value));
  }

  LayoutSampler& sampler_;
  TileShape shape_;
  std::vector<Value> values_;
};

TEST(AxisInfo, RandomExpressionsAgainstEnumeration) {
  LayoutSampler sampler(77);
  int informative = 0;
  for (int trial = 0; trial < 300; ++trial) {
    TileShape shape = sampler.shape(sampler.between(0, 7), 1);
    Expressions expressions(sampler, shape);
    for (int i = 0; i < 60; ++i) {
      const Value& value = expressions.step();
      ASSERT_EQ(refute(shape, value), "") << "trial " << trial << ", step " << i;
      informative += *std::ranges::max_element(value.info.contiguity) > 1 ||
                     *std::ranges::max_element(value.info.divisibility) > 1;
    }
  }
  EXPECT_GT(informative, 3000);  // of 18000
}

TileShape tile(std::vector<int32_t> dims) { return TileShape::of(dims); }

TEST(AxisInfo, WhatAddressesNeed) {
  TileShape shape = tile({16, 64});
  AxisInfo row = AxisInfo::iota(shape, 0), column = AxisInfo::iota(shape, 1);
  // base + row * pitch + column with a pitch divisible by 8 and a base divisible by 64.
  AxisInfo address = add(AxisInfo::splat(shape, 64), add(mul(row, AxisInfo::splat(shape, 8)), column));
  EXPECT_EQ(address.contiguity[1], 64);
  EXPECT_EQ(address.divisibility[1], 8);
  EXPECT_EQ(address.contiguity[0], 1);
  // Channel and pixel of interleaved memory with four channels.
  EXPECT_EQ(floor_div(column, 4).constancy[1], 4);
  EXPECT_EQ(floor_mod(column, 4).contiguity[1], 4);
  EXPECT_EQ(floor_mod(column, 3).contiguity[1], 1);
  EXPECT_EQ(floor_mod(column, 12).contiguity[1], 4);
  EXPECT_EQ(floor_div(mul(row, AxisInfo::splat_constant(shape, 32)), 8).divisibility[0], 4);
  EXPECT_EQ(floor_mod(mul(row, AxisInfo::splat_constant(shape, 32)), 8).constant, 0);
  // A mask against an extent divisible by 16 is one per 16 columns; from below, against an origin.
  EXPECT_EQ(less(column, AxisInfo::splat(shape, 16)).constancy[1], 16);
  EXPECT_EQ(less_equal(AxisInfo::splat(shape, 4), column).constancy[1], 4);
  EXPECT_EQ(less(AxisInfo::splat(shape, 4), column).constancy[1], 1);
  EXPECT_EQ(less(add(column, AxisInfo::splat(shape, 2)), AxisInfo::splat(shape, 16)).constancy[1], 2);
  EXPECT_EQ(less(column, AxisInfo::splat(shape, 16)).constancy[0], 16);
  EXPECT_EQ(sub(AxisInfo::splat(shape, 16), column).contiguity[1], 1);
  EXPECT_EQ(
      select(less(column, AxisInfo::splat(shape, 16)), column, add(column, AxisInfo::splat(shape, 8))).contiguity[1],
      16);
  EXPECT_EQ(mul(column, AxisInfo::splat_constant(shape, 0)).constant, 0);
  EXPECT_EQ(mul(column, AxisInfo::splat_constant(shape, 1)), column);
}

TEST(AxisInfo, JoinIsTheGreatestLowerBound) {
  LayoutSampler sampler(5);
  TileShape shape = tile({8, 16});
  std::vector<AxisInfo> infos = {AxisInfo::unknown(shape),
                                 AxisInfo::splat(shape, 4),
                                 AxisInfo::splat(shape, 32),
                                 AxisInfo::splat_constant(shape, 12),
                                 AxisInfo::iota(shape, 0),
                                 AxisInfo::iota(shape, 1),
                                 floor_div(AxisInfo::iota(shape, 1), 4)};
  for (const AxisInfo& a : infos) {
    EXPECT_EQ(join(a, a), a);
    EXPECT_EQ(join(a, AxisInfo::unknown(shape)), AxisInfo::unknown(shape));
    for (const AxisInfo& b : infos) {
      EXPECT_EQ(join(a, b), join(b, a));
      EXPECT_EQ(join(a, join(a, b)), join(a, b));
      for (const AxisInfo& c : infos) EXPECT_EQ(join(a, join(b, c)), join(join(a, b), c));
    }
  }
}

TEST(AxisInfo, BroadcastAndTranspose) {
  TileShape column = tile({16, 1}), full = tile({16, 64});
  AxisInfo rows = broadcast(mul(AxisInfo::iota(column, 0), AxisInfo::splat_constant(column, 4)), full);
  Value value{rows, {}};
  for (int64_t e = 0; e < 16 * 64; ++e) value.elements.push_back(e / 64 * 4);
  EXPECT_EQ(refute(full, value), "");
  EXPECT_EQ(rows.constancy[1], 64);
  EXPECT_EQ(rows.divisibility[1], 4);
  AxisInfo moved = transpose(AxisInfo::iota(full, 0), std::vector<int>{1, 0});
  EXPECT_EQ(moved, AxisInfo::iota(tile({64, 16}), 1));
  // A scalar becomes a tile.
  EXPECT_EQ(broadcast(AxisInfo::splat(tile({}), 8), full), AxisInfo::splat(full, 8));
}

TEST(AxisInfo, ExtremeValues) {
  TileShape scalar = tile({});
  EXPECT_EQ(AxisInfo::splat_constant(scalar, 0).divisor(), AxisInfo::max_divisibility);
  EXPECT_EQ(AxisInfo::splat(scalar, INT64_MIN).divisor(), AxisInfo::max_divisibility);
  EXPECT_EQ(mul(AxisInfo::splat(scalar, int64_t{1} << 40), AxisInfo::splat(scalar, int64_t{1} << 40)).divisor(),
            AxisInfo::max_divisibility);
  EXPECT_EQ(floor_div(AxisInfo::splat_constant(scalar, -7), 2).constant, -4);
  EXPECT_EQ(floor_mod(AxisInfo::splat_constant(scalar, -7), 4).constant, 1);
  EXPECT_THROW(floor_div(AxisInfo::splat(scalar, 1), 0), CompileError);
  EXPECT_THROW(floor_mod(AxisInfo::splat(scalar, 1), -2), CompileError);
}

}  // namespace
}  // namespace sinter::tile_ir
