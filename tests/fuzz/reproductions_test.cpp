// SPDX-License-Identifier: Apache-2.0
// What the fuzzer found, minimised.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/fuzz/compare.h"

namespace sinter::fuzz {
namespace {

// A literal base made LLVM rewrite pow(8, x) as exp2(3 * x), which is rounded twice.
TEST(Reproductions, PowerOfALiteralBase) {
  EXPECT_EQ(difference_of({R"(graph "fuzz_21016" on cpu {
  %0 f64 [1000] = input
  %1 f64 [1000] = pow(%0) lhs=8, rhs=none, form=general
  return %1
}
)",
                           3}),
            "");
}

// 0.5 and 0.25 as promoted numbers were truncated before they became truth values.
TEST(Reproductions, PromotedFractionsAreTrue) {
  EXPECT_EQ(difference_of({R"(graph "fuzz_384" on cpu {
  symbols 1
  %0 f32 [1] = input
  %1 boolean [1] = logical_xor(%0) lhs=none, rhs=floating s0
  return %1
}
)",
                           384,
                           {{0x3fe0000000000000}, {0x3fd0000000000000}},
                           0}),
            "");
}

// -1.0, 1e30 and NaN as promoted numbers wrapped into u32 and i32 where literals saturate.
TEST(Reproductions, PromotedFloatingNumbersSaturate) {
  EXPECT_EQ(difference_of({R"(graph "fuzz_10946" on cpu {
  symbols 1
  %0 u32 [1] = full() shape=[1], value=floating s0, dtype=u32, device=cpu
  %1 i32 [1] = full() shape=[1], value=floating s0, dtype=i32, device=cpu
  %2 u64 [1] = full() shape=[1], value=floating s0, dtype=u64, device=cpu
  return %0, %1, %2
}
)",
                           1,
                           {{-0x4010000000000000}, {0x46293e5939a08cea}, {0x7ff8000000000000}, {-0x39d6c1a6c65f7316}},
                           0}),
            "");
}

// The runtime converts a promoted number by itself; this is the conversion of the table of scalar ops.
TEST(Reproductions, PromotedNumbersConvertAsTheTableSays) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> values{0, -0.0, 0.25, -0.75, 1.5, -1.5, inf, -inf, std::nan(""), 1e-310, 1e300, -1e300};
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64})
    for (const double sign : {1.0, -1.0})
      for (const double off : {-1.0, -0.5, 0.0, 0.5, 1.0}) values.push_back(sign * (std::ldexp(1.0, bits) + off));
  std::vector<std::vector<int64_t>> calls;
  for (const double v : values) calls.push_back({std::bit_cast<int64_t>(v)});
  for (const DType t : all_dtypes) {
    const std::string text = fmt::format(
        "graph \"numbers\" on cpu {{\n  symbols 1\n  %0 {0} [3] = full() shape=[3], value=floating s0, dtype={0}, "
        "device=cpu\n  return %0\n}}\n",
        t.name());
    EXPECT_EQ(difference_of({text.c_str(), 1, calls, 0}), "") << t.name();
  }
}

}  // namespace
}  // namespace sinter::fuzz
