// SPDX-License-Identifier: Apache-2.0
//
// The documented error bounds, over 10^7 pairs. tools/math/sweep_pairs.cpp does 10^9.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/math/pairs.h"

namespace sinter::math_test {
namespace {

class OfTwo : public testing::TestWithParam<Function2> {
 protected:
  /// The table's row: pairs are chosen by it.
  const Function2& function() const {
    for (const Function2& f : functions_of_two)
      if (std::string(f.name) == GetParam().name) return f;
    return GetParam();
  }
};

TEST_P(OfTwo, IsWithinItsBounds) {
  const Function2& f = function();
  constexpr int pairs = 10'000'000;
  int reported = 0;
  std::mt19937 random(1);
  for (int i = 0; i < pairs && reported < 10; ++i) {
    const auto [y, x] = pair_for(f, random);
    for (int definition = 0; definition < 3; ++definition) {
      const double error = error_of(f, y, x, definition);
      if (error <= f.bounds[definition]) continue;
      ++reported;
      ADD_FAILURE() << formats()[static_cast<size_t>(definition)].name << " " << f.name << "(" << y << ", " << x
                    << ") = " << f.evaluate(y, x, definition) << ", error " << error << " ulp";
    }
  }
}

TEST_P(OfTwo, SpecialPairsAreThoseOfC) {
  const Function2& f = function();
  std::vector<float> values = {0.0f,  0x1p-149f,     0x1.8p-130f, 0x1p-126f, 0.3f,           0.5f,     0x1.fffffep-1f,
                               1.0f,  0x1.000002p0f, 1.5f,        2.0f,      3.0f,           4.0f,     5.5f,
                               1e10f, 0x1p23f + 1,   0x1p24f,     0x1p32f,   0x1.fffffep23f, 0x1p126f, 0x1.fffffep127f};
  values.push_back(std::numeric_limits<float>::infinity());
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (const float y : values)
    for (const float x : values)
      for (int definition = 0; definition < 3; ++definition)
        EXPECT_LE(error_of(f, y, x, definition), f.bounds[definition])
            << f.name << "(" << y << ", " << x << ") = " << f.evaluate(y, x, definition);
}

INSTANTIATE_TEST_SUITE_P(All, OfTwo, testing::ValuesIn(functions_of_two),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace sinter::math_test
