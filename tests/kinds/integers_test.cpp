// SPDX-License-Identifier: Apache-2.0
// Narrow integers wrap before anything reads them; no division faults, wherever in a vector it stands; floating values
// become integers by one rule.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "tests/kinds/everywhere.h"

namespace sinter::test {
namespace {

template <class T>
class Integers : public testing::Test {};
using AllIntegers = testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(Integers, AllIntegers);

template <class T>
Tensor tensor(const std::vector<T>& values) {
  return from(values, {static_cast<int64_t>(values.size())});
}

template <class T>
T wrapped(uint64_t v) {
  return static_cast<T>(v);
}

/// u8: (128 + 128) as i16, -6 < 4, the sum of -|200|, -7 + 1.5; and the same for the other widths.
TYPED_TEST(Integers, WrapBeforeTheyWiden) {
  using T = TypeParam;
  constexpr T top = static_cast<T>(T{1} << (8 * sizeof(T) - 1 - (std::is_signed_v<T> ? 1 : 0)));
  const std::vector<T> values = {
      top, static_cast<T>(top + top / 2), 6, 7, 0, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  std::vector<T> doubled, negative, left;
  std::vector<int64_t> wide;
  std::vector<float> sums;
  uint64_t total = 0;
  for (const T v : values) {
    const auto u = static_cast<uint64_t>(v);
    doubled.push_back(wrapped<T>(u + u));
    wide.push_back(static_cast<int64_t>(doubled.back()));
    negative.push_back(wrapped<T>(uint64_t{0} - u));
    left.push_back(wrapped<T>(u << 1));
    sums.push_back(static_cast<float>(negative.back()) + 1.5f);
    const T magnitude = v < T{0} ? wrapped<T>(uint64_t{0} - u) : v;
    total += static_cast<uint64_t>(wrapped<T>(uint64_t{0} - static_cast<uint64_t>(magnitude)));
  }
  const auto runs = everywhere(
      [](const Tensors& x) -> Tensors {
        const Tensor y = -abs(x[0]);
        return {to(x[0] + x[0], i64), x[0] * 2,    neg(x[0]),     x[0] << 1,
                neg(x[0]) + 1.5,      ~(x[0] - 1), neg(x[0]) < 4, sum(cat({y, y}))};
      },
      {tensor(values)});
  expect_everywhere(runs, 0, tensor(wide));
  expect_everywhere(runs, 1, tensor(doubled));
  expect_everywhere(runs, 2, tensor(negative));
  expect_everywhere(runs, 3, tensor(left));
  expect_everywhere(runs, 4, tensor(sums));
  expect_everywhere(runs, 5, tensor(negative));
  std::vector<uint8_t> below;
  for (const T v : negative) below.push_back(v < T{4});
  expect_everywhere(runs, 6, to(tensor(below), boolean));
  expect_everywhere(runs, 7, reshape(tensor<int64_t>({static_cast<int64_t>(2 * total)}), {}));
}

template <class T>
struct Division {
  T quotient, remainder, floor, modulo;
};

/// By the contract: x / 0 has all bits set, x % 0 is x, and the smallest number by -1 is itself.
template <class T>
Division<T> divide(T a, T b) {
  if (b == 0) return {static_cast<T>(~T{0}), a, static_cast<T>(~T{0}), a};
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    const T negative = wrapped<T>(uint64_t{0} - static_cast<uint64_t>(a));
    return {negative, 0, negative, 0};
  }
  const T q = static_cast<T>(a / b), r = static_cast<T>(a % b);
  const bool moved = r != 0 && (r < T{0}) != (b < T{0});
  return {q, r, static_cast<T>(moved ? q - 1 : q), static_cast<T>(moved ? r + b : r)};
}

Tensors divisions(const Tensor& a, Operand b) {
  const auto other = [&] { return b.is_tensor() ? Operand(b.tensor()) : Operand(b.number_bits()); };
  return {div(a, other(), {.rounding_mode = RoundingMode::trunc}), fmod(a, other()), floor_divide(a, other()),
          remainder(a, other())};
}

template <class T>
void expect_divisions(const std::vector<Outcome>& runs, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> expected[4];
  for (size_t i = 0; i < a.size(); ++i) {
    const Division<T> d = divide(a[i], b[i]);
    expected[0].push_back(d.quotient);
    expected[1].push_back(d.remainder);
    expected[2].push_back(d.floor);
    expected[3].push_back(d.modulo);
  }
  for (size_t i = 0; i < 4; ++i) expect_everywhere(runs, i, tensor(expected[i]));
}

/// All pairs: zeros and -1 stand in whole vectors and in the tail.
TYPED_TEST(Integers, NeverFaultInDivision) {
  using T = TypeParam;
  const T few[] = {
      0, 1, static_cast<T>(-1), 7, static_cast<T>(-7), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  std::vector<T> a, b;
  for (const T x : few)
    for (const T y : few) {
      a.push_back(x);
      b.push_back(y);
    }
  a.insert(a.end(), {5, std::numeric_limits<T>::min(), 3});
  b.insert(b.end(), {0, static_cast<T>(-1), 0});
  expect_divisions(everywhere([](const Tensors& x) { return divisions(x[0], x[1]); }, {tensor(a), tensor(b)}), a, b);
  expect_divisions(everywhere([](const Tensors& x) { return divisions(x[0], 0); }, {tensor(a)}), a,
                   std::vector<T>(a.size(), 0));
  auto promoted = compile([](Tensor x, int64_t n) { return divisions(x, n); });
  (void)promoted(tensor(a), 3);
  for (const int64_t n : {int64_t{5}, int64_t{0}, std::is_signed_v<T> ? int64_t{-1} : int64_t{1}, int64_t{0}})
    expect_divisions({{"promoted", promoted(tensor(a), n)}}, a, std::vector<T>(a.size(), static_cast<T>(n)));
}

template <class T>
T shifted_left(T x, int64_t n) {
  return n < 0 || n >= static_cast<int64_t>(8 * sizeof(T)) ? T{0} : wrapped<T>(static_cast<uint64_t>(x) << n);
}

template <class T>
T shifted_right(T x, int64_t n) {
  if (n < 0 || n >= static_cast<int64_t>(8 * sizeof(T))) return x < T{0} ? static_cast<T>(~T{0}) : T{0};
  return static_cast<T>(x >> n);
}

template <class T>
void expect_shifts(const std::vector<Outcome>& runs, const std::vector<T>& x, int64_t n) {
  std::vector<T> left, right;
  for (const T v : x) {
    left.push_back(shifted_left(v, n));
    right.push_back(shifted_right(v, n));
  }
  expect_everywhere(runs, 0, tensor(left));
  expect_everywhere(runs, 1, tensor(right));
}

/// Also counts that would be 0 in the dtype of x, as 256 in u8.
TYPED_TEST(Integers, AreShiftedOutPastTheirWidth) {
  using T = TypeParam;
  constexpr int64_t width = 8 * sizeof(T);
  const std::vector<T> x = {1, 5, static_cast<T>(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0};
  std::vector<int64_t> counts = {0, 1, width - 1, width, width + 1, 63, 64, 255, 256, 65536, int64_t{1} << 32, -1, -2};
  counts.push_back(std::numeric_limits<int64_t>::min());
  auto promoted = compile([](Tensor in, int64_t n) -> Tensors { return {in << n, in >> n}; });
  (void)promoted(tensor(x), 3);
  for (const int64_t n : counts) {
    SCOPED_TRACE(n);
    expect_shifts({{"promoted", promoted(tensor(x), n)}}, x, n);
    auto literal = compile([n](Tensor in) -> Tensors { return {in << n, in >> n}; }, {.backend = "reference"});
    expect_shifts({{"literal", literal(tensor(x))}}, x, n);
    if ((n > 0 && static_cast<uint64_t>(n) > static_cast<uint64_t>(std::numeric_limits<T>::max())) ||
        (n < 0 && !std::is_signed_v<T>) || n < -2)
      continue;
    const Tensor count = tensor(std::vector<T>(x.size(), static_cast<T>(n)));
    auto by_tensor = compile([](Tensor in, Tensor by) -> Tensors { return {in << by, in >> by}; });
    expect_shifts({{"tensor", by_tensor(tensor(x), count)}}, x, n);
  }
  const auto runs = everywhere([](const Tensors& in) -> Tensors { return {in[0] << 256, in[0] >> 256}; }, {tensor(x)});
  expect_shifts(runs, x, 256);
}

template <class T>
T saturated(double v) {
  if (std::isnan(v)) return 0;
  if (v >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  if (v <= (std::is_signed_v<T> ? -std::ldexp(1.0, std::numeric_limits<T>::digits) : 0.0))
    return std::numeric_limits<T>::min();
  return static_cast<T>(v);
}

/// As vectors, as scalars and folded.
TYPED_TEST(Integers, ComeFromFloatsByOneRule) {
  using T = TypeParam;
  const std::vector<double> values = {1.541, -0.2934,      -2.1788, 0.5684,       -1.0845,  300.7,     -300.7,
                                      1e30,  -1e30,        255.9,   std::nan(""), HUGE_VAL, -HUGE_VAL, 65536,
                                      -129,  2147483648.0, 3e9,     1e19,         127.99};
  for (const DType source : {f16, bf16, f32, f64}) {
    SCOPED_TRACE(source.name());
    const Tensor x = tensor_of(source, values);
    const std::vector<scalar::Constant> rounded = elements(x);
    std::vector<T> expected;
    for (const scalar::Constant& c : rounded) expected.push_back(saturated<T>(scalar::as_double(c)));
    const auto runs = everywhere(
        [&](const Tensors& in) -> Tensors {
          Tensors results = {to(in[0], dtype_of<T>())};
          for (const size_t i : {0, 1, 6, 7, 10})
            results.push_back(to(full({3}, scalar::as_double(rounded[i]), source, in[0].device()), dtype_of<T>()));
          results.push_back(to(select(in[0], 0, 5), dtype_of<T>()));
          return results;
        },
        {x});
    expect_everywhere(runs, 0, tensor(expected));
    size_t result = 1;
    for (const size_t i : {0, 1, 6, 7, 10}) expect_everywhere(runs, result++, tensor(std::vector<T>(3, expected[i])));
    expect_everywhere(runs, result, reshape(tensor<T>({expected[5]}), {}));
  }
}

}  // namespace
}  // namespace sinter::test
