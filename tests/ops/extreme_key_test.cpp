// SPDX-License-Identifier: Apache-2.0
#include "src/ops/extreme_key.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/ops/ops.h"
#include "src/reference/array.h"
#include "tests/ops/build.h"

namespace sinter::ops {
namespace {

/// Bits of the key and of the position; nothing if no key holds both.
std::pair<int, int> bits_of(DType element, int64_t longest) {
  const auto form = key_form(element, longest);
  return form ? std::pair(static_cast<int>(form->type.bits()), form->position_bits) : std::pair(0, 0);
}

TEST(ExtremeKey, TheNarrowestFormHoldsElementAndPosition) {
  const std::pair none(0, 0);
  EXPECT_EQ(bits_of(bf16, 65536), std::pair(32, 16));
  EXPECT_EQ(bits_of(bf16, 65537), std::pair(64, 32));
  EXPECT_EQ(bits_of(f16, 8192), std::pair(32, 13));
  EXPECT_EQ(bits_of(f16, 8193), std::pair(64, 32));
  EXPECT_EQ(bits_of(i8, int64_t{1} << 24), std::pair(32, 24));
  EXPECT_EQ(bits_of(boolean, 1000), std::pair(32, 31));
  EXPECT_EQ(bits_of(f32, 1), std::pair(64, 32));
  EXPECT_EQ(bits_of(f32, int64_t{1} << 32), std::pair(64, 32));
  EXPECT_EQ(bits_of(f32, (int64_t{1} << 32) + 1), none);
  EXPECT_EQ(bits_of(u16, graph::max_extent), std::pair(64, 45));
  EXPECT_EQ(bits_of(f64, 2), none);
  EXPECT_EQ(bits_of(i64, 2), none);
}

/// Keys of elements along their only dim.
std::vector<uint64_t> keys(std::vector<float> elements, bool largest) {
  register_all_ops();
  reference::Array x = reference::Array::zeros(f32, {static_cast<int64_t>(elements.size())});
  for (size_t i = 0; i < elements.size(); ++i) x.set(static_cast<int64_t>(i), scalar::constant_f32(elements[i]));
  const graph::Graph g = test::one_op("extreme_key", {test::type(f32, x.shape)},
                                      graph::CallAttributes().integer(0).flag(largest).integer(32));
  const graph::Node& node = g.node(g.size() - 1);
  const reference::Array k = node.op->reference(node, {&x, 1})[0];
  std::vector<uint64_t> bits;
  for (int64_t i = 0; i < k.size(); ++i) bits.push_back(k.at(i).bits);
  return bits;
}

TEST(ExtremeKey, OrdersAsTheExtremesDo) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<uint64_t> up = keys({-inf, -1, -1e-45f, 0, 1e-45f, 1, inf, nan}, true);
  for (size_t i = 1; i < up.size(); ++i) EXPECT_LT(up[i - 1], up[i]) << i;
  const std::vector<uint64_t> down = keys({inf, 1, 1e-45f, 0, -1e-45f, -1, -inf, nan}, false);
  for (size_t i = 1; i < down.size(); ++i) EXPECT_LT(down[i - 1], down[i]) << i;
  for (const bool largest : {true, false})
    for (const std::vector<float>& equal :
         {std::vector{2.0f, 2.0f}, {-0.0f, 0.0f}, {0.0f, -0.0f}, {-nan, nan}, {nan, -nan}}) {
      const std::vector<uint64_t> k = keys(equal, largest);
      EXPECT_EQ(k[0], k[1] + 1) << "the first one of equal elements";
    }
}

TEST(ExtremeKey, RefusesWhatDoesNotFit) {
  const auto refused = [](DType t, int64_t n, int64_t dim, int64_t bits) {
    return test::refusal("extreme_key", {test::type(t, {n})},
                         graph::CallAttributes().integer(dim).flag(true).integer(bits));
  };
  register_all_ops();
  EXPECT_EQ(refused(f16, 8192, 0, 13), "");
  EXPECT_NE(refused(f16, 8193, 0, 13), "");
  EXPECT_NE(refused(f64, 4, 0, 8), "");
  EXPECT_NE(refused(f32, 4, 1, 32), "");
  EXPECT_NE(refused(f32, 4, 0, 33), "");
}

}  // namespace
}  // namespace sinter::ops
