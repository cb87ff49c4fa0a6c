// SPDX-License-Identifier: Apache-2.0
// Numbers and extents of calls that move, pad or create elements: symbols from the first call, one compilation, then
// any value, with the bits that literals give; and where a symbolic entry does not hold, an entry or an error of its
// own.
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

struct SizedCall {
  const char* name;
  std::function<Tensor(const Tensor& x, int64_t n)> call;  ///< x is f32 [rows,columns]
};

const std::vector<SizedCall>& sized_calls() {
  static const std::vector<SizedCall> calls = {
      {"narrow", [](const Tensor& x, int64_t n) { return narrow(x, 1, n, n + 1); }},
      {"slice", [](const Tensor& x, int64_t n) { return slice(x, 1, n, 3 * n, 2); }},
      {"roll", [](const Tensor& x, int64_t n) { return roll(x, {n, n + 1}, {0, 1}); }},
      {"roll in row-major order", [](const Tensor& x, int64_t n) { return roll(x, {n}); }},
      {"repeat", [](const Tensor& x, int64_t n) { return repeat(x, {n, n + 1}); }},
      {"tile", [](const Tensor& x, int64_t n) { return tile(x, {n}); }},
      {"repeat_interleave", [](const Tensor& x, int64_t n) { return repeat_interleave(x, n, 1); }},
      {"unfold", [](const Tensor& x, int64_t n) { return unfold(x, 1, n, 2); }},
      {"diagonal", [](const Tensor& x, int64_t n) { return diagonal(x, n); }},
      {"movedim", [](const Tensor& x, int64_t) { return movedim(x, {0}, {1}); }},
      {"unflatten", [](const Tensor& x, int64_t n) { return unflatten(narrow(x, 1, 0, 2 * n), 1, {2, n}); }},
      {"unflatten, inferred", [](const Tensor& x, int64_t n) { return unflatten(narrow(x, 1, 0, 2 * n), 1, {-1, n}); }},
      {"pad_reflect", [](const Tensor& x, int64_t n) { return pad(x, {n, n + 1}, PadMode::reflect); }},
      {"pad_replicate", [](const Tensor& x, int64_t n) { return pad(x, {n, 3 * n}, PadMode::replicate); }},
      {"pad_circular", [](const Tensor& x, int64_t n) { return pad(x, {n, n + 1}, PadMode::circular); }},
      {"pad_circular, cut", [](const Tensor& x, int64_t n) { return pad(x, {n, -1}, PadMode::circular); }},
      {"tril", [](const Tensor& x, int64_t n) { return tril(x, n); }},
      {"triu", [](const Tensor& x, int64_t n) { return triu(x, n); }},
      {"view, smaller", [](const Tensor& x, int64_t) { return view(x, u16); }},
      {"one_hot", [](const Tensor& x, int64_t n) { return one_hot(clamp(to(x, i64), 0, n - 1), n); }},
      {"full_like", [](const Tensor& x, int64_t n) { return full_like(x, n); }},
      {"eye", [](const Tensor& x, int64_t n) { return eye(n, n + 3) + select(select(x, 0, 0), 0, 0); }},
      {"linspace",
       [](const Tensor& x, int64_t n) { return linspace(n, 2.5 * static_cast<double>(n), 7 * n) + amax(x); }},
      {"any", [](const Tensor& x, int64_t n) { return any(x > n, {.dims = {1}}); }},
      {"all", [](const Tensor& x, int64_t n) { return all(x > n, {.dims = {0}}); }},
      {"count_nonzero",
       [](const Tensor& x, int64_t n) { return count_nonzero(x > n, {.dims = {0}, .keepdim = true}); }},
  };
  return calls;
}

std::vector<double> values_of(const Tensor& t) { return to_vector<double>(to(t, f64)); }

TEST(MoveSizes, OneCompilationServesEveryValue) {
  for (const SizedCall& s : sized_calls()) {
    SCOPED_TRACE(s.name);
    auto symbolic = compile([&](const Tensor& x, int64_t n) { return s.call(x, n); }, {.dynamic = Dynamic::always});
    auto literal = compile([&](const Tensor& x, int64_t n) { return s.call(x, n); }, {.dynamic = Dynamic::never});
    for (const auto& [rows, columns, n] :
         {std::tuple<int64_t, int64_t, int64_t>{5, 17, 2}, {6, 19, 3}, {9, 33, 4}, {12, 40, 5}}) {
      const Tensor x = counting({rows, columns});
      const Tensor expected = literal(x, n), got = symbolic(x, n);
      ASSERT_EQ(expected.shape(), got.shape());
      EXPECT_EQ(values_of(expected), values_of(got));
    }
    EXPECT_EQ(symbolic.stats().compilations, 1);
  }
}

/// Learned from the second call on, beside what uses the result.
TEST(MoveSizes, ChangedNumbersArePromotedOnce) {
  for (const SizedCall& s : sized_calls()) {
    SCOPED_TRACE(s.name);
    auto f = compile([&](const Tensor& x, int64_t n) { return to(s.call(x * 2, n), f64) + 1; });
    const Tensor x = counting({9, 33});
    for (const int64_t n : {2, 3, 4, 5, 6, 7}) {
      const Tensor expected = to(s.call(x * 2, n), f64) + 1;
      EXPECT_EQ(to_vector<double>(expected), to_vector<double>(f(x, n))) << n;
    }
    EXPECT_LE(f.stats().compilations, 2);
  }
}

TEST(MoveSizes, WhatASymbolicEntryAssumesIsCheckedOnEveryCall) {
  const std::pair<const char*, std::function<Tensor(const Tensor&, int64_t)>> calls[] = {
      {"narrow", [](const Tensor& x, int64_t n) { return narrow(x, 1, n, 4); }},
      {"unfold", [](const Tensor& x, int64_t n) { return unfold(x, 1, n + 3, 2); }},
      {"unflatten", [](const Tensor& x, int64_t n) { return unflatten(x, 1, {2, n + 3}); }},
      {"pad_reflect", [](const Tensor& x, int64_t n) { return pad(x, {n + 3, 2}, PadMode::reflect); }},
      {"pad_circular", [](const Tensor& x, int64_t n) { return pad(x, {2, n + 3}, PadMode::circular); }},
      {"select", [](const Tensor& x, int64_t n) { return select(x, 1, n + 3); }},
      {"view", [](const Tensor& x, int64_t n) { return view(narrow(x, 1, 0, n == 20 ? 7 : 8), f64); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::always}) {
      auto f = compile([&call = call](const Tensor& x, int64_t n) { return call(x, n); }, {.dynamic = dynamic});
      for (const int64_t n : {2, 3, 4}) EXPECT_NO_THROW((void)f(counting({3, 2 * (n + 3)}), n));
      EXPECT_THROW((void)f(counting({3, 12}), 20), UserError);
      EXPECT_NO_THROW((void)f(counting({3, 12}), 3));
    }
  }
}

/// A dim that turns out to be empty only at run time.
TEST(MoveSizes, DimsThatBecomeEmpty) {
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> calls[] = {
      {"roll", [](const Tensor& x) { return roll(x, {3}, {1}); }},
      {"roll in row-major order", [](const Tensor& x) { return roll(x, {3}); }},
      {"repeat", [](const Tensor& x) { return repeat(x, {2, 3}); }},
      {"repeat_interleave", [](const Tensor& x) { return repeat_interleave(x, 3, 1); }},
      {"diagonal", [](const Tensor& x) { return diagonal(x, 0); }},
      {"flip", [](const Tensor& x) { return flip(x, {1}); }},
      {"tril", [](const Tensor& x) { return tril(x); }},
      {"circular", [](const Tensor& x) { return pad(x, {0, 0}, PadMode::circular); }},
      {"any", [](const Tensor& x) { return any(x, {.dims = {1}}); }},
      {"all", [](const Tensor& x) { return all(x, {.dims = {1}}); }},
      {"count_nonzero", [](const Tensor& x) { return count_nonzero(x, {.dims = {1}}); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    const auto tail = [&call = call](const Tensor& x, int64_t start) { return call(slice(x, 1, start, 7)); };
    auto f = compile(tail, {.dynamic = Dynamic::always});
    const Tensor x = counting({3, 9});
    for (const int64_t start : {2, 5, 7, 8, 4}) {
      const Tensor expected = call(slice(x, 1, start, 7) + 0), got = f(x, start);
      ASSERT_EQ(expected.shape(), got.shape()) << start;
      EXPECT_EQ(values_of(expected), values_of(got)) << start;
    }
  }
}

}  // namespace
}  // namespace sinter::test
