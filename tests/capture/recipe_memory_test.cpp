// SPDX-License-Identifier: Apache-2.0
// Values that a break did not compute read their inputs before the host can change them, and hold them no longer than
// needed.
#include <tuple>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(RecipeMemory, MemoryOfTheUserIsReadAtTheBreak) {
  std::vector<float> memory{1, 2};
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1, unused = x * 2;
    graph_break();
    memory = {7, 7};
    return y;
  });
  for (int call = 0; call < 3; ++call) {
    memory = {1, 2};
    EXPECT_EQ(to_vector<float>(f(from_blob(memory.data(), {2}, f32))), (std::vector<float>{2, 3}));
  }
  const Explanation e = f.explain(from_blob(memory.data(), {2}, f32));
  ASSERT_EQ(e.regions.size(), 1u) << "one run";
  EXPECT_EQ(e.regions[0].stored, 2);
  EXPECT_TRUE(e.regions[0].kept.empty());
}

TEST(RecipeMemory, MemoryWhoseAddressTheHostHasIsReadBeforeItCanChange) {
  for (bool before : {true, false}) {
    auto f = compile([&](Tensor x) {
      auto* p = before ? static_cast<float*>(x.data_ptr()) : nullptr;
      Tensor y = x + 1, unused = x * 2;
      Tensor view = transpose(x, 0, 1);
      graph_break();
      if (!before) p = static_cast<float*>(transpose(x, 0, 1).data_ptr());  // a view of the same memory
      p[0] = 100;
      return std::pair(y * 1, view);
    });
    for (int call = 0; call < 3; ++call) {
      const auto [y, view] = f(from<float>({1, 2}, {1, 2}));
      EXPECT_EQ(to_vector<float>(y), (std::vector<float>{2, 3})) << before;
      EXPECT_EQ(to_vector<float>(view), (std::vector<float>{100, 2})) << "as in eager";
    }
  }
}

TEST(RecipeMemory, AnAddressTakenInsideEndsTheRegionThatReadsTheMemory) {
  for (bool view : {false, true}) {
    auto f = compile([&](Tensor x) {
      Tensor y = x + 1;
      Tensor z = view ? transpose(x, 0, 1) * 2 : x * 2;
      auto* p = static_cast<float*>(view ? slice(x, 1, 0, 1).data_ptr() : x.data_ptr());
      p[0] = 100;
      return std::tuple(y, z, x + 3);
    });
    for (int call = 0; call < 3; ++call) {
      const auto [y, z, w] = f(from<float>({1, 2}, {1, 2}));
      EXPECT_EQ(to_vector<float>(y), (std::vector<float>{2, 3}));
      EXPECT_EQ(to_vector<float>(z), (std::vector<float>{2, 4}));
      EXPECT_EQ(to_vector<float>(w), (std::vector<float>{103, 5})) << "reads what was written";
    }
  }
}

TEST(RecipeMemory, AddressesOfOtherMemoryEndNothing) {
  const Tensor other = counting({3});
  auto f = compile([&](Tensor x) {
    Tensor y = x + 1;
    EXPECT_NE(other.data_ptr(), nullptr);
    return y * 2;
  });
  EXPECT_EQ(f.explain(counting({2})).breaks(), 0);
}

TEST(RecipeMemory, FullgraphRefusesAnAddressOfWhatTheRegionReads) {
  auto f = compile(
      [](Tensor x) {
        EXPECT_NE(x.data_ptr(), nullptr) << "nothing is recorded yet";
        Tensor y = x + 1;
        (void)x.data_ptr();
        return y;
      },
      {.fullgraph = true});
  EXPECT_TRUE(contains(refusal<CompileError>([&] { (void)f(counting({2})); }), "[data_ptr]"));
}

TEST(RecipeMemory, InputsLiveNoLongerThanTheHandlesThatNeedThem) {
  constexpr int64_t n = 1 << 18;
  auto f = compile([](Tensor x) {
    Tensor large = x * ones({n});
    (void)item<float>(sum(large));
    Tensor kept = large + 1;
    large = Tensor();
    graph_break();
    const int64_t with = memory_use(Device::cpu()).in_use;
    kept = Tensor();
    EXPECT_GE(with - memory_use(Device::cpu()).in_use, n * 4);
    return x;
  });
  for (int call = 0; call < 2; ++call) (void)f(from<float>({1}));
}

}  // namespace
}  // namespace sinter::test
