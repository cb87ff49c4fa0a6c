// SPDX-License-Identifier: Apache-2.0
// Negative zeros that ops of PyTorch keep.
#include <cmath>
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(SignedZeros, ReluKeepsThem) {
  for (const DType t : {f16, bf16, f32, f64})
    for (const int64_t n : {1, 7, 64}) {  // scalars, tails and vectors
      const Tensor x = full({n}, -0.0, t);
      auto f = compile([](const Tensor& a) { return relu(a); });
      for (const Tensor& y : {relu(x), f(x), relu_(clone(x))})
        for (const double v : to_vector<double>(to(y, f64))) EXPECT_TRUE(v == 0 && std::signbit(v)) << t.name();
      EXPECT_TRUE(std::isnan(item<double>(to(select(relu(full({n}, NAN, t)), 0, 0), f64))));
      EXPECT_EQ(item<double>(to(select(relu(full({n}, -1.5, t)), 0, 0), f64)), 0);
    }
}

}  // namespace
}  // namespace sinter::test
