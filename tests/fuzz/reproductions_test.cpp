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

}  // namespace
}  // namespace sinter::fuzz
