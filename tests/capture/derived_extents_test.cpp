// SPDX-License-Identifier: Apache-2.0
// Extents computed from run-time ones that become 0 or 1: what an op is may depend on it, so such a call is compiled
// for its shapes and gives what the interpreter gives for them.
#include <cmath>
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

struct Sized {
  const char* name;
  Tensor (*f)(Tensor);
};

constexpr Sized functions[] = {
    {"squeeze", [](Tensor x) { return squeeze(slice(x, 0, 2)); }},
    {"squeeze of a pad", [](Tensor x) { return squeeze(pad(x, {0, 0, -2, 0})); }},
    {"broadcast", [](Tensor x) { return slice(x, 0, 2) + ones({3, 4}); }},
    {"expand", [](Tensor x) { return expand(slice(x, 0, 2), {3, 4}); }},
    {"sum", [](Tensor x) { return 1 / sum(slice(x, 0, 2), {.dims = {0}}); }},
    {"sum of all", [](Tensor x) { return 1 / sum(slice(x, 0, 2)); }},
    {"mean", [](Tensor x) { return mean(slice(x, 0, 2), {.dims = {0}}); }},
    {"amax", [](Tensor x) { return amax(slice(x, 0, 2), {.dims = {0}}); }},
    {"resize", [](Tensor x) { return image::resize(reshape(slice(x, 0, 2), {-1, 4, 1}), {2, 2}); }},
};

/// Elements and shape of a call, or that it is refused.
std::string outcome(const std::function<Tensor()>& call) {
  try {
    const Tensor y = call();
    std::string text = y.shape().text();
    for (const uint64_t b : bits<float>(y))
      text += " " + std::to_string(std::isnan(__builtin_bit_cast(float, static_cast<uint32_t>(b))) ? 1 : b);
    return text;
  } catch (const UserError&) {
    return "refused";
  }
}

TEST(DerivedExtents, GiveWhatTheirShapesGive) {
  for (const Sized& sized : functions)
    for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::always}) {
      auto f = compile(sized.f, {.dynamic = dynamic});
      for (const int64_t n : {5, 5, 6, 3, 2, 5, 2, 3, 7}) {
        const Tensor x = counting({n, 4});
        auto plain = compile(sized.f, {.dynamic = Dynamic::never, .backend = "reference"});
        EXPECT_EQ(outcome([&] { return f(x); }), outcome([&] { return plain(x); })) << sized.name << " of " << n;
      }
    }
}

TEST(DerivedExtents, NumbersThatDoNotFitAreRefusedOncePromoted) {
  int64_t fill = 3;
  auto f = compile([&](Tensor x) { return pad(x, {1, 1}, fill); });
  const Tensor x = from<int8_t>({1, 2});
  for (const int64_t n : {3, 4, 100}) {
    fill = n;
    EXPECT_EQ(to_vector<int8_t>(f(x))[0], n);
  }
  fill = 300;
  EXPECT_TRUE(contains(refusal<UserError>([&] { f(x); }), "300 does not fit into i8"));
}

}  // namespace
}  // namespace sinter::test
