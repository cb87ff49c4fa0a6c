// SPDX-License-Identifier: Apache-2.0
#include "src/loop/evaluate.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "src/loop/canonical_fold.h"

namespace sinter::loop {
namespace {

constexpr std::string_view softmax = R"(program softmax {
  symbols 1
  range s0 2 1000
  buffer b0 input 0 : f32 [3, s0] strides [s0, 1] offset [0]
  buffer b1 output 0 : f32 [3, s0] strides [s0, 1] offset [0]
  group softmax_0 {
    nodes 1 2 3
    note several folds of one input
    nest [a0 < 3, reduce a1 < s0] {
      %0 = load b0[a0, a1] : f32
      %1 = reduce amax %0 : f32
      %2 = sub %0, %1 : f32
      %3 = ex2_approx %2 : f32
      %4 = reduce sum %3 : f32
      %5 = div %3, %4 : f32
      store b1[a0, a1] = %5
    }
  }
}
)";

constexpr std::string_view gather = R"(program take {
  symbols 1
  number s0 f64
  buffer b0 input 0 : i64 [4] strides [1] offset [0]
  buffer b1 input 1 : u8 [3] strides [2] offset [1]
  buffer b2 output 0 : f64 [4] strides [1] offset [0]
  status
  message [index_select] an index is out of range\n  at take.cpp:7
  alias output 1 input 1 strides [2] offset [1]
  group take_0 {
    nest [a0 < 4] {
      %0 = load b0[a0] : i64
      %1 = to_index check %0 [3] message 0 : i64
      %2 = load b1[v1] : u32
      %3 = convert<f64> %2 : f64
      %4 = number s0 : f64
      %5 = constant -0 : f64
      %6 = constant 0x7ff8000000000000 : f64
      %7 = constant 2 : i64
      %8 = index [a0 % 2] : i64
      %9 = lt %8, %7 : boolean
      %10 = add %3, %4 : f64
      %11 = select %9, %10, %6 : f64
      store b2[-a0 + 3] = %11
    }
  }
}
)";

TEST(LoopText, PrintOfParseIsTheText) {
  for (std::string_view text : {softmax, gather}) {
    const Program p = parse(text);
    verify(p);
    EXPECT_EQ(print(p), text);
  }
}

TEST(LoopText, ErrorsNameTheLine) {
  try {
    parse("program p {\n  buffer b0 input 0 : f33 [] strides [] offset [0]\n}\n");
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find("line 2: 'f33' is no dtype"), std::string::npos) << e.what();
  }
}

TEST(LoopVerify, RefusesBrokenPrograms) {
  const std::string good(gather);
  const std::pair<std::string_view, std::string_view> damages[] = {
      {"load b1[v1] : u32", "load b1[v0] : u32"},  // no to_index
      {"%3 = convert<f64> %2 : f64", "%3 = convert<f64> %2 : f32"},
      {"to_index check %0 [3] message 0", "to_index check %0 [3] message 1"},
      {"store b2[-a0 + 3]", "store b2[0]"},        // all elements into one
      {"store b2[-a0 + 3]", "store b0[-a0 + 3]"},  // an input
      {"load b0[a0]", "load b0[a1]"},
      {"load b0[a0]", "load b0[a0, 0]"},
      {"add %3, %4", "add %3, %11"},
      {"number s0 : f64", "number s1 : f64"},
  };
  for (const auto& [from, to] : damages) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    EXPECT_THROW(verify(parse(bad)), CompileError) << to;
  }
}

TEST(LoopEvaluate, SoftmaxRows) {
  const int64_t n = 700;
  std::vector<float> x(3 * n), y(3 * n);
  std::iota(x.begin(), x.end(), 0.0f);
  const int64_t symbols[] = {n};
  const HostMemory in[] = {{x.data(), 3 * n}}, out[] = {{y.data(), 3 * n}};
  evaluate(parse(softmax), in, out, symbols);
  EXPECT_NEAR(y[n - 1], 0.5, 1e-6);
  EXPECT_NEAR(std::accumulate(y.begin() + n, y.begin() + 2 * n, 0.0), 1, 1e-6);
}

TEST(LoopEvaluate, NumbersIndicesAndBounds) {
  std::vector<int64_t> at = {2, 0, -1, 1};
  std::vector<uint8_t> bytes = {99, 10, 99, 20, 99, 30};
  std::vector<double> y(4);
  const Program p = parse(gather);
  int64_t symbols[] = {0};
  const double half = 0.5;
  std::memcpy(symbols, &half, sizeof half);
  const HostMemory in[] = {{at.data(), 4}, {bytes.data(), 6}}, out[] = {{y.data(), 4}};
  evaluate(p, in, out, symbols);
  EXPECT_EQ(y, (std::vector<double>{20.5, 30.5, 10.5, 30.5}));
  const HostMemory small[] = {{at.data(), 4}, {bytes.data(), 5}};
  EXPECT_THROW(evaluate(p, small, out, symbols), CompileError);
  at[1] = 3;
  EXPECT_THROW(evaluate(p, in, out, symbols), UserError);
}

std::vector<scalar::Constant> random_floats(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<scalar::Constant> v;
  for (size_t i = 0; i < n; ++i) v.push_back(scalar::constant_f32(normal(random)));
  return v;
}

TEST(CanonicalFold, SmallCasesByHand) {
  const auto f = [](float v) { return scalar::constant_f32(v); };
  const float big = 1e8f;
  // ((a + b) + (c + d)) + e
  const scalar::Constant five[] = {f(big), f(1), f(-big), f(1), f(1)};
  EXPECT_EQ(scalar::as_double(canonical_fold(ReduceKind::sum, f32, five)), (big + 1.0f) + (-big + 1.0f) + 1.0f);
  EXPECT_EQ(canonical_fold(ReduceKind::sum, f32, {}).bits, 0u);
  EXPECT_EQ(scalar::as_double(canonical_fold(ReduceKind::prod, f64, {})), 1);
  EXPECT_EQ(scalar::as_int(canonical_fold(ReduceKind::amax, i32, {})), std::numeric_limits<int32_t>::min());
  // Partial 0 is element 0 + 256 + 512 + 768 in this order; the others are 0.
  std::vector<scalar::Constant> strided(1024, f(0));
  strided[0] = f(big), strided[256] = f(1), strided[512] = f(-big), strided[768] = f(1);
  EXPECT_EQ(scalar::as_double(canonical_fold(ReduceKind::sum, f32, strided)), ((big + 1.0f) + -big) + 1.0f);
}

TEST(CanonicalFold, PaddingChangesNoBit) {
  for (size_t n : {1u, 7u, 255u, 256u, 257u, 1000u, 1025u, 5000u})
    for (ReduceKind kind : {ReduceKind::sum, ReduceKind::prod, ReduceKind::amax, ReduceKind::amin}) {
      std::vector<scalar::Constant> v = random_floats(n, static_cast<uint32_t>(n));
      if (n == 1) v[0] = scalar::constant_f32(-0.0f);
      const scalar::Constant plain = canonical_fold(kind, f32, v);
      v.resize(8192, reduction_padding(kind, f32));
      EXPECT_EQ(canonical_fold(kind, f32, v).bits, plain.bits) << n;
    }
}

}  // namespace
}  // namespace sinter::loop
