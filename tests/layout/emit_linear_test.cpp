// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/emit_linear.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/layout/random_layouts.h"

namespace sinter::tile_ir {
namespace {

using testing::LayoutSampler;

/// Evaluates the expressions that emit_linear prints: names, decimal numbers, parentheses around chains of one
/// operator.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::map<std::string, uint32_t>& variables)
      : text_(text), variables_(variables) {}
  uint32_t run() {
    uint32_t value = chain();
    EXPECT_EQ(at_, text_.size()) << text_;
    return value;
  }

 private:
  uint32_t chain() {
    uint32_t value = operand();
    std::string only;
    while (at_ < text_.size() && text_[at_] == ' ') {
      size_t end = text_.find(' ', at_ + 1);
      std::string op(text_.substr(at_ + 1, end - at_ - 1));
      EXPECT_TRUE(only.empty() || only == op) << "mixed operators without parentheses in " << text_;
      only = op;
      at_ = end + 1;
      uint32_t right = operand();
      if (op == "&")
        value &= right;
      else if (op == "^")
        value ^= right;
      else if (op == "+")
        value += right;
      else if (op == "*")
        value *= right;
      else if (op == "<<")
        value <<= right;
      else if (op == ">>")
        value >>= right;
      else
        ADD_FAILURE() << op;
    }
    return value;
  }
  uint32_t operand() {
    if (text_[at_] == '(') {
      ++at_;
      uint32_t value = chain();
      EXPECT_EQ(text_[at_], ')') << text_;
      ++at_;
      return value;
    }
    size_t begin = at_;
    while (at_ < text_.size() && isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    return variables_.contains(word) ? variables_.at(word) : static_cast<uint32_t>(std::stoul(word));
  }

  std::string_view text_;
  const std::map<std::string, uint32_t>& variables_;
  size_t at_ = 0;
};

std::string text_of(std::vector<uint32_t> lane, std::vector<uint32_t> warp = {}) {
  return emit_thread_function({lane, warp}, "lane", "warp").text;
}

TEST(EmitLinear, ShortForms) {
  EXPECT_EQ(text_of({}), "0");
  EXPECT_EQ(text_of({0, 0}), "0");
  EXPECT_EQ(text_of({1, 2, 4, 8, 16}), "lane");
  EXPECT_EQ(text_of({4, 8, 16, 32, 64}), "(lane << 2)");
  EXPECT_EQ(text_of({0, 0, 1, 2, 4}), "(lane >> 2)");
  EXPECT_EQ(text_of({4, 8, 0, 0, 0}), "((lane & 3) << 2)");
  EXPECT_EQ(text_of({0, 1, 2, 0, 0}), "((lane & 6) >> 1)");
  EXPECT_EQ(text_of({4, 8, 16, 32, 64}, {128, 256}), "((lane << 2) + (warp << 7))");
  EXPECT_EQ(text_of({16, 32, 1, 2, 4}), "((lane >> 2) + ((lane & 3) << 4))");
  EXPECT_EQ(text_of({1, 2}, {1, 2}), "(lane ^ warp)");
  EXPECT_EQ(text_of({7, 0}), "((lane & 1) * 7)");
  EXPECT_EQ(text_of({5, 10}), "(lane * 5)");  // 0101 and 1010 do not overlap
  EXPECT_EQ(text_of({0, 0, 3}), "((lane >> 2) * 3)");
}

TEST(EmitLinear, RandomFunctionsEvaluateToThemselves) {
  LayoutSampler sampler(99);
  size_t terms = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    ThreadFunction function;
    int style = sampler.below(3);
    auto column = [&](int bit) {
      if (style == 0) return static_cast<uint32_t>(sampler.below(1 << 12));
      uint32_t unit = 1u << ((bit + trial) % 12);
      return style == 1 ? unit : unit ^ (sampler.chance(30) ? 1u << sampler.below(12) : 0);
    };
    for (int i = sampler.below(6); i > 0; --i) function.lane.push_back(column(i));
    for (int i = sampler.below(4); i > 0; --i) function.warp.push_back(column(i + 5));
    LinearText text = emit_thread_function(function, "lane", "warp");
    uint32_t seen = 0;
    for (uint32_t lane = 0; lane < 1u << function.lane.size(); ++lane) {
      for (uint32_t warp = 0; warp < 1u << function.warp.size(); ++warp) {
        std::map<std::string, uint32_t> variables{{"lane", lane}, {"warp", warp}};
        uint32_t expected = function(lane, warp);
        ASSERT_EQ(Evaluator(text.text, variables).run(), expected) << text.text;
        seen |= expected;
        uint32_t constant = static_cast<uint32_t>(sampler.below(1 << 12));
        ASSERT_EQ(Evaluator(with_constant(text, constant), variables).run(), expected ^ constant);
      }
    }
    ASSERT_EQ(seen & ~text.bits, 0u);
    if (style == 1) terms += static_cast<size_t>(std::count(text.text.begin(), text.text.end(), 'l'));
  }
  EXPECT_LT(terms, 1000u);  // unit columns in sequence: at most a wrap-around in two
}

TEST(EmitLinear, CoordinatesOfALayout) {
  LayoutSampler sampler(17);
  for (int trial = 0; trial < 200; ++trial) {
    LinearLayout layout = sampler.layout(sampler.shape(sampler.between(0, 11), 2), sampler.between(5, 7));
    for (int dim = 0; dim < layout.rank(); ++dim) {
      LinearText thread = emit_thread_coordinate(layout, dim, "lane", "warp");
      for (int i = 0; i < 50; ++i) {
        uint32_t lane = static_cast<uint32_t>(sampler.below(32)),
                 warp = static_cast<uint32_t>(sampler.below(layout.size(BitGroup::warp)));
        uint32_t reg = static_cast<uint32_t>(sampler.below(layout.registers()));
        auto d = static_cast<size_t>(dim);
        std::string text = with_constant(thread, static_cast<uint32_t>(layout.coords(reg, 0)[d]));
        std::map<std::string, uint32_t> variables{{"lane", lane}, {"warp", warp}};
        ASSERT_EQ(Evaluator(text, variables).run(), static_cast<uint32_t>(layout.coords(reg, lane, warp)[d])) << text;
        if (layout.registers_separate()) {
          ASSERT_EQ(text.find('^') != std::string::npos, thread.text.find('^') != std::string::npos);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sinter::tile_ir
