// SPDX-License-Identifier: Apache-2.0
// Where the host needs a value in the middle, and what exceptions leave behind.
#include <cmath>
#include <stdexcept>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(Breaks, SeveralItemsInSequence) {
  auto f = compile([](Tensor x) {
    const float a = item<float>(sum(x));
    Tensor y = x + a;
    const float b = item<float>(amax(y));
    return y * b;
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{20, 25}));
  EXPECT_EQ(f.stats().breaks, 6);
  EXPECT_EQ(f.stats().compilations, 4);  // the second break first stored b alone, then y too
  EXPECT_EQ(f.explain(from<float>({1, 2})).breaks(), 2);
}

TEST(Breaks, BothBranches) {
  int positive = 0;
  auto f = compile([&](Tensor x) {
    if (item<float>(sum(x)) > 0) {
      ++positive;
      return x * 2;
    }
    return x - 1;
  });
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{2, 4}));
    EXPECT_EQ(to_vector<float>(f(from<float>({-1, -2}))), (std::vector<float>{-2, -3}));
  }
  EXPECT_EQ(positive, 4);
  EXPECT_EQ(f.stats().compilations, 3);
}

TEST(Breaks, ValuesLiveAcrossABreak) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1, z = x * 3;
    graph_break();
    return y * z;
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{6, 18}));
  EXPECT_EQ(f.stats().compilations, 2);
  EXPECT_EQ(f.stats().breaks, 3);
}

TEST(Breaks, GraphBreakWithNothingRecordedIsNone) {
  graph_break();
  auto f = compile([](Tensor x) {
    graph_break();
    Tensor y = x + 1;
    graph_break();
    graph_break();
    return y;
  });
  EXPECT_EQ(to_vector<float>(f(from<float>({1}))), (std::vector<float>{2}));
  EXPECT_EQ(f.stats().breaks, 1);
}

TEST(Breaks, DataPointerAndVectorInside) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    const auto* data = static_cast<const float*>(y.data_ptr());
    const float first = data[0];
    return y * first + to_vector<float>(x + 2)[1];
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{8, 10}));
}

TEST(Breaks, ShapesDoNotBreak) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    return y / static_cast<float>(y.numel() + y.size(-1) + y.rank());
  });
  for (int64_t n : {4, 8, 12}) EXPECT_EQ(to_vector<float>(f(counting({n})))[0], 1 / static_cast<float>(2 * n + 1));
  EXPECT_EQ(f.stats().breaks, 0);
}

TEST(Breaks, StreamChangeEndsARegion) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    {
      StreamGuard guard(Stream::create(Device::cpu()));
      y = y * 2;
    }
    return y + 3;
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to_vector<float>(f(from<float>({1}))), (std::vector<float>{7}));
  EXPECT_EQ(f.stats().breaks, 4);
}

TEST(Breaks, SynchronizingEndsARegion) {
  auto body = [](Tensor x) {
    Tensor y = x + 1;
    synchronize(Device::cpu());
    return y * 2;
  };
  auto f = compile(body);
  EXPECT_EQ(to_vector<float>(f(from<float>({1}))), (std::vector<float>{4}));
  EXPECT_EQ(f.stats().breaks, 1);
  auto g = compile(body, {.fullgraph = true});
  EXPECT_TRUE(contains(refusal<CompileError>([&] { (void)g(from<float>({1})); }), "[synchronize]"));
}

TEST(Breaks, FullgraphNamesOpAndLine) {
  auto f = compile([](Tensor x) { return x * item<float>(sum(x)); }, {.name = "scale", .fullgraph = true});
  const int line = __LINE__ - 1;
  const std::string text = refusal<CompileError>([&] { (void)f(from<float>({1, 2})); });
  EXPECT_TRUE(contains(text, "[item]")) << text;
  EXPECT_TRUE(contains(text, line_text(__FILE__, line))) << text;
  EXPECT_TRUE(contains(text, "\"scale\"")) << text;
  EXPECT_TRUE(contains(text, "fix: ")) << text;
  auto g = compile(
      [](Tensor x) {
        graph_break();
        return x + 1;
      },
      {.fullgraph = true});
  EXPECT_TRUE(contains(refusal<CompileError>([&] { (void)g(from<float>({1})); }), "[graph_break]"));
  auto h = compile([](Tensor x) { return x + 1; }, {.fullgraph = true});
  EXPECT_EQ(to_vector<float>(h(from<float>({1}))), (std::vector<float>{2}));
}

TEST(Breaks, ExceptionsCompleteEscapedHandles) {
  Tensor escaped;
  bool fail = true;
  auto f = compile([&](Tensor x) {
    escaped = x + 1;
    if (fail) throw std::runtime_error("mine");
    return escaped * 2;
  });
  for (int i = 0; i < 3; ++i) {
    fail = true;
    EXPECT_THROW((void)f(from<float>({1, 2})), std::runtime_error);
    EXPECT_EQ(to_vector<float>(escaped), (std::vector<float>{2, 3}));
    fail = false;
    EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{4, 6}));
    EXPECT_EQ(to_vector<float>(escaped), (std::vector<float>{2, 3}));
  }
  EXPECT_EQ(to_vector<float>(from<float>({1}) + 1), (std::vector<float>{2}));  // eager again
}

TEST(Breaks, AnOpThatIsRefusedLeavesNothingBehind) {
  auto f = compile([](Tensor x, Tensor wrong, Tensor right) {
    Tensor y = x * 2;
    try {
      y = y + wrong;
    } catch (const UserError&) {
      y = y * 3;
    }
    y = y + right;
    return std::pair(y.shape(), y);
  });
  for (int i = 0; i < 2; ++i) {
    const auto [shape, y] = f(counting({2, 3}), counting({5}), counting({4, 2, 3}));
    EXPECT_EQ(shape, (Dims{4, 2, 3}));
    EXPECT_EQ(y.shape(), (Dims{4, 2, 3}));
    EXPECT_EQ(to_vector<float>(y)[7], 6.0f + 7.0f);
  }
}

TEST(Breaks, AFailedRegionLeavesAUsableFunction) {
  Tensor escaped;
  auto f = compile([&](Tensor x, Tensor y) {
    escaped = x + 1;
    return escaped + y;
  });
  (void)f(counting({3}), counting({3}));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)f(counting({3}), counting({4})); }), "[3]"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)to_vector<float>(escaped); }), "no data"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)(escaped + 1); }), "no data"));
  EXPECT_EQ(to_vector<float>(f(counting({3}), counting({3}))), (std::vector<float>{1, 3, 5}));
}

TEST(Breaks, ItemsOfEveryKind) {
  EXPECT_TRUE(item<bool>(from<float>({0.5f})));
  EXPECT_EQ(item<int>(from<float>({-2.9f})), -2);
  EXPECT_EQ(item<uint64_t>(from<uint64_t>({~uint64_t{0}})), ~uint64_t{0});
  EXPECT_EQ(item<double>(from<int64_t>({-5})), -5.0);
  EXPECT_EQ(item<int64_t>(from<double>({1e300})), INT64_MAX);
  EXPECT_EQ(item<int64_t>(from<double>({-1e300})), INT64_MIN);
  EXPECT_EQ(item<int64_t>(from<float>({std::nanf("")})), 0);
}

TEST(Breaks, AVeryLongFunctionIsCutIntoRegions) {
  auto f = compile(
      [](Tensor x) {
        for (int i = 0; i < 9000; ++i) x = x + 1;
        return x;
      },
      {.backend = "reference"});
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 2}))), (std::vector<float>{9001, 9002}));
}

}  // namespace
}  // namespace sinter::test
