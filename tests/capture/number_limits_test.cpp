// SPDX-License-Identifier: Apache-2.0
// Numbers at and beyond the limits of dtypes and extents: PyTorch's values and refusals, also once they are promoted.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls that put a number into a tensor of a dtype.
std::vector<std::pair<const char*, std::function<Tensor(DType, double)>>> fills() {
  return {{"full", [](DType t, double v) { return full({2}, v, t); }},
          {"full_like", [](DType t, double v) { return full_like(zeros({2}), v, t); }},
          {"masked_fill",
           [](DType t, double v) { return masked_fill(zeros({2}, t), to(from<uint8_t>({1, 1}), boolean), v); }},
          {"pad", [](DType t, double v) { return slice(pad(zeros({1}, t), {0, 2}, v), 0, 1); }},
          {"linspace", [](DType t, double v) { return linspace(v, v, 2, t); }}};
}

TEST(NumberLimits, NothingBecomesInfinityThatWasNone) {
  const std::pair<DType, double> largest[] = {
      {f16, 65504}, {bf16, 0x1.fep127}, {f32, 0x1.fffffep127}, {f64, std::numeric_limits<double>::max()}};
  for (const auto& [name, fill] : fills())
    for (const auto& [t, limit] : largest)
      for (const double sign : {1.0, -1.0}) {
        EXPECT_EQ(to_vector<double>(to(fill(t, sign * limit), f64)), std::vector<double>(2, sign * limit))
            << name << " " << t.name();
        if (t == f64) continue;
        // PyTorch refuses also what would round to the limit.
        for (const double over : {std::nextafter(limit, infinity), limit * 2, 1e300}) {
          const std::string text = refusal<UserError>([&] { (void)fill(t, sign * over); });
          EXPECT_TRUE(contains(text, std::string("[") + name + "]")) << text;
          EXPECT_TRUE(contains(text, "does not fit into " + std::string(t.name()))) << text;
        }
      }
}

TEST(NumberLimits, InfinityAndNaNStay) {
  for (const auto& [name, fill] : fills()) {
    if (std::string_view(name) == "linspace") continue;  // inf - inf is NaN in between
    for (const DType t : {f16, bf16, f32, f64}) {
      EXPECT_EQ(to_vector<double>(to(fill(t, -infinity), f64))[0], -infinity) << name;
      EXPECT_TRUE(std::isnan(to_vector<double>(to(fill(t, std::nan("")), f64))[0])) << name;
    }
  }
}

TEST(NumberLimits, PromotedNumbersAreCheckedOnEveryCall) {
  double v = 1;
  auto f = compile([&] { return full({2}, v, f16) + 1; });
  for (const double each : {1.0, 2.0, 65504.0}) {
    v = each;
    EXPECT_EQ(to_vector<float>(to(f(), f32))[1], std::min(each + 1, 65504.0));
  }
  v = 65505;
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)f(); }), "65505 does not fit into f16"));
}

TEST(NumberLimits, OffsetsBeyondEveryExtent) {
  const Tensor ones4 = ones({4, 4}), five = arange(5);
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  for (const int64_t k : {(int64_t{1} << 40) + 1, int64_t{1} << 62, most}) {
    EXPECT_EQ(item<float>(sum(triu(ones4, k))), 0) << k;
    EXPECT_EQ(item<float>(sum(tril(ones4, k))), 16) << k;
    EXPECT_EQ(diagonal(ones4, k).numel(), 0) << k;
  }
  for (const int64_t k : {-(int64_t{1} << 41), -(int64_t{1} << 62), least}) {
    EXPECT_EQ(item<float>(sum(triu(ones4, k))), 16) << k;
    EXPECT_EQ(item<float>(sum(tril(ones4, k))), 0) << k;
    EXPECT_EQ(diagonal(ones4, k).numel(), 0) << k;
  }
  // As PyTorch's: 2^41 is 2 more than a multiple of 5, 2^62 4 more, 2^63 - 1 2 more.
  const std::pair<int64_t, std::vector<int64_t>> rolled[] = {{int64_t{1} << 41, {3, 4, 0, 1, 2}},
                                                             {-(int64_t{1} << 41), {2, 3, 4, 0, 1}},
                                                             {int64_t{1} << 62, {1, 2, 3, 4, 0}},
                                                             {most, {3, 4, 0, 1, 2}}};
  for (const auto& [shift, expected] : rolled) {
    EXPECT_EQ(to_vector<int64_t>(roll(five, {shift})), expected) << shift;
    EXPECT_EQ(to_vector<int64_t>(roll(five, {shift}, {-1})), expected) << shift;
  }
  EXPECT_EQ(roll(zeros({0}), {most}).numel(), 0);
  EXPECT_FALSE(refusal<UserError>([&] { (void)roll(five, {most}, {1}); }).empty());
  EXPECT_FALSE(refusal<UserError>([&] { (void)roll(zeros({}), {most}, {0}); }).empty());
}

TEST(NumberLimits, RefusalsShowTheNumberThatWasGiven) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const std::string text = refusal<UserError>([&] { (void)slice(arange(5), 0, 0, 5, least); });
  EXPECT_TRUE(contains(text, std::to_string(least))) << text;
}

}  // namespace
}  // namespace sinter::test
