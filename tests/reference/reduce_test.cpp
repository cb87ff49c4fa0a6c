// SPDX-License-Identifier: Apache-2.0
#include "src/reference/reduce.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "src/scalar/native.h"

namespace sinter::reference {
namespace {

using graph::ReduceKind;
using scalar::Constant;

std::vector<Constant> constants(const std::vector<float>& v) {
  std::vector<Constant> c;
  for (float x : v) c.push_back(scalar::constant_f32(x));
  return c;
}

float folded(ReduceKind kind, const std::vector<float>& v) {
  return scalar::from_constant<float>(fold(kind, f32, constants(v)));
}

// The canonical order written the other way round: from the top of the tree down, on floats.
std::optional<float> block(const std::vector<std::optional<float>>& v, size_t base, size_t size) {
  if (base >= v.size()) return std::nullopt;
  if (size == 1) return v[base];
  const auto low = block(v, base, size / 2), high = block(v, base + size / 2, size / 2);
  if (!low || !high) return low ? low : high;
  return *low + *high;
}

float canonical_sum(const std::vector<float>& v) {
  std::vector<std::optional<float>> chunks;
  for (size_t c = 0; c * 1024 < v.size(); ++c) {
    std::vector<std::optional<float>> partials(256);
    for (size_t p = 0; p < 256; ++p)
      for (size_t j = c * 1024 + p; j < std::min((c + 1) * 1024, v.size()); j += 256)
        partials[p] = partials[p] ? *partials[p] + v[j] : v[j];
    chunks.push_back(block(partials, 0, 256));
  }
  return block(chunks, 0, size_t{1} << 20).value_or(0);
}

TEST(Fold, SumOfAnyLengthHasTheCanonicalOrder) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1e4f, 1e4f);
  for (size_t n : {1u,   2u,   3u,    7u,    16u,   17u,   255u,  256u,  257u,  300u,
                   511u, 513u, 1023u, 1024u, 1025u, 1281u, 2048u, 3000u, 5121u, 65537u}) {
    std::vector<float> v(n);
    for (float& x : v) x = value(random);
    EXPECT_EQ(folded(ReduceKind::sum, v), canonical_sum(v)) << n;
  }
}

TEST(Fold, PartialsComeBeforeTheTree) {
  std::vector<float> v(257, -0.0f);
  v[0] = 0x1p24f;
  v[1] = -0x1p24f;
  v[256] = 1;
  EXPECT_EQ(folded(ReduceKind::sum, v), 0.0f);  // (2^24 + 1) rounds to 2^24; left to right it would be 1
}

TEST(Fold, NeighbouringPartialsCombineFirst) {
  EXPECT_EQ(folded(ReduceKind::sum, {1, 0x1p24f, -0x1p24f, 0}), 0.0f);  // (1 + 2^24) + (-2^24 + 0)
  EXPECT_EQ(folded(ReduceKind::sum, {1, 1, 0x1p24f, -0x1p24f}), 2.0f);
}

TEST(Fold, ChunksCombineAfterAChunkIsDone) {
  std::vector<float> v(2048, 0);
  v[0] = 0x1p24f;
  v[1] = 1;
  v[1024] = -0x1p24f;
  EXPECT_EQ(folded(ReduceKind::sum, v), 0.0f);
}

TEST(Fold, NothingGivesTheIdentity) {
  EXPECT_EQ(fold(ReduceKind::sum, f32, {}), scalar::constant_f32(0));
  EXPECT_EQ(fold(ReduceKind::prod, i64, {}), scalar::constant_int(i64, 1));
  EXPECT_THROW(fold(ReduceKind::amax, f32, {}), UserError);
  EXPECT_THROW(fold(ReduceKind::amin, f32, {}), UserError);
}

TEST(Fold, AbsentElementsAreSkippedNotAddedAsZero) {
  EXPECT_TRUE(std::signbit(folded(ReduceKind::sum, {-0.0f})));
  EXPECT_TRUE(std::signbit(folded(ReduceKind::sum, {-0.0f, -0.0f, -0.0f})));
}

TEST(Fold, ExtremesPropagateNaNAndOrderZeros) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (ReduceKind kind : {ReduceKind::amax, ReduceKind::amin}) EXPECT_TRUE(std::isnan(folded(kind, {1, nan, 2})));
  EXPECT_FALSE(std::signbit(folded(ReduceKind::amax, {-0.0f, 0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(folded(ReduceKind::amin, {0.0f, -0.0f, 0.0f})));
  EXPECT_EQ(folded(ReduceKind::amax, {-3, -1, -2}), -1.0f);
}

TEST(Fold, IntegersWrap) {
  const Constant v[] = {scalar::constant_int(i32, std::numeric_limits<int32_t>::max()), scalar::constant_int(i32, 2)};
  EXPECT_EQ(fold(ReduceKind::sum, i32, v), scalar::constant_int(i32, std::numeric_limits<int32_t>::min() + 1));
}

Array iota(DType t, const Dims& shape) {
  std::vector<double> v(static_cast<size_t>(shape.product()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i);
  return Array::of(t, shape, v);
}

TEST(Reduce, DimsAndKeepdim) {
  const Array x = iota(f32, {2, 3, 4});
  EXPECT_EQ(reduce(x, {ReduceKind::sum, {1}, false}, f32),
            Array::of(f32, {2, 4}, std::vector<double>{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(reduce(x, {ReduceKind::amax, {0, 2}, true}, f32),
            Array::of(f32, {1, 3, 1}, std::vector<double>{15, 19, 23}));
  EXPECT_EQ(reduce(x, {ReduceKind::sum, {0, 1, 2}, false}, f32), Array::of(f32, {}, std::vector<double>{276}));
  EXPECT_EQ(reduce(x, {ReduceKind::sum, {}, false}, f32), x);
}

TEST(Reduce, EmptyDims) {
  EXPECT_EQ(reduce(iota(f32, {2, 0}), {ReduceKind::sum, {1}, false}, f32), Array::zeros(f32, {2}));
  EXPECT_EQ(reduce(iota(f32, {0, 3}), {ReduceKind::amax, {1}, false}, f32), Array::zeros(f32, {0}));
}

TEST(Reduce, FoldsInTheComputeTypeOfTheResultAndRoundsOnce) {
  const Array bytes = Array::of(u8, {3}, std::vector<double>{255, 255, 255});
  EXPECT_EQ(reduce(bytes, {ReduceKind::sum, {0}, false}, i64), Array::of(i64, {}, std::vector<double>{765}));
  EXPECT_EQ(reduce(bytes, {ReduceKind::sum, {0}, false}, u8), Array::of(u8, {}, std::vector<double>{253}));
  // 2048 + 1 + 1 in f16 steps would stay at 2048; in f32 it is 2050.
  const Array halves = Array::of(f16, {3}, std::vector<double>{2048, 1, 1});
  EXPECT_EQ(reduce(halves, {ReduceKind::sum, {0}, false}, f16), Array::of(f16, {}, std::vector<double>{2050}));
  EXPECT_EQ(reduce(Array::of(boolean, {3}, std::vector<double>{1, 0, 1}), {ReduceKind::sum, {0}, false}, i64),
            Array::of(i64, {}, std::vector<double>{2}));
}

TEST(Reduce, TheLogicalIndexIsRowMajorOverTheReducedDims) {
  // Two dims reduced around a kept one: j = i0 * 2 + i2.
  Array x = Array::zeros(f32, {2, 3, 2});
  const float order[] = {1, 0x1p24f, -0x1p24f,
                         0};  // canonical: 0; transposed (1, -2^24, 2^24, 0): 1 would be lost otherwise
  for (int64_t j = 0; j < 4; ++j) x.set({j / 2, 1, j % 2}, scalar::constant_f32(order[j]));
  const Array sum = reduce(x, {ReduceKind::sum, {0, 2}, false}, f32);
  EXPECT_EQ(scalar::as_double(sum.at(1)), 0.0);
  for (int64_t j = 0; j < 4; ++j) x.set({j % 2, 1, j / 2}, scalar::constant_f32(order[j]));
  EXPECT_EQ(scalar::as_double(reduce(x, {ReduceKind::sum, {0, 2}, false}, f32).at(1)), 1.0);
}

}  // namespace
}  // namespace sinter::reference
