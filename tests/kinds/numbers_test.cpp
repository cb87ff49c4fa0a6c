// SPDX-License-Identifier: Apache-2.0
// NaN and numbers of a higher category in extremes; special numbers as literals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kinds/everywhere.h"

namespace sinter::test {
namespace {

constexpr DType integers[] = {u8, u16, u32, u64, i8, i16, i32, i64};
constexpr DType floats[] = {f16, bf16, f32, f64};
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
/// Two vectors of 16 lanes and a tail.
constexpr size_t count = 37;

TEST(NaNInExtremes, ComesFromEitherSide) {
  std::vector<double> a(count), b(count), least(count), most(count), at_least_half(count), unit(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = i % 5 == 2 ? nan : static_cast<double>(i % 7) - 3;
    b[i] = i % 6 == 4 ? nan : 2 - static_cast<double>(i % 4);
    const bool either = std::isnan(a[i]) || std::isnan(b[i]);
    least[i] = either ? nan : std::min(a[i], b[i]);
    most[i] = either ? nan : std::max(a[i], b[i]);
    at_least_half[i] = std::isnan(a[i]) ? nan : std::max(a[i], 0.5);
    unit[i] = std::isnan(a[i]) ? nan : std::clamp(a[i], 0.0, 1.0);
  }
  for (const DType t : floats) {
    SCOPED_TRACE(t.name());
    const auto runs = everywhere(
        [](const Tensors& x) -> Tensors {
          return {minimum(x[0], x[1]),    minimum(x[1], x[0]),   clamp_max(x[0], x[1]), maximum(x[0], x[1]),
                  maximum(x[1], x[0]),    clamp_min(x[0], x[1]), clamp_min(x[0], 0.5),  clamp(x[0], 0, 1),
                  hardtanh(x[0], {0, 1}), clamp(x[0], 0, x[1])};
        },
        {tensor_of(t, a), tensor_of(t, b)});
    for (size_t i = 0; i < 3; ++i) expect_everywhere(runs, i, tensor_of(t, least));
    for (size_t i = 3; i < 6; ++i) expect_everywhere(runs, i, tensor_of(t, most));
    expect_everywhere(runs, 6, tensor_of(t, at_least_half));
    for (size_t i = 7; i < 9; ++i) expect_everywhere(runs, i, tensor_of(t, unit));
    for (const Outcome& run : runs)
      for (size_t k = 0; k < count; ++k)
        EXPECT_EQ(std::isnan(scalar::as_double(elements(run.results[9])[k])), std::isnan(a[k]) || std::isnan(b[k]));
  }
}

TEST(IntegersBesideFloatingNumbers, GiveF32) {
  const std::vector<double> values = {0, 1, 2, 3, 100}, at_least = {0.5, 1, 2, 3, 100},
                            at_most = {0, 0.5, 0.5, 0.5, 0.5};
  for (const DType t : integers) {
    SCOPED_TRACE(t.name());
    const auto runs = everywhere(
        [](const Tensors& x) -> Tensors { return {clamp_min(x[0], 0.5), clamp_max(x[0], 0.5), maximum(x[0], 0.5)}; },
        {tensor_of(t, values)});
    expect_everywhere(runs, 0, tensor_of(f32, at_least));
    expect_everywhere(runs, 1, tensor_of(f32, at_most));
    expect_everywhere(runs, 2, tensor_of(f32, at_least));
  }
}

/// Every number twice: as a literal, and promoted to a kernel argument.
Tensors filled(const Tensors& x, const std::vector<double>& numbers) {
  Tensors results;
  for (const double n : numbers) results.push_back(where(x[1], n, x[0]));
  return results;
}

TEST(SpecialNumbersAsLiterals, KeepTheirBits) {
  const std::vector<double> list = {inf,       -inf,           nan,    -0.0,   0x1p-149, -0x1p-149,
                                    0x1p-1074, 0x1.fffffep127, -65504, 0x1p-24};
  for (const DType t : floats) {
    SCOPED_TRACE(t.name());
    const Tensor x = tensor_of(t, {1, 2, 3}), mask = to(tensor_of(u8, {1, 0, 1}), boolean);
    const auto runs = everywhere([&](const Tensors& in) { return filled(in, list); }, {x, mask});
    for (size_t i = 0; i < list.size(); ++i) expect_everywhere(runs, i, tensor_of(t, {list[i], 2, list[i]}));
    auto promoted = compile([](Tensor in, Tensor chosen, double n) { return where(chosen, n, in); });
    (void)promoted(x, mask, 0.25);
    for (const double n : list) expect_everywhere({{"promoted", {promoted(x, mask, n)}}}, 0, tensor_of(t, {n, 2, n}));
  }
}

TEST(SpecialNumbersAsLiterals, BoundNothingWhereTheyAreInfinite) {
  const std::vector<double> values = {-inf, -2, -0.0, 0.5, inf, nan};
  for (const DType t : floats) {
    const auto runs = everywhere(
        [](const Tensors& x) -> Tensors {
          return {clamp(x[0], -1, inf), clamp(x[0], -inf, inf), nan_to_num(x[0], {.nan = -inf, .posinf = inf})};
        },
        {tensor_of(t, values)});
    expect_everywhere(runs, 0, tensor_of(t, {-1, -1, -0.0, 0.5, inf, nan}));
    expect_everywhere(runs, 1, tensor_of(t, values));
    const double least = t == f16    ? -65504
                         : t == bf16 ? -0x1.fep127
                         : t == f32  ? -0x1.fffffep127
                                     : -0x1.fffffffffffffp1023;
    expect_everywhere(runs, 2, tensor_of(t, {least, -2, -0.0, 0.5, inf, -inf}));
  }
}

TEST(SpecialNumbersAsLiterals, IncludeTheLimitsOfI64) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();
  const auto runs = everywhere(
      [](const Tensors& x) -> Tensors {
        return {where(x[0] > 0, lowest, x[0]), where(x[0] > 0, highest, x[0]), x[0] + lowest, x[0] ^ highest};
      },
      {tensor_of_integers(i64, {1, 0, -1})});
  expect_everywhere(runs, 0, tensor_of_integers(i64, {lowest, 0, -1}));
  expect_everywhere(runs, 1, tensor_of_integers(i64, {highest, 0, -1}));
  expect_everywhere(runs, 2, tensor_of_integers(i64, {lowest + 1, lowest, highest}));
  expect_everywhere(runs, 3, tensor_of_integers(i64, {highest - 1, highest, lowest}));
}

/// Also once the number is a kernel argument.
TEST(NumbersThatDoNotFit, AreRefusedOnEveryCall) {
  const Tensor x = tensor_of(u8, {1, 2, 3}), mask = to(tensor_of(u8, {1, 0, 1}), boolean);
  auto fill = compile([](Tensor in, Tensor chosen, int64_t n) { return masked_fill(in, chosen, n); });
  auto cut = compile([](Tensor in, int64_t n) { return threshold(in, 2, n); });
  for (const int64_t n : {3, 4, 5, 255}) {
    const auto v = static_cast<double>(n);
    expect_everywhere({{"fill", {fill(x, mask, n)}}}, 0, tensor_of(u8, {v, 2, v}));
    expect_everywhere({{"threshold", {cut(x, n)}}}, 0, tensor_of(u8, {v, v, 3}));
  }
  for (const int64_t n : {256, -1}) {
    EXPECT_THROW(fill(x, mask, n), UserError);
    EXPECT_THROW(cut(x, n), UserError);
  }
}

/// Sign bits of NaN differ between machines, and with the order of operands.
TEST(SignsOfNaN, ShowInNoResult) {
  for (const DType t : floats) {
    SCOPED_TRACE(t.name());
    const auto runs = everywhere(
        [](const Tensors& x) -> Tensors {
          const Tensor quotient = x[0] / x[0], difference = x[1] - x[1], root = sqrt(x[2]);
          const Tensor all =
              cat({quotient, -quotient, difference, -difference, root, -root, quotient + root, x[3], -x[3]});
          return {signbit(all), copysign(full({1}, -2, all.dtype(), all.device()), all), signbit(copysign(all, -1.0))};
        },
        {tensor_of(t, {0}), tensor_of(t, {inf}), tensor_of(t, {-1}), tensor_of(t, {nan})});
    const std::vector<double> none(9, 0), two(9, 2);
    expect_everywhere(runs, 0, tensor_of(boolean, none));
    expect_everywhere(runs, 1, tensor_of(t, two));
    expect_everywhere(runs, 2, tensor_of(boolean, none));
  }
}

/// All values of f16 and bf16 with their neighbours, which are those in the order of bits.
TEST(Neighbours, AreTheNextPatterns) {
  for (const DType t : {f16, bf16}) {
    SCOPED_TRACE(t.name());
    const uint32_t infinity = t == f16 ? 0x7c00 : 0x7f80;
    std::vector<uint16_t> all, above, below, inward;
    const auto moved = [](uint32_t pattern, int step) {
      return static_cast<uint16_t>(pattern + static_cast<uint32_t>(step));
    };
    for (const uint32_t sign : {0u, 0x8000u})
      for (uint32_t m = 0; m <= infinity; ++m) {
        const uint32_t pattern = sign | m;
        const bool largest = m == infinity;
        all.push_back(moved(pattern, 0));
        above.push_back(sign == 0 ? moved(pattern, largest ? 0 : 1) : m == 0 ? uint16_t{1} : moved(pattern, -1));
        below.push_back(sign != 0 ? moved(pattern, largest ? 0 : 1) : m == 0 ? uint16_t{0x8001} : moved(pattern, -1));
        inward.push_back(m == 0 ? uint16_t{0} : moved(pattern, -1));
      }
    const auto tensor = [&](const std::vector<uint16_t>& patterns) {
      return from_bytes(patterns.data(), patterns.size() * 2, {static_cast<int64_t>(patterns.size())}, t);
    };
    auto f = compile([](Tensor x) -> Tensors { return {nextafter(x, inf), nextafter(x, -inf), nextafter(x, 0.0)}; });
    const std::vector<Outcome> outcome = {{"cpu", f(tensor(all))}};
    expect_everywhere(outcome, 0, tensor(above));
    expect_everywhere(outcome, 1, tensor(below));
    expect_everywhere(outcome, 2, tensor(inward));
  }
}

}  // namespace
}  // namespace sinter::test
