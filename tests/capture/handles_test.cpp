// SPDX-License-Identifier: Apache-2.0
// Which handles become outputs, alias inputs, or are captured.
#include <atomic>
#include <functional>
#include <thread>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

TEST(Handles, AReturnedArgumentIsItself) {
  auto f = compile([](Tensor x) { return x; });
  const Tensor x = counting({4});
  EXPECT_EQ(f(x).data_ptr(), x.data_ptr());
  EXPECT_EQ(f.stats().compilations, 0);
}

TEST(Handles, AReturnedViewAliasesItsArgument) {
  const Tensor x = counting({4, 6});
  for (Fusion fusion : {Fusion::all, Fusion::none}) {
    auto transposed = compile([](Tensor t) { return transpose(t, 0, 1); }, {.fusion = fusion});
    auto row = compile([](Tensor t) { return select(t, 0, 2); }, {.fusion = fusion});
    for (int i = 0; i < 2; ++i) {
      const Tensor y = transposed(x);
      EXPECT_EQ(y.data_ptr(), x.data_ptr());
      EXPECT_EQ(y.strides(), (Dims{1, 6}));
      EXPECT_EQ(to_vector<float>(y)[1], 6.0f);
      const Tensor z = row(x);
      EXPECT_EQ(z.data_ptr(), static_cast<float*>(x.data_ptr()) + 12);
      EXPECT_EQ(to_vector<float>(z)[1], 13.0f);
    }
  }
}

TEST(Handles, ViewsOfViewsAliasTheFirst) {
  auto f = compile([](Tensor t) { return slice(transpose(t, 0, 1), 0, 1, 5, 2); });
  const Tensor x = counting({4, 6});
  const Tensor y = f(x), again = f(y);
  EXPECT_EQ(to_vector<float>(y), (std::vector<float>{1, 7, 13, 19, 3, 9, 15, 21}));
  EXPECT_EQ(y.data_ptr(), static_cast<float*>(x.data_ptr()) + 1);
  EXPECT_EQ(to_vector<float>(again), (std::vector<float>{7, 9, 19, 21}));
}

TEST(Handles, ResultsOutliveTheirInputs) {
  auto f = compile([](Tensor t) { return std::pair(transpose(t, 0, 1), t + 1); });
  auto [view, sum] = f(counting({2, 2}));
  EXPECT_EQ(to_vector<float>(view), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_EQ(to_vector<float>(sum), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Handles, CapturedTensorsShowNewValues) {
  std::vector<float> memory{1, 2, 3};
  Tensor captured = from_blob(memory.data(), {3}, f32);
  auto f = compile([&](Tensor x) { return x * captured; });
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 1, 1}))), (std::vector<float>{1, 2, 3}));
  memory = {4, 5, 6};
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 1, 1}))), (std::vector<float>{4, 5, 6}));
  captured = from<float>({7, 8, 9});
  EXPECT_EQ(to_vector<float>(f(from<float>({1, 1, 1}))), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(f.stats().launches, 3);
}

TEST(Handles, TensorsCreatedInsideAreInputsNotConstants) {
  float value = 1;
  auto f = compile([&](Tensor x) { return x + from<float>({value, 2 * value}) + full({2}, 1.0) + arange(2); });
  for (value = 1; value < 5; ++value)
    EXPECT_EQ(to_vector<float>(f(from<float>({0, 0}))), (std::vector<float>{value + 1, 2 * value + 2}));
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Handles, FunctionsWithoutInputs) {
  int64_t n = 3;
  auto f = compile([&] { return arange(n) * 2; });
  EXPECT_EQ(to_vector<int64_t>(f()), (std::vector<int64_t>{0, 2, 4}));
  for (n = 0; n < 6; ++n) EXPECT_EQ(f().numel(), n);
}

TEST(Handles, NestedFunctionsAreInlined) {
  auto inner = compile([](Tensor x) { return x + 1; });
  auto outer = compile([&](Tensor x) { return inner(inner(x)) * 2; });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(to_vector<float>(outer(from<float>({1}))), (std::vector<float>{6}));
  EXPECT_EQ(outer.stats().compilations, 1);
  EXPECT_EQ(inner.stats().compilations, 0);
  EXPECT_EQ(to_vector<float>(inner(from<float>({1}))), (std::vector<float>{2}));
  EXPECT_EQ(outer.explain(from<float>({1})).kernels().size(), 1u);
}

TEST(Handles, RecursiveFunctions) {
  std::function<Tensor(Tensor, int)> self;
  auto f = compile([&](Tensor x, int depth) { return depth == 0 ? x : self(x * 2, depth - 1); });
  self = [&](Tensor x, int depth) { return f(std::move(x), depth); };
  for (int depth : {3, 1, 5}) EXPECT_EQ(item<float>(f(from<float>({1}), depth)), static_cast<float>(1 << depth));
}

TEST(Handles, RvaluesAreNoOutputs) {
  auto f = compile([](Tensor x) { return relu(exp(x + 1) - (x * 2) / 3) * 2; });
  const Explanation e = f.explain(counting({64}));
  ASSERT_EQ(e.regions.size(), 1u);
  EXPECT_EQ(e.kernels().size(), 1u);
  EXPECT_EQ(e.regions[0].bytes, 2 * 64 * 4);
}

TEST(Handles, LocalsThatDieAreNoOutputs) {
  auto f = compile([](Tensor x) {
    Tensor a = x + 1;
    Tensor b = a * 2;
    a = b - x;
    return a / b;
  });
  EXPECT_EQ(f.explain(counting({64})).regions.at(0).bytes, 2 * 64 * 4);
}

TEST(Handles, ExtraOutputsChangeNoBit) {
  Tensor kept;
  bool keep = false;
  auto f = compile([&](Tensor x) {
    Tensor a = exp(x * 0.37);
    Tensor b = to(to(a, f16) + 1, f32) / 3;
    if (keep) kept = a;
    return sum(b * a, {.dims = {1}});
  });
  const Tensor x = counting({5, 33}) / 40;
  const auto plain = bits<float>(f(x));
  keep = true;
  EXPECT_EQ(bits<float>(f(x)), plain);
  EXPECT_EQ(bits<float>(kept), bits<float>(exp(x * 0.37)));
  EXPECT_EQ(f.stats().compilations, 2);
}

TEST(Handles, FusionAndBackendChangeNoBit) {
  auto body = [](Tensor x) {
    Tensor h = to(x, f16) * 0.3 + 1;
    Tensor s = sum(to(h, f32) * x, {.dims = {0}, .keepdim = true});
    return std::pair(to(sigmoid(h - s), f32), transpose(x, 0, 1) * 2 + amax(x));
  };
  const Tensor x = counting({17, 23}) / 100;
  auto reference = compile(body, {.backend = "reference"});
  const auto [a, b] = reference(x);
  for (Fusion fusion : {Fusion::none, Fusion::vertical, Fusion::all}) {
    auto f = compile(body, {.fusion = fusion});
    const auto [c, d] = f(x);
    EXPECT_EQ(bits<float>(a), bits<float>(c)) << static_cast<int>(fusion);
    EXPECT_EQ(bits<float>(b), bits<float>(d)) << static_cast<int>(fusion);
  }
}

TEST(Handles, ThreadsShareOneFunction) {
  auto f = compile([](Tensor x) { return relu(x - 3) * 2; }, {.dynamic = Dynamic::never});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 40; ++i) {
        const int64_t n = 2 + (t + i) % 4;
        const auto y = to_vector<float>(f(counting({n})));
        for (int64_t k = 0; k < n; ++k)
          wrong += y[static_cast<size_t>(k)] != static_cast<float>(k > 3 ? 2 * (k - 3) : 0);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.stats().compilations, 4);
  EXPECT_EQ(f.stats().calls, 320);
  EXPECT_EQ(f.stats().launches, 320);
}

TEST(Handles, ThreadsTakeDifferentPathsOfOneFunction) {
  auto f = compile([](Tensor x, int path) {
    Tensor y = x + 1;
    if (path & 1) y = y * 2;
    if (path & 2) y = y - x;
    if (path & 4) y = y * item<float>(amax(y));
    return y;
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 16; ++i) {
        const int path = (t + i) % 8;
        float y = 3;
        if (path & 1) y *= 2;
        if (path & 2) y -= 2;
        if (path & 4) y *= y;
        wrong += to_vector<float>(f(from<float>({2, 2}), path)) != std::vector<float>{y, y};
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Handles, APendingHandleOnAnotherThreadIsRefused) {
  auto f = compile([](Tensor x) {
    Tensor y = x + 1;
    std::vector<std::string> texts;
    std::thread([&] {
      texts.push_back(refusal<UserError>([&] { (void)(y + 1); }));
      texts.push_back(refusal<UserError>([&] { (void)to_vector<float>(y); }));
      texts.push_back(refusal<UserError>([&] { (void)y.data_ptr(); }));
      texts.push_back(refusal<UserError>([&] { (void)y.shape(); }));
      texts.push_back(refusal<UserError>([&] { (void)y.dtype(); }));
      auto g = compile([](Tensor t) { return t * 2; });
      texts.push_back(refusal<UserError>([&] { (void)g(y); }));
    }).join();
    for (const std::string& text : texts) EXPECT_TRUE(contains(text, "another thread")) << text;
    return y * 2;
  });
  EXPECT_EQ(to_vector<float>(f(from<float>({1}))), (std::vector<float>{4}));
}

TEST(Handles, EagerOpsOutside) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(to_vector<float>(x * 2 + 1), (std::vector<float>{1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(to_vector<float>(sum(x, {.dims = {0}})), (std::vector<float>{3, 5, 7}));
  for (int64_t n = 0; n < 20; ++n) EXPECT_EQ((counting({n}) + 1).numel(), n);
}

TEST(Handles, EagerOpsOnManyThreads) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 30; ++i)
        wrong += item<float>(sum(counting({2 + t}) * i)) != static_cast<float>((t + 2) * (t + 1) / 2 * i);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sinter::test
