// SPDX-License-Identifier: Apache-2.0
// In-place ops and shared memory with every backend: what a region writes, and which results are views of each other.
#include <gtest/gtest.h>
#include <sinter/backend.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Floats = std::vector<float>;

class InPlaceBackends : public testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    register_backend("passing on writes", [](const RecordedGraph& graph) { return compile_graph(graph); });
    register_backend("transposed results", [](const RecordedGraph& graph) -> GraphFunction {
      return [run = compile_graph(graph)](std::span<const Tensor> inputs) {
        std::vector<Tensor> results = run(inputs);
        for (Tensor& t : results)
          if (t.rank() == 2) t = transpose(clone(transpose(t, 0, 1)), 0, 1);
        return results;
      };
    });
  }
  template <class F>
  auto compiled(F f) const {
    return compile(std::move(f), {.backend = GetParam()});
  }
};

TEST_P(InPlaceBackends, ArgumentsAndTheirViews) {
  auto f = compiled([](const Tensor& x, const Tensor& y) {
    x += y;
    const Tensor row = select(x, 0, 1);
    assign(slice(row, 0, 1, 3), 7);
    return row;
  });
  for (int call = 0; call < 2; ++call) {
    const Tensor memory = counting({3, 2}), x = transpose(memory, 0, 1), y = ones({3});
    const Tensor row = f(x, y);
    EXPECT_EQ(f32_values(memory), (Floats{1, 2, 3, 7, 5, 7}));
    EXPECT_EQ(f32_values(row), (Floats{2, 7, 7}));
    zero_(row);
    EXPECT_EQ(f32_values(memory), (Floats{1, 0, 3, 0, 5, 0}));
  }
}

TEST_P(InPlaceBackends, ResultsThatShareMemory) {
  auto f = compiled([](const Tensor& x) {
    const Tensor y = x * 2;
    return std::vector<Tensor>{y, transpose(y, 0, 1), select(y, 0, 1), y * 1};
  });
  for (int call = 0; call < 2; ++call) {
    const auto r = f(counting({2, 3}));
    r[0] += 1;
    EXPECT_EQ(f32_values(r[1]), (Floats{1, 7, 3, 9, 5, 11}));
    zero_(r[1]);
    EXPECT_EQ(f32_values(r[2]), (Floats{0, 0, 0}));
    EXPECT_EQ(f32_values(r[3]), (Floats{0, 2, 4, 6, 8, 10}));
  }
}

TEST_P(InPlaceBackends, TwoArgumentsChangePlaces) {
  auto swap = compiled([](const Tensor& a, const Tensor& b) {
    const Tensor t = clone(a);
    copy_(a, b);
    copy_(b, t);
  });
  const Tensor a = counting({5}), b = counting({5}) * 3, head = slice(a, 0, 0, 2), tail = slice(a, 0, 3);
  swap(a, b);
  EXPECT_EQ(f32_values(a), (Floats{0, 3, 6, 9, 12}));
  EXPECT_EQ(f32_values(b), (Floats{0, 1, 2, 3, 4}));
  swap(head, tail);
  EXPECT_EQ(f32_values(a), (Floats{9, 12, 6, 0, 3}));
}

TEST_P(InPlaceBackends, IntoABuffer) {
  auto f = compiled([](const Tensor& x) { return relu(x - 1); });
  const Tensor whole = ones({6}), out = slice(whole, 0, 0, std::nullopt, 2);
  f.into(out)(counting({3}));
  EXPECT_EQ(f32_values(whole), (Floats{0, 1, 0, 1, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(All, InPlaceBackends,
                         testing::Values("sinter", "eager", "reference", "passing on writes", "transposed results"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(InPlaceRegistered, ABackendMayHandItsInputsBack) {
  std::vector<RecordedGraph> graphs;
  register_backend("swapping", [&](const RecordedGraph& graph) -> GraphFunction {
    graphs.push_back(graph);
    return [](std::span<const Tensor> inputs) { return std::vector<Tensor>{inputs[1], inputs[0]}; };
  });
  auto swap = compile(
      [](const Tensor& a, const Tensor& b) {
        const Tensor t = clone(a);
        copy_(a, b);
        copy_(b, t);
      },
      {.backend = "swapping"});
  const Tensor a = counting({4}), b = counting({4}) * 3;
  swap(a, b);
  EXPECT_EQ(f32_values(a), (Floats{0, 3, 6, 9}));
  EXPECT_EQ(f32_values(b), (Floats{0, 1, 2, 3}));
  ASSERT_EQ(graphs.size(), 1u);
  EXPECT_EQ(graphs[0].inputs.size(), 2u);
  EXPECT_EQ(graphs[0].outputs.size(), 2u) << "what is written is what the graph returns";
}

}  // namespace
}  // namespace sinter::test
