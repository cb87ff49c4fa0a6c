// SPDX-License-Identifier: Apache-2.0
// Extents, offsets and products of them that no memory holds: refused, eagerly and compiled, also once they are
// run-time numbers; bounds that Python clamps are clamped.
#include <functional>
#include <limits>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

constexpr int64_t max = std::numeric_limits<int64_t>::max(), min = std::numeric_limits<int64_t>::min();
constexpr int64_t wraps = 0x6DB6DB6DB6DB6DB7;  // 7 times it is 1 modulo 2^64

TEST(Sizes, WhatNoMemoryHoldsIsRefused) {
  const Tensor one = full({1}, 1.0, f32), two = counting({2, 3}), frame = full({4, 4, 3}, 7, u8);
  const std::pair<const char*, std::function<Tensor()>> calls[] = {
      {"zeros", [&] { return zeros({7, wraps}); }},
      {"zeros 2^80", [&] { return zeros({int64_t{1} << 40, int64_t{1} << 40}); }},
      {"reshape", [&] { return reshape(one, {7, wraps}); }},
      {"expand", [&] { return expand(one, {int64_t{1} << 62}); }},
      {"stack", [&] { return stack({expand(one, {int64_t{1} << 40}), expand(one, {int64_t{1} << 62})}); }},
      {"pad", [&] { return pad(two, {int64_t{1} << 62, int64_t{1} << 62}); }},
      {"pad wraps", [&] { return pad(two, {max, max}); }},
      {"arange", [&] { return arange(min, max, 1); }},
      {"arange to the end", [&] { return arange(-2, max); }},
      {"crop left", [&] { return image::crop(frame, {0, max, 2, 1}); }},
      {"crop top", [&] { return image::crop(frame, {max, 0, 1, 2}); }},
      {"crop height", [&] { return image::crop(frame, {1, 0, max, 1}); }},
      {"resize", [&] { return image::resize(frame, {int64_t{1} << 31, int64_t{1} << 33}); }},
  };
  for (const auto& [name, call] : calls) {
    EXPECT_THROW((void)call(), UserError) << name;
    for (const Dynamic dynamic : {Dynamic::never, Dynamic::automatic, Dynamic::always}) {
      auto f = compile([&call = call] { return call(); }, {.dynamic = dynamic});
      EXPECT_THROW((void)f(), UserError) << name;
    }
  }
}

TEST(Sizes, RunTimeExtentsAreRefusedAsLiteralsAre) {
  const Tensor frame = full({40, 40, 3}, 7, u8);
  auto f = compile([&](int64_t top) { return image::crop(frame, {top, 2, 3, 4}) + 0; });
  for (const int64_t top : {2, 3, 4, 5}) EXPECT_EQ(f(top).numel(), 36);
  for (const int64_t top : {max, max - 2, int64_t{1} << 41, min}) EXPECT_THROW((void)f(top), UserError) << top;
  auto g = compile([&](int64_t n) { return full({n}, 1.0, f32) + 1; });
  for (const int64_t n : {2, 3, 4}) EXPECT_EQ(g(n).numel(), n);
  EXPECT_THROW((void)g(int64_t{1} << 41), UserError);
  // Each extent is one that a tensor can have; all of them together are not.
  auto h = compile([&](int64_t n) { return full({n, n}, 1.0, f32) + 1; }, {.dynamic = Dynamic::always});
  for (const int64_t n : {2, 3, 4}) EXPECT_EQ(h(n).numel(), n * n);
  for (const int power : {31, 32, 40}) {
    EXPECT_THROW((void)h(int64_t{1} << power), UserError) << power;
    (void)repeat(counting({3}), {3, 4});
    EXPECT_THROW((void)repeat(counting({3}), {int64_t{1} << power, int64_t{1} << power}), UserError) << power;
  }
}

TEST(Sizes, BoundsOfSlicesAreClamped) {
  const Tensor x = counting({2, 3});
  for (const Dynamic dynamic : {Dynamic::never, Dynamic::automatic, Dynamic::always}) {
    auto f = compile([&](int64_t start, int64_t stop, int64_t step) { return slice(x, 1, start, stop, step) * 1; },
                     {.dynamic = dynamic});
    EXPECT_EQ(to_vector<float>(f(0, 3, 1)).size(), 6u);
    EXPECT_EQ(to_vector<float>(f(1, 3, 1)).size(), 4u);
    EXPECT_EQ(to_vector<float>(f(0, 2, 1)).size(), 4u);
    EXPECT_EQ(to_vector<float>(f(min, max, 1)), to_vector<float>(x));
    EXPECT_EQ(to_vector<float>(f(min + 100, max - 1, 1)), to_vector<float>(x));
    EXPECT_EQ(to_vector<float>(f(max, max, 1)).size(), 0u);
    EXPECT_EQ(to_vector<float>(f(min, min, 1)).size(), 0u);
    EXPECT_EQ(to_vector<float>(f(0, 3, max)), (std::vector<float>{to_vector<float>(x)[0], to_vector<float>(x)[3]}));
  }
}

TEST(Sizes, NumbersThatDoNotFitAreRefusedWhateverCameBefore) {
  for (const Dynamic dynamic : {Dynamic::never, Dynamic::automatic, Dynamic::always}) {
    auto f = compile([](int64_t n) { return full({1}, n, u8); }, {.dynamic = dynamic});
    for (const int64_t n : {300, 1, 2, 300, 3, -1}) {
      if (n >= 0 && n < 256)
        EXPECT_EQ(item<uint8_t>(f(n)), n);
      else
        EXPECT_THROW((void)f(n), UserError) << n;
    }
  }
}

TEST(Sizes, BlobsWhoseStridesReachTooFar) {
  alignas(16) float memory[8] = {};
  EXPECT_THROW((void)from_blob(memory, {2, 3}, f32, Device::cpu(), {max / 2, 1}), UserError);
  EXPECT_THROW((void)from_blob(memory, {3}, f32, Device::cpu(), {min}), UserError);
  EXPECT_THROW((void)from_blob(memory, {2}, DType(DType::Kind::boolean, 1)), UserError);
}

}  // namespace
}  // namespace sinter::test
