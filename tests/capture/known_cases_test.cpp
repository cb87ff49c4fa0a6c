// SPDX-License-Identifier: Apache-2.0
// Inputs on which comparable systems were wrong, each as one of its kind: on every op here that it can reach, at once
// and compiled.
#include <cmath>
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Calls = std::vector<std::pair<const char*, std::function<Tensor()>>>;

/// The result at once, compiled with literals, and compiled with symbols.
std::vector<Tensor> everywhere(const std::function<Tensor()>& call) {
  auto literal = compile([&] { return call(); }, {.dynamic = Dynamic::never});
  auto symbolic = compile([&] { return call(); }, {.dynamic = Dynamic::always});
  return {call(), literal(), symbolic()};
}

TEST(KnownCases, RangesTimesLargeNumbersDoNotOverflow) {
  for (const Tensor& y : everywhere([] { return arange(9) * 1500000000; })) {
    ASSERT_EQ(y.dtype(), i64);
    for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(to_vector<int64_t>(y)[static_cast<size_t>(i)], i * 1500000000);
  }
  const auto far = [] { return linspace(int64_t{0}, int64_t{4000000000000000000}, 5, i64); };
  for (const Tensor& y : everywhere(far))
    for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(to_vector<int64_t>(y)[static_cast<size_t>(i)], i * 1000000000000000000);
  const auto rows = [] { return tril(ones({3, 3}, i64) * 3000000000, 0); };
  for (const Tensor& y : everywhere(rows)) EXPECT_EQ(item<int64_t>(sum(y)), 18000000000);
}

TEST(KnownCases, IndicesOutOfRangeAreErrorsAlsoWhereTheyAreConstants) {
  const Tensor x = counting({2, 2}), classes = from<int64_t>({0, 1, 4});
  const Calls calls = {
      {"index_select", [&] { return index_select(x, 0, full({1}, 2, i64)); }},
      {"index_select, negative", [&] { return index_select(x, 0, full({1}, -2, i64)); }},
      {"index_select of a range", [&] { return index_select(x, 1, arange(3)); }},
      {"gather", [&] { return gather(x, 1, full({2, 1}, 2, i64)); }},
      {"gather, loaded", [&] { return gather(x, 1, from<int64_t>({0, 7}, {2, 1})); }},
      {"select", [&] { return select(counting({1}), 0, 1); }},
      {"select, negative", [&] { return select(x, 1, -3); }},
      {"narrow", [&] { return narrow(x, 0, 1, 2); }},
      {"narrow, negative", [&] { return narrow(x, 0, -3, 1); }},
      {"one_hot", [&] { return one_hot(full({1}, 3, i64), 3); }},
      {"one_hot, negative", [&] { return one_hot(full({1}, -1, i64), 3); }},
      {"one_hot, loaded", [&] { return one_hot(classes, 4); }},
  };
  for (const auto& [name, call] : calls)
    for (const Dynamic dynamic : {Dynamic::never, Dynamic::always}) {
      SCOPED_TRACE(name);
      EXPECT_NE(refusal<UserError>([&] { (void)to_vector<double>(to(call(), f64)); }), "");
      auto f = compile([&call = call] { return to(call(), f64); }, {.dynamic = dynamic});
      EXPECT_NE(refusal<UserError>([&] { (void)to_vector<double>(f()); }), "");
    }
}

/// What PyTorch copies never shares memory, not even where no element moves.
TEST(KnownCases, CopiesDoNotChangeWithTheirOperand) {
  const std::pair<const char*, Tensor (*)(const Tensor&)> calls[] = {
      {"pad", [](const Tensor& x) { return pad(x, {0, 0}); }},
      {"pad_reflect", [](const Tensor& x) { return pad(x, {0, 0}, PadMode::reflect); }},
      {"pad_replicate", [](const Tensor& x) { return pad(x, {0, 0}, PadMode::replicate); }},
      {"pad_circular", [](const Tensor& x) { return pad(x, {0, 0}, PadMode::circular); }},
      {"repeat", [](const Tensor& x) { return repeat(x, {1, 1}); }},
      {"tile", [](const Tensor& x) { return tile(x, {}); }},
      {"repeat_interleave", [](const Tensor& x) { return repeat_interleave(x, 1, 0); }},
      {"roll", [](const Tensor& x) { return roll(x, {0}, {0}); }},
      {"roll all around", [](const Tensor& x) { return roll(x, {3}, {1}); }},
      {"tril", [](const Tensor& x) { return tril(x, 5); }},
      {"view times two", [](const Tensor& x) { return view(x, i32) * 2; }},
  };
  for (const auto& [name, call] : calls)
    for (const bool compiled : {false, true}) {
      SCOPED_TRACE(name);
      Tensor x = counting({2, 3}) + 1;
      auto f = compile([&call = call](const Tensor& t) { return call(t); });
      const Tensor copy = compiled ? f(x) : call(x);
      const auto before = to_vector<double>(to(copy, f64));
      EXPECT_NE(copy.data_ptr(), x.data_ptr());
      for (int i = 0; i < 6; ++i) static_cast<float*>(x.data_ptr())[i] = -1;
      EXPECT_EQ(to_vector<double>(to(copy, f64)), before);
    }
}

/// The mask of a pad is not one of the fold that it pads.
TEST(KnownCases, PadsOfFoldsOfMasks) {
  const Tensor x = ones({1 << 14});
  const Calls calls = {
      {"pad", [&] { return pad(unsqueeze(sum(x > 0), 0), {1, 0}); }},
      {"count_nonzero", [&] { return pad(unsqueeze(count_nonzero(x), 0), {1, 0}); }},
      {"cat", [&] { return cat({zeros({1}, i64), unsqueeze(sum(x > 0), 0)}); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    for (const Tensor& y : everywhere(call)) EXPECT_EQ(to_vector<int64_t>(y), (std::vector<int64_t>{0, 1 << 14}));
  }
  const auto mirrored = [&] {
    return pad(sum(unflatten(x > 0, 0, {4, -1}), {.dims = {1}, .keepdim = true}), {0, 2}, PadMode::replicate);
  };
  for (const Tensor& y : everywhere(mirrored)) EXPECT_EQ(to_vector<int64_t>(y), std::vector<int64_t>(12, 1 << 12));
}

TEST(KnownCases, FoldsOfNothingAndConstantGraphs) {
  const Tensor nothing = zeros({5, 0}, bf16);
  for (const Tensor& y : everywhere([&] { return sum(nothing, {.dims = {1}}); })) {
    EXPECT_EQ(y.dtype(), bf16);
    EXPECT_EQ(to_vector<float>(to(y, f32)), std::vector<float>(5, 0));
  }
  const auto ones_of = [](int64_t n) { return std::vector<double>(static_cast<size_t>(n), 1); };
  const Calls units = {
      {"prod", [&] { return prod(nothing, {.dims = {1}}); }},
      {"all", [&] { return all(nothing, {.dims = {1}}); }},
      {"any", [&] { return logical_not(any(nothing, {.dims = {1}})); }},
      {"count_nonzero", [&] { return count_nonzero(nothing, {.dims = {1}}) + 1; }},
  };
  for (const auto& [name, call] : units) {
    SCOPED_TRACE(name);
    for (const Tensor& y : everywhere(call)) EXPECT_EQ(to_vector<double>(to(y, f64)), ones_of(5));
  }
  const Calls constants = {
      {"full", [] { return sum(full({4, 4}, 0.25f), {.dims = {1}}); }},
      {"eye", [] { return sum(eye(4), {.dims = {0}}); }},
      {"linspace", [] { return roll(linspace(1, 1, 4), {1}, {0}); }},
      {"one_hot",
       [] { return sum(one_hot(full({1}, 2, i64), 4) * 4, {.dims = {0}}) + 1 - 4 * one_hot(full({}, 2, i64), 4); }},
      {"any", [] { return any(tril(ones({4, 4})), {.dims = {1}}); }},
  };
  for (const auto& [name, call] : constants) {
    SCOPED_TRACE(name);
    for (const Tensor& y : everywhere(call)) EXPECT_EQ(to_vector<double>(to(y, f64)), ones_of(4));
  }
}

TEST(KnownCases, EmptyTensorsThroughEveryOpThatMovesElements) {
  const Tensor x = zeros({0, 3});
  const std::vector<std::pair<std::function<Tensor()>, Dims>> calls = {
      {[&] { return narrow(x, 1, 1, 2); }, {0, 2}},
      {[&] { return narrow(x, 0, 0, 0); }, {0, 3}},
      {[&] { return split(x, 2, 1)[1]; }, {0, 1}},
      {[&] { return chunk(x, 4)[3]; }, {0, 3}},
      {[&] { return unbind(x, 1)[2]; }, {0}},
      {[&] { return repeat(x, {2, 2}); }, {0, 6}},
      {[&] { return repeat_interleave(x, 3); }, {0}},
      {[&] { return roll(x, {1}, {0}); }, {0, 3}},
      {[&] { return roll(x, {1}); }, {0, 3}},
      {[&] { return unfold(x, 1, 2, 1); }, {0, 2, 2}},
      {[&] { return unfold(x, 0, 0, 2); }, {1, 3, 0}},
      {[&] { return diagonal(x); }, {0}},
      {[&] { return movedim(x, {0}, {1}); }, {3, 0}},
      {[&] { return unflatten(x, 0, {2, 0}); }, {2, 0, 3}},
      {[&] { return view(x, u8); }, {0, 12}},
      {[&] { return view(transpose(x, 0, 1), f64); }, {3, 0}},
      {[&] { return pad(x, {1, 1}, PadMode::circular); }, {0, 5}},
      {[&] { return pad(unsqueeze(x, 1), {1, 1}, PadMode::reflect); }, {0, 1, 5}},
      {[&] { return pad(x, {0, 0, 2, 1}, 7); }, {3, 3}},
      {[&] { return tril(x); }, {0, 3}},
      {[&] { return one_hot(to(x, i64), 4); }, {0, 3, 4}},
      {[&] { return full_like(x, 3); }, {0, 3}},
      {[&] { return meshgrid({select(x, 1, 0), arange(3, {.dtype = f32})})[1]; }, {0, 3}},
      {[&] { return eye(0, 3); }, {0, 3}},
      {[&] { return linspace(0, 1, 0); }, {0}},
      {[&] { return amin(x, {.dims = {1}}); }, {0}},
      {[&] { return any(x, {.dims = {1}}); }, {0}},
      {[&] { return count_nonzero(x, {.dims = {0}}); }, {3}},
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    for (const Tensor& y : everywhere(calls[i].first)) {
      EXPECT_EQ(y.shape(), calls[i].second);
      EXPECT_EQ(to_vector<double>(to(y, f64)).size(), static_cast<size_t>(calls[i].second.product()));
    }
  }
  EXPECT_NE(refusal<UserError>([&] { (void)amin(x, {.dims = {0}}); }), "");
}

/// No op here writes into a tensor of the user's, so an expanded one is only ever read: each element, wherever it is.
TEST(KnownCases, ExpandedTensorsStayAsTheyAre) {
  const Tensor one = full({1, 1}, 3, f32) + 0, x = expand(one, {4, 5});
  ASSERT_EQ(x.strides(), (Dims{0, 0}));
  const Calls calls = {
      {"roll", [&] { return roll(x, {1}, {0}); }},
      {"tril", [&] { return tril(x, 9); }},
      {"pad", [&] { return pad(x, {-1, 1}, PadMode::circular); }},
      {"full_like", [&] { return full_like(x, 3); }},
  };
  for (const auto& [name, call] : calls) {
    SCOPED_TRACE(name);
    for (const Tensor& y : everywhere(call)) {
      EXPECT_EQ(y.strides(), (Dims{5, 1}));
      EXPECT_EQ(to_vector<float>(y), std::vector<float>(20, 3));
    }
  }
  EXPECT_EQ(item<float>(one), 3);
}

}  // namespace
}  // namespace sinter::test
