// SPDX-License-Identifier: Apache-2.0
// What the fuzzer found, minimised.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sinter::fuzz
