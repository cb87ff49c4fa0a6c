// SPDX-License-Identifier: Apache-2.0
// Library calls, sorts and accumulations inside compiled functions: who computes what, and in which memory.
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

using Function1 = std::function<Tensor(Tensor)>;

// What accumulates has memory of its own from the start, and so have the calls that it reads: neither becomes a loop.
TEST(CallsInRegions, AccumulationsAtPositionsThatCallsGive) {
  const Tensor x = from<float>({3, 1, 2, 5, 4, 0, 7, 6, 9, 8, 11, 10}, {3, 4});
  const std::vector<Function1> functions = {
      [](Tensor t) { return scatter(t, 1, argsort(t), t); },
      [](Tensor t) { return scatter(t * 2, 1, topk(t, 3).indices, t + 1); },
      [](Tensor t) { return index_copy(t, 0, argsort(select(t, 1, 0)), t * 3); },
      [](Tensor t) { return index_put(t, {argsort(select(t, 1, 1))}, 5); },
      [](Tensor t) { return bincount(flatten(argsort(t)), {.minlength = 4}) + 0; },
      [](Tensor t) { return scatter_add(t, 1, remainder(to(matmul(t, transpose(t, 0, 1)), i64), 4), t); },
  };
  for (size_t i = 0; i < functions.size(); ++i) {
    const Tensor expected = to(functions[i](x), f32);
    for (const Dynamic dynamic : {Dynamic::automatic, Dynamic::always}) {
      auto f = compile([&](Tensor t) { return to(functions[i](t), f32); }, {.dynamic = dynamic});
      EXPECT_EQ(bits<float>(f(x)), bits<float>(expected)) << i;
    }
  }
}

// The rest of the program reads a call's result where it leaves the function, also from the middle of it.
TEST(CallsInRegions, ACallReadsAPartOfAResult) {
  const Tensor a = counting({4, 3}), b = counting({3, 4}), w = counting({4, 2});
  const auto both = [](Tensor p, Tensor q, Tensor r) {
    Tensor h = matmul(p, q);
    return std::vector<Tensor>{h, matmul(slice(h, 0, 1, 3), r)};
  };
  const std::vector<Tensor> expected = both(a, b, w), got = compile(both)(a, b, w);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(bits<float>(got[i]), bits<float>(expected[i])) << i;
}

// Results that are views of one value share its memory, also where that value is a view of what an op was taken apart
// into.
TEST(CallsInRegions, ResultsShareMemoryBehindDecompositions) {
  const Tensor x = counting({2, 3}), i = from<int64_t>({1, 0, 1, 0, 1, 1}, {2, 3});
  const auto pair = [](Tensor t, Tensor at) {
    Tensor y = scatter_add(t, 0, at, t);
    return std::vector<Tensor>{y, flatten(y)};
  };
  const std::vector<Tensor> eager = pair(x, i);
  std::vector<Tensor> got = compile(pair)(x, i);
  EXPECT_EQ(bits<float>(got[0]), bits<float>(eager[0]));
  got[1] += 100;
  EXPECT_EQ(bits<float>(got[0]), bits<float>(eager[0] + 100));
}

// Whichever of the two leaves first.
TEST(CallsInRegions, AValueSharesTheMemoryOfItsOtherShapeThatLeftBefore) {
  const auto pair = [](Tensor t) {
    Tensor y = t * 2;
    return std::vector<Tensor>{flatten(y), y, slice(y, 0, 1, 2)};
  };
  const std::vector<Tensor> got = compile(pair)(counting({2, 3}));
  add_(got[0], 100);
  EXPECT_EQ(bits<float>(got[1]), bits<float>(counting({2, 3}) * 2 + 100));
  EXPECT_EQ(bits<float>(got[2]), bits<float>(slice(counting({2, 3}), 0, 1, 2) * 2 + 100));
}

// An event stands behind what the program called before it.
TEST(CallsInRegions, EventsEndARegion) {
  auto f = compile(
      [](Tensor x) {
        Tensor y = x * 2;
        Event(Device::cpu()).record(current_stream(Device::cpu()));
        return y + 1;
      },
      {.fullgraph = true});
  const std::string text = refusal<CompileError>([&] { f(counting({3})); });
  EXPECT_TRUE(contains(text, "synchronize")) << text;
}

}  // namespace
}  // namespace sinter::test
