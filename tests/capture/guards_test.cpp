// SPDX-License-Identifier: Apache-2.0
// Every property of a call that compiled code depends on, changed alone: the call must not hit, the reason must be
// named, and the result must be what a fresh function computes.
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// Everything a call of the function under test depends on.
struct Call {
  Tensor x = counting({4, 6});
  Tensor y = counting({6});
  double number = 1.5;
  int64_t whole = 0;
  bool use_whole = false;
  int64_t dim = 0;
  bool swap_operands = false;
  bool keep = false;
  bool extra_op = false;
};

struct Property {
  const char* name;
  Call (*change)(Call);
  const char* reason;  ///< in explain().recompiles; nullptr: another trace, which is its own first call
};

/// The same values with the first dim innermost: a view of a transposed copy.
Tensor column_major(const Tensor& t) { return transpose(transpose(t, 0, 1) + 0, 0, 1); }

const Property properties[] = {
    {"nothing", [](Call c) { return c; }, ""},
    {"dtype of x",
     [](Call c) {
       c.x = to(c.x, f64);
       return c;
     },
     "input 0: was f32 [4,6] cpu contiguous, now f64"},
    {"dtype of y",
     [](Call c) {
       c.y = to(c.y, i32);
       return c;
     },
     "input 1: was f32 [6] cpu contiguous, now i32"},
    {"rank of x",
     [](Call c) {
       c.x = counting({2, 4, 6});
       return c;
     },
     "input 0: was f32 [4,6] cpu contiguous, now f32 [2,4,6]"},
    {"rank of y",
     [](Call c) {
       c.y = counting({4, 6});
       return c;
     },
     "input 1: was f32 [6] cpu contiguous, now f32 [4,6]"},
    {"extent 0 of x",
     [](Call c) {
       c.x = counting({5, 6});
       return c;
     },
     "input 0: dim 0 was 4, now 5"},
    {"extent 1 of x",
     [](Call c) {
       c.x = counting({4, 1});
       return c;
     },
     "input 0: dim 1 was 6, now 1"},
    {"extent 0 of x is 0",
     [](Call c) {
       c.x = counting({0, 6});
       return c;
     },
     "input 0: dim 0 was 4, now 0"},
    {"extent of y",
     [](Call c) {
       c.y = counting({1});
       return c;
     },
     "input 1: dim 0 was 6, now 1"},
    {"contiguity of x",
     [](Call c) {
       c.x = column_major(c.x);
       return c;
     },
     "input 0: was f32 [4,6] cpu contiguous, now f32 [4,6] cpu"},
    {"value of a number",
     [](Call c) {
       c.number = 2.5;
       return c;
     },
     "number 0 was 1.5, now 2.5"},
    {"sign of a zero number",
     [](Call c) {
       c.number = -0.0;
       return c;
     },
     "number 0 was 1.5, now -0"},
    {"kind of a number",
     [](Call c) {
       c.use_whole = true;
       return c;
     },
     nullptr},
    {"structural attribute",
     [](Call c) {
       c.dim = 1;
       return c;
     },
     nullptr},
    {"operand wiring",
     [](Call c) {
       c.swap_operands = true;
       return c;
     },
     nullptr},
    {"same tensor twice",
     [](Call c) {
       c.y = c.x;
       return c;
     },
     nullptr},
    {"output set",
     [](Call c) {
       c.keep = true;
       return c;
     },
     nullptr},
    {"another op",
     [](Call c) {
       c.extra_op = true;
       return c;
     },
     nullptr},
};

struct Result {
  Tensor out, kept;
};

Result body(const Call& c) {
  Tensor scaled = c.use_whole ? c.x * c.whole : c.x * c.number;
  Tensor mixed = c.swap_operands ? c.y - scaled : scaled - c.y;
  if (c.extra_op) mixed = abs(mixed);
  return {sum(mixed, {.dims = {c.dim}}), c.keep ? mixed : Tensor()};
}

std::vector<uint64_t> all_bits(const Result& r) {
  std::vector<uint64_t> b = bits<double>(to(r.out, f64));
  if (r.kept.defined())
    for (uint64_t v : bits<double>(to(r.kept, f64))) b.push_back(v);
  return b;
}

class Guards : public testing::TestWithParam<Property> {};

TEST_P(Guards, ChangedAloneMissesWithTheReason) {
  const Property& p = GetParam();
  auto f = compile(body);
  const Call first, second = p.change(Call());
  (void)f(first);
  ASSERT_EQ(f.stats().compilations, 1);
  const Explanation e = f.explain(second);
  if (p.reason != nullptr && *p.reason == '\0') {
    EXPECT_EQ(f.stats().compilations, 1);
    EXPECT_TRUE(e.recompiles.empty());
    EXPECT_FALSE(e.regions.at(0).compiled_now);
    return;
  }
  EXPECT_EQ(f.stats().compilations, 2);
  EXPECT_TRUE(e.regions.at(0).compiled_now);
  if (p.reason != nullptr) {
    ASSERT_EQ(e.recompiles.size(), 1u);
    EXPECT_TRUE(contains(e.recompiles[0], p.reason)) << e.recompiles[0];
    EXPECT_TRUE(contains(e.text(), e.recompiles[0]));
  } else {
    EXPECT_TRUE(e.recompiles.empty()) << e.recompiles[0];
    EXPECT_EQ(e.regions.at(0).entry, "entry 1 of 1");
  }
  auto fresh = compile(body, {.backend = "reference"});
  EXPECT_EQ(all_bits(f(second)), all_bits(fresh(second)));
  EXPECT_EQ(all_bits(f(first)), all_bits(fresh(first)));
  EXPECT_EQ(f.stats().compilations, 2) << "both calls hit now";
}

INSTANTIATE_TEST_SUITE_P(Properties, Guards, testing::ValuesIn(properties), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
});

TEST(GuardText, StridesOfStridedInputsAreGuarded) {
  std::vector<float> memory(64);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  auto f = compile([](Tensor x) { return x + 1; });
  auto view = [&](int64_t stride) { return from_blob(memory.data(), {3, 4}, f32, Device::cpu(), {stride, 2}); };
  for (int64_t stride : {8, 9, 10, 16}) {
    const auto y = to_vector<float>(f(view(stride)));
    for (int64_t i = 0; i < 12; ++i)
      ASSERT_EQ(y[static_cast<size_t>(i)], static_cast<float>(i / 4 * stride + i % 4 * 2 + 1));
  }
  EXPECT_EQ(f.stats().compilations, 2);
  const auto recompiles = f.explain(view(8)).recompiles;
  ASSERT_EQ(recompiles.size(), 1u);
  EXPECT_TRUE(contains(recompiles[0], "input 0: stride of dim 0 was 8, now 9")) << recompiles[0];
}

TEST(GuardText, PromotedRelationsAreGuarded) {
  auto f = compile([](Tensor x, Tensor y) { return sum(x) + sum(y); });
  (void)f(counting({5}), counting({5}));
  (void)f(counting({7}), counting({7}));  // one symbol for both
  EXPECT_EQ(item<float>(f(counting({7}), counting({9}))), 21.0f + 36.0f);
  EXPECT_EQ(item<float>(f(counting({3}), counting({4}))), 3.0f + 6.0f);
  EXPECT_LE(f.stats().compilations, 3);
}

TEST(GuardText, ExplainShowsWhatRan) {
  auto f = compile([](Tensor x) { return sum(x + 1); }, {.name = "shown"});
  const Explanation e = f.explain(counting({8}));
  EXPECT_EQ(e.name, "shown");
  EXPECT_TRUE(contains(e.location, "guards_test.cpp:"));
  ASSERT_EQ(e.regions.size(), 1u);
  EXPECT_EQ(e.regions[0].op_count, 2);
  EXPECT_EQ(e.regions[0].guards.at(0).text, "f32 [8] cpu contiguous");
  EXPECT_EQ(e.regions[0].guards.at(0).state, "static");
  EXPECT_TRUE(contains(e.text(), "shown"));
  (void)f(counting({9}));
  EXPECT_TRUE(contains(f.explain(counting({10})).regions.at(0).guards.at(0).state, "= 10 in this call"));
}

}  // namespace
}  // namespace sinter::test
