// SPDX-License-Identifier: Apache-2.0
// Host::skip: the host code runs once for each kind of arguments.
#include <array>
#include <map>
#include <optional>
#include <thread>

#include "runtime/device/log.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

std::vector<float> floats(const Tensor& t) { return to_vector<float>(t); }
constexpr CompileOptions skip{.host = Host::skip};

TEST(Skip, HostCodeRunsOnce) {
  int runs = 0;
  auto f = compile([&](Tensor x) { return ++runs, relu(x + 1) * 2; }, skip);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(floats(f(counting({3}) - static_cast<float>(i))),
              floats(relu(counting({3}) - static_cast<float>(i) + 1) * 2));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(f.stats().calls, 4);
  EXPECT_EQ(f.stats().compilations, 1);
}

TEST(Skip, OtherArgumentsRunItAgain) {
  int runs = 0;
  auto f = compile([&](Tensor x, float scale, bool twice) { return ++runs, twice ? x * scale * 2 : x * scale; },
                   {.host = Host::skip, .dynamic = Dynamic::never});
  const auto expect_runs = [&](int n, const Tensor& x, float scale, bool twice) {
    EXPECT_EQ(floats(to(f(x, scale, twice), f32)), floats(to(twice ? x * scale * 2 : x * scale, f32)));
    EXPECT_EQ(runs, n);
  };
  expect_runs(1, counting({4}), 2, false);
  expect_runs(1, counting({4}) + 1, 2, false);
  expect_runs(2, counting({4}), 3, false);
  expect_runs(3, counting({4}), 3, true);
  expect_runs(4, counting({5}), 2, false);
  expect_runs(5, to(counting({4}), f64), 2, false);
  expect_runs(6, counting({2, 2}), 2, false);
  expect_runs(7, transpose(counting({2, 2}), 0, 1), 2, false);
  expect_runs(7, counting({4}), 2, false);
}

TEST(Skip, ExtentsBecomeRunTimeValues) {
  int runs = 0;
  auto f = compile([&](Tensor x, Tensor y) { return ++runs, sum(x * y, {.dims = {0}}); }, skip);
  for (const int64_t n : {5, 9, 30, 7, 1000})
    EXPECT_EQ(floats(f(counting({n, 3}), counting({n, 1}))),
              floats(sum(counting({n, 3}) * counting({n, 1}), {.dims = {0}})));
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(f.stats().compilations, 2);
  EXPECT_EQ(floats(f(counting({5, 3}), counting({1, 1}))),
            floats(sum(counting({5, 3}) * counting({1, 1}), {.dims = {0}})));
}

TEST(Skip, ExtentsThatHostCodeReadAreGuarded) {
  int runs = 0;
  auto f = compile([&](Tensor x) { return ++runs, x / static_cast<float>(x.size(0)); },
                   {.host = Host::skip, .dynamic = Dynamic::always});
  const auto expected = [](int64_t n, int64_t m) { return floats(counting({n, m}) / static_cast<float>(n)); };
  EXPECT_EQ(floats(f(counting({4, 3}))), expected(4, 3));
  EXPECT_EQ(floats(f(counting({4, 8}))), expected(4, 8));
  EXPECT_EQ(runs, 1) << "dim 1 was not read";
  EXPECT_EQ(floats(f(counting({5, 3}))), expected(5, 3));
  EXPECT_EQ(runs, 2);
}

TEST(Skip, ExtentsOfComputedValuesAreGuarded) {
  int runs = 0;
  auto f = compile(
      [&](Tensor x, Tensor y) {
        ++runs;
        const Tensor both = cat({x, y}, 0);
        return both * static_cast<float>(both.size(0));
      },
      {.host = Host::skip, .dynamic = Dynamic::always});
  const auto expected = [](int64_t n, int64_t m) {
    return floats(cat({counting({n}), counting({m})}, 0) * static_cast<float>(n + m));
  };
  EXPECT_EQ(floats(f(counting({4}), counting({6}))), expected(4, 6));
  EXPECT_EQ(floats(f(counting({7}), counting({3}))), expected(7, 3));
  EXPECT_EQ(runs, 1) << "the sum is what was read";
  EXPECT_EQ(floats(f(counting({4}), counting({7}))), expected(4, 7));
  EXPECT_EQ(runs, 2);
}

TEST(Skip, DimsStridesAndArgumentsThatNothingUses) {
  int runs = 0;
  auto f = compile(
      [&](Tensor x, Tensor shape_of, Tensor layout_of) {
        ++runs;
        return x * static_cast<float>(shape_of.numel()) + (layout_of.is_contiguous() ? 1 : 0);
      },
      skip);
  const Tensor x = counting({2});
  EXPECT_EQ(floats(f(x, counting({3}), counting({2, 4}))), (std::vector<float>{1, 4}));
  EXPECT_EQ(floats(f(x, counting({5}), counting({2, 4}))), (std::vector<float>{1, 6}));
  EXPECT_EQ(floats(f(x, counting({5}), transpose(counting({4, 2}), 0, 1))), (std::vector<float>{0, 5}));
  EXPECT_EQ(runs, 3);
}

TEST(Skip, CapturedStateIsFrozen) {
  float number = 2;
  std::vector<float> memory{1, 2, 3};
  Tensor captured = from_blob(memory.data(), {3}, f32), owned = counting({3});
  auto f = compile([&](Tensor x) { return (x + captured) * number + owned; }, skip);
  const Tensor x = counting({3});
  const std::vector<float> first = floats(f(x));
  EXPECT_EQ(first, (std::vector<float>{2, 7, 12}));
  number = 5;
  memory = {7, 7, 7};
  captured = owned = Tensor();
  EXPECT_EQ(floats(f(x)), first);
}

TEST(Skip, MemoryWrappedInsideIsCopied) {
  auto f = compile(
      [](Tensor x) {
        std::vector<float> local{1, 2, 3};
        const Tensor y = x + from_blob(local.data(), {3}, f32);
        local.assign(3, 100.0f);
        return y;
      },
      skip);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(floats(f(counting({3}))), (std::vector<float>{1, 3, 5}));
}

TEST(Skip, ResultsOfAnyStructure) {
  struct Outcome {
    Tensor tensor;
    int count;
    std::vector<std::optional<Tensor>> more;
  };
  const Tensor constant = counting({2});
  int runs = 0;
  auto f = compile(
      [&](const std::vector<Tensor>& x, std::pair<int, Tensor> p) {
        ++runs;
        Tensor y = x[0] + p.second;
        return std::tuple(Outcome{y, p.first + 1, {x[1], std::nullopt, y}}, constant, Tensor(), 1.5);
      },
      skip);
  for (const float base : {1.0f, 2.0f}) {
    const std::vector<Tensor> x{counting({2}) + base, counting({3}) + base};
    auto [outcome, same, undefined, number] = f(x, std::pair(7, counting({2})));
    EXPECT_EQ(floats(outcome.tensor), (std::vector<float>{base, base + 2}));
    EXPECT_EQ(outcome.count, 8);
    ASSERT_EQ(outcome.more.size(), 3u);
    EXPECT_EQ(outcome.more[0]->impl(), x[1].impl());
    EXPECT_FALSE(outcome.more[1].has_value());
    EXPECT_EQ(outcome.more[2]->impl(), outcome.tensor.impl());
    EXPECT_EQ(same.impl(), constant.impl());
    EXPECT_FALSE(undefined.defined());
    EXPECT_EQ(number, 1.5);
  }
  EXPECT_EQ(runs, 1);
}

TEST(Skip, EqualArgumentsStayApart) {
  int runs = 0;
  auto f = compile([&](Tensor x, Tensor y) { return ++runs, x - y; }, skip);
  const Tensor x = counting({3});
  EXPECT_EQ(floats(f(x, x)), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(floats(f(x + 5, x)), (std::vector<float>{5, 5, 5}));
  EXPECT_EQ(runs, 1);
}

TEST(Skip, OptionalArguments) {
  auto f = compile(
      [&](Tensor x, std::optional<Tensor> y, Tensor z) {
        if (y) x = x + *y;
        return z.defined() ? x * z : x;
      },
      skip);
  const Tensor x = counting({2}) + 1;
  EXPECT_EQ(floats(f(x, std::nullopt, Tensor())), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(f(x, x, Tensor())), (std::vector<float>{2, 4}));
  EXPECT_EQ(floats(f(x, x, x)), (std::vector<float>{2, 8}));
  EXPECT_EQ(floats(f(x, std::nullopt, x)), (std::vector<float>{1, 4}));
}

TEST(Skip, HandlesThatEscapeAreUnusable) {
  Tensor value, argument;
  int line = 0;
  auto f = compile(
      [&](Tensor x) {
        line = __LINE__ + 1;
        value = x * 3;
        argument = x;
        return value + 1;
      },
      {.name = "leaky", .host = Host::skip});
  const Tensor x = counting({3});
  EXPECT_EQ(floats(f(x)), (std::vector<float>{1, 4, 7}));
  const std::string read = refusal<UserError>([&] { to_vector<float>(value); });
  EXPECT_TRUE(contains(read, "escaped from the capture of \"leaky\"")) << read;
  EXPECT_TRUE(contains(read, "[mul] " + line_text(__FILE__, line))) << read;
  const int use = __LINE__ + 1;
  const std::string used = refusal<UserError>([&] { (void)(value + 1); });
  EXPECT_TRUE(contains(used, "[add]") && contains(used, line_text(__FILE__, use))) << used;
  const std::string shape = refusal<UserError>([&] { (void)argument.shape(); });
  EXPECT_TRUE(contains(shape, "argument 0")) << shape;
  auto g = compile([&](Tensor y) { return y + argument; });
  EXPECT_TRUE(contains(refusal<UserError>([&] { g(x); }), "argument 0"));
  value = argument = Tensor();
  EXPECT_EQ(floats(f(x)), (std::vector<float>{1, 4, 7})) << "the frozen call is not harmed";
}

TEST(Skip, ValuesOnTheHostAreRefused) {
  int line = 0;
  auto f = compile(
      [&](Tensor x) {
        line = __LINE__ + 1;
        return item<float>(sum(x)) > 0 ? x : x * 2;
      },
      {.name = "branch", .host = Host::skip});
  const std::string e = refusal<UserError>([&] { f(counting({3})); });
  EXPECT_TRUE(contains(e, "[item] reads f32 [] on the host; Host::skip runs the host code once")) << e;
  EXPECT_TRUE(contains(e, line_text(__FILE__, line)) && contains(e, "tracing \"branch\"")) << e;
  auto g = compile([](Tensor x) { return x.data_ptr() != nullptr ? x + 1 : x; }, skip);
  EXPECT_TRUE(contains(refusal<UserError>([&] { g(counting({3})); }), "[data_ptr]"));
  auto h = compile(
      [](Tensor x) {
        Tensor y = x + 1;
        synchronize(Device::cpu());
        return y;
      },
      skip);
  EXPECT_TRUE(contains(refusal<UserError>([&] { h(counting({3})); }), "a graph break"));
  EXPECT_EQ(floats(counting({2}) + 1), (std::vector<float>{1, 2})) << "the thread records nothing any more";
}

TEST(Skip, ExceptionsOfHostCodeLeaveNothingBehind) {
  bool fail = true;
  Tensor escaped;
  auto f = compile(
      [&](Tensor x) {
        escaped = x + 1;
        if (fail) throw std::runtime_error("host");
        return x * 2;
      },
      skip);
  EXPECT_THROW(f(counting({3})), std::runtime_error);
  EXPECT_TRUE(contains(refusal<UserError>([&] { to_vector<float>(escaped); }), "escaped"));
  fail = false;
  EXPECT_EQ(floats(f(counting({3}))), (std::vector<float>{0, 2, 4}));
}

TEST(Skip, InsideOtherFunctions) {
  int runs = 0;
  auto inner = compile([&](Tensor x) { return ++runs, x + 1; }, skip);
  auto again = compile([&](Tensor x) { return inner(x) * 2; });
  auto once = compile([&](Tensor x) { return inner(x) * 3; }, skip);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(floats(again(counting({2}))), (std::vector<float>{2, 4}));
    EXPECT_EQ(floats(once(counting({2}))), (std::vector<float>{3, 6}));
  }
  EXPECT_EQ(runs, 4) << "three times inlined, once captured";
  EXPECT_EQ(again.explain(counting({2})).kernels().size(), once.explain(counting({2})).kernels().size());
}

TEST(Skip, NumbersThatNeverRepeatFallBack) {
  int64_t warnings = 0;
  const auto before =
      device::set_warning_handler([&](const std::string& text) { warnings += contains(text, "changing"); });
  int runs = 0;
  auto f = compile([&](Tensor x, int n) { return ++runs, x + n; }, {.name = "changing", .host = Host::skip});
  for (int n = 0; n < 70; ++n) EXPECT_EQ(floats(f(counting({2}), n))[1], static_cast<float>(n + 1));
  EXPECT_EQ(runs, 70);
  EXPECT_EQ(warnings, 1);
  EXPECT_LE(f.stats().compilations, 4) << "numbers that differ are promoted to arguments of the kernel";
  EXPECT_EQ(floats(f(counting({2}), 5)), (std::vector<float>{5, 6}));
  EXPECT_EQ(runs, 70);
  device::set_warning_handler(before);
}

TEST(Skip, ManyThreads) {
  std::atomic<int> runs{0};
  auto f = compile([&](Tensor x) { return ++runs, relu(x * 2) + 1; }, skip);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const int64_t n = 2 + (i + t) % 7;
        if (floats(f(counting({n}))).back() != static_cast<float>(2 * (n - 1) + 1)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(runs.load(), 4 * 7);
}

TEST(Skip, OtherTypesAreRefused) {
  auto f = compile([](Tensor x, const int* n) { return x + *n; }, skip);
  const int n = 1;
  EXPECT_TRUE(contains(refusal<UserError>([&] { f(counting({2}), &n); }), "Host::skip and save() need"));
}

TEST(Skip, ExplainShowsTheFrozenCall) {
  auto f = compile([](Tensor x) { return relu(x + 1); }, skip);
  f(counting({64}));
  const Explanation e = f.explain(counting({64}));
  ASSERT_EQ(e.regions.size(), 1u);
  EXPECT_EQ(e.regions[0].end, "Host::skip");
  EXPECT_EQ(e.regions[0].bytes, 2 * 64 * 4);
}

}  // namespace
}  // namespace sinter::test
