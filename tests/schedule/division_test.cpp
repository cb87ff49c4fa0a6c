// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/division.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "src/loop/builder.h"

namespace sinter::schedule {
namespace {

/// The fast path of divide_by_shared.
float shared_quotient(float x, float d) {
  const float r = 1.0f / d, q = x * r, n = std::fmaf(q, d, -x);
  return std::fmaf(n, -r, q);
}

bool same(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (a != a && b != b); }

/// Significands X whose quotient by D is next to the middle M / 2^k of two floats: 2^k X - M D = residue.
template <class F>
void each_hard_dividend(uint64_t D, const F& f) {
  const int even = std::countr_zero(D);
  const uint64_t odd = D >> even;
  uint64_t inverse = odd;  // mod 2^64
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  for (int k : {24, 25})
    for (int64_t residue : {-3, -2, -1, 1, 2, 3}) {
      if (residue % (int64_t{1} << even) != 0) continue;
      const int bits = k - even;
      const uint64_t low = (static_cast<uint64_t>(-(residue >> even)) * inverse) & ((uint64_t{1} << bits) - 1);
      for (uint64_t M = (uint64_t{1} << 24) / (uint64_t{1} << bits) * (uint64_t{1} << bits) + low;
           M < (uint64_t{1} << 25); M += uint64_t{1} << bits) {
        const int64_t scaled = static_cast<int64_t>(M * D) + residue;
        if (M < (uint64_t{1} << 24) || (M & 1) == 0 || (scaled & ((int64_t{1} << k) - 1)) != 0) continue;
        const int64_t X = scaled >> k;
        if (X >= (1 << 23) && X < (1 << 24)) f(static_cast<float>(X));
      }
    }
}

// The proof in division.h leaves these cases; they are all tried.
TEST(Division, EveryQuotientNextToAMiddleIsRoundedCorrectly) {
  int64_t cases = 0, wrong = 0;
  for (uint64_t D = 1 << 23; D < 1 << 24; ++D)
    each_hard_dividend(D, [&](float x) {
      ++cases;
      const auto d = static_cast<float>(D);
      if (!same(shared_quotient(x, d), x / d)) ++wrong;
    });
  EXPECT_GT(cases, 5'000'000);
  EXPECT_EQ(wrong, 0);
}

TEST(Division, RandomPairsAndSpecialDividends) {
  std::mt19937_64 random(1);
  const auto number = [&] {
    const auto bits = static_cast<uint32_t>(random());
    return std::ldexp(1 + static_cast<float>(bits & 0x7fffff) / 8388608.0f,
                      static_cast<int>(bits >> 23 & 127) % 121 - 60);
  };
  int64_t wrong = 0;
  for (int i = 0; i < 4'000'000; ++i) {
    const float x = number() * (i % 2 ? 1.0f : -1.0f), d = number();
    if (std::fabs(x) > 0x1p60f || d > 0x1p60f) continue;
    if (!same(shared_quotient(x, d), x / d)) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (float d : {0x1p-60f, 0.1f, 1.0f, 3.0f, 255.0f, 0x1p60f})
    for (float x : {0.0f, -0.0f, nan, 0x1p-60f, -0x1p-60f, 0x1p60f, -0x1p60f})
      EXPECT_TRUE(same(shared_quotient(x, d), x / d)) << x << " / " << d;
}

class Ranges : public testing::Test {
 protected:
  loop::Body body;
  loop::Builder b{body};
  graph::Ranges indices;
  ValueRange of(loop::Value v) { return ValueRanges(body, indices).of(v.id); }
  loop::Value load(DType t) { return body.load(t.bits() + static_cast<int>(t.kind()), t, {graph::Expr::axis(0)}); }
};

TEST_F(Ranges, FollowArithmetic) {
  const loop::Value byte = b.convert(load(u8), f32);
  EXPECT_EQ(of(byte).hi, 256);
  EXPECT_EQ(of(byte).lowest, 0);
  const ValueRange scaled = of(b.div(byte, b.f32(255)));
  EXPECT_LE(scaled.hi, 1.01);
  EXPECT_LE(scaled.lowest, -31);
  EXPECT_GE(scaled.lowest, -40);
  const ValueRange shifted = of(b.sub(byte, b.f32(0.5f)));
  EXPECT_EQ(shifted.lo, -0.5);
  EXPECT_EQ(shifted.lowest, -1);
  EXPECT_EQ(of(load(f16)).lowest, -24);
  EXPECT_TRUE(std::isinf(of(load(f16)).hi));
  const ValueRange clamped = of(b.min(b.max(load(f32), b.f32(0)), b.f32(1)));
  EXPECT_EQ(clamped.lo, 0);
  EXPECT_EQ(clamped.hi, 1);
  EXPECT_EQ(clamped.lowest, -149);
  EXPECT_TRUE(std::isinf(of(b.mul(load(f32), byte)).hi));
  EXPECT_TRUE(std::isinf(of(b.sub(load(f32), load(f32))).lo));
}

TEST_F(Ranges, AssumeWhatTheyMayAndSayWhat) {
  const loop::Value mean = load(f32), pixel = b.div(b.convert(load(u8), f32), b.f32(255)), x = b.sub(pixel, mean);
  ValueRanges assuming(body, indices, [&](loop::ValueId id) { return id == mean.id; });
  EXPECT_TRUE(is_safe_dividend(assuming.of(x.id)));
  EXPECT_EQ(assuming.assumed(), std::vector<loop::ValueId>{mean.id});
  EXPECT_FALSE(is_safe_dividend(of(x)));
  // Of mean * 3 / 7 the whole is assumed, not the mean.
  const loop::Value shared = b.div(b.mul(mean, b.f32(3)), b.f32(7));
  ValueRanges outermost(body, indices, [&](loop::ValueId id) {
    return id != pixel.id && body[id].type == f32 && (id == shared.id || id == mean.id);
  });
  EXPECT_TRUE(is_safe_dividend(outermost.of(b.sub(pixel, shared).id)));
  EXPECT_EQ(outermost.assumed(), std::vector<loop::ValueId>{shared.id});
  // A product of two such values reaches below the range of safe dividends.
  ValueRanges product(body, indices, [&](loop::ValueId id) { return id == mean.id; });
  EXPECT_FALSE(is_safe_dividend(product.of(b.mul(x, mean).id)));
}

TEST_F(Ranges, HoldForRandomValues) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    // A random expression over a byte, and its value for one byte.
    loop::Value v = b.convert(load(u8), f32);
    float x = static_cast<float>(random() % 256);
    for (int step = 0; step < 5; ++step) {
      const float c = std::ldexp(static_cast<float>(random() % 4096) - 2048, static_cast<int>(random() % 20) - 14);
      switch (random() % 5) {
        case 0:
          v = b.add(v, b.f32(c)), x = x + c;
          break;
        case 1:
          v = b.mul(v, b.f32(c)), x = x * c;
          break;
        case 2:
          v = b.sub(v, b.f32(c)), x = x - c;
          break;
        case 3:
          v = b.max(v, b.f32(c)), x = std::max(x, c);
          break;
        default:
          if (c != 0) v = b.div(v, b.f32(c)), x = x / c;
      }
    }
    const ValueRange r = of(v);
    EXPECT_GE(x, r.lo);
    EXPECT_LE(x, r.hi);
    const double units = std::ldexp(static_cast<double>(x), -r.lowest);
    EXPECT_EQ(units, std::trunc(units)) << x << " is no multiple of 2^" << r.lowest;
  }
}

/// How many instructions of one scalar op a division becomes.
int count(const tile_ir::Kernel& k, scalar::ScalarOp op) {
  int n = 0;
  for (const tile_ir::Instruction& i : k.body.body) n += i.op == tile_ir::Op::scalar && i.scalar == op;
  return n;
}

TEST(Division, ChecksOnlyWhatRangesLeaveOpen) {
  const auto kernel = [](ValueRange x, ValueRange d) {
    tile_ir::KernelBuilder b("k");
    const int in = b.add_pointer("in", f32), out = b.add_pointer("out", f32, {.written = true});
    tile_ir::Access a;
    a.parts = tile_ir::along(0, 0);
    a.dims = {tile_ir::along(0, 1)};
    const tile_ir::Value v = b.block_load(in, a, {64});
    b.block_store(out, a, divide_by_shared(b, v, b.constant(f32, 3), x, d));
    return b.finish();
  };
  const ValueRange open, byte{0, 256, 0}, three{3, 3, 0};
  EXPECT_EQ(count(kernel(byte, three), scalar::ScalarOp::rare), 0);
  EXPECT_EQ(count(kernel(byte, three), scalar::ScalarOp::div), 1);
  EXPECT_EQ(count(kernel(open, three), scalar::ScalarOp::rare), 1);
  EXPECT_EQ(count(kernel(byte, open), scalar::ScalarOp::rare), 1);
}

// (x - m) / d with one m and one d for many x: the tests are on m and d alone.
TEST(Division, SharedOffsetsAreTestedOnce) {
  tile_ir::KernelBuilder b("k");
  const int in = b.add_pointer("in", f32), out = b.add_pointer("out", f32, {.written = true});
  tile_ir::Access a;
  a.parts = tile_ir::along(0, 0);
  a.dims = {tile_ir::along(0, 1)};
  const tile_ir::Value x = b.block_load(in, a, {64});
  const tile_ir::Value m[] = {b.parameter(b.add_scalar("m", f32))};
  const tile_ir::Value d = b.parameter(b.add_scalar("d", f32));
  b.block_store(out, a, divide_by_shared(b, x, d, {-1e12, 1e12, -49}, {}, m));
  const tile_ir::Kernel k = b.finish();
  EXPECT_EQ(count(k, scalar::ScalarOp::rare), 1);
  for (const tile_ir::Instruction& i : k.body.body) {
    const bool compares =
        i.op == tile_ir::Op::scalar && (i.scalar == scalar::ScalarOp::lt || i.scalar == scalar::ScalarOp::le);
    EXPECT_FALSE(compares && i.type.is_tile);
  }
}

}  // namespace
}  // namespace sinter::schedule
