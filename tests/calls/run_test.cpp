// SPDX-License-Identifier: Apache-2.0
// Calls through the whole compiler: plans, executables, captures, guards, explain().
#include <gtest/gtest.h>

#include <thread>

#include "runtime/exec/library/provider.h"
#include "src/compiler/cache_key.h"
#include "src/compiler/pipeline.h"
#include "src/reference/interpret.h"
#include "tests/calls/product.h"
#include "tests/lower/build.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::Value;

Tensor matrix(int64_t rows, int64_t columns, Device device, int first = 1) {
  std::vector<float> v(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>((static_cast<int>(i) * 7 + first) % 11 - 5);
  return to(from<float>(v, {rows, columns}), device);
}

std::vector<float> expected_product(const Tensor& x, const Tensor& y, float scale = 1) {
  const auto a = to_vector<float>(x), b = to_vector<float>(y);
  const int64_t m = x.shape()[0], depth = x.shape()[1], n = y.shape()[1];
  std::vector<float> z(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < depth; ++k)
        z[static_cast<size_t>(i * n + j)] +=
            scale * a[static_cast<size_t>(i * depth + k)] * b[static_cast<size_t>(k * n + j)];
  return z;
}

class Calls : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { register_product(); }
  const Device device = GetParam() ? Device::cuda(0) : Device::cpu();
};

TEST_P(Calls, GiveTheReferenceBits) {
  GraphBuilder b;
  const Value x = b.input(f32, {6, 40}), y = b.input(f32, {6, 30});
  const auto call = [&](Value l, Value r, double scale) {
    return b.op("test_product", {l, r}, graph::CallAttributes().number(graph::Number::of(scale)).flag(scale < 0));
  };
  const Value z = call(b.permute(b.unary("relu", x), {1, 0}), y, 0.5);
  b.g.add_output(b.with_number("add", z, 1));
  b.g.add_output(call(z, b.permute(z, {1, 0}), -1));
  b.g.add_output(z);
  b.g.add_output(z);
  std::vector<reference::Array> inputs;
  for (const Dims& shape : {Dims{6, 40}, Dims{6, 30}}) {
    inputs.push_back(reference::Array::zeros(f32, shape));
    for (int64_t i = 0; i < inputs.back().size(); ++i)
      inputs.back().set(i, scalar::constant_f32(static_cast<float>(i * 5 % 13 - 6)));
  }
  const auto expected = reference::interpret(b.g, inputs);
  b.g.name = "products";
  for (const Fusion fusion : {Fusion::all, Fusion::none}) {
    const auto got = run_on(device, b.g, inputs, {.fusion = fusion});
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(difference(expected[i], got[i]), "") << i;
  }
}

TEST_P(Calls, AreCountedAndNamed) {
  auto f = compile([](Tensor x, Tensor y) { return relu(product(x + 1, transpose(y, 0, 1), 2)); }, {.name = "f"});
  const Tensor x = matrix(20, 30, device), y = matrix(10, 30, device);
  const Explanation e = f.explain(x, y);
  ASSERT_EQ(e.library_calls().size(), 1u);
  EXPECT_EQ(e.kernels().size(), 2u);
  const CallExplanation c = e.library_calls()[0];
  EXPECT_EQ(c.op, "test_product");
  EXPECT_EQ(c.library, "loops");
  EXPECT_EQ(c.operands, (std::vector<std::string>{"f32 [20,30]", "f32 [30,10] strides [1,30]"}));
  EXPECT_EQ(c.step, 1);
  EXPECT_NE(e.text().find("1 region, 2 kernels, 1 library call, 0 breaks"), std::string::npos) << e.text();
  EXPECT_NE(e.text().find("library call test_product by loops  (f32 [20,30], f32 [30,10] strides [1,30]) -> f32 "
                          "[20,10]"),
            std::string::npos)
      << e.text();
}

TEST_P(Calls, EagerOnesTakeEveryShapeAndLayout) {
  for (const int64_t n : {2, 5, 60}) {
    const Tensor x = matrix(n, n + 1, device), y = matrix(n, n + 1, device, 4);
    const Tensor t = transpose(y, 0, 1);
    EXPECT_EQ(to_vector<float>(product(x, t, 3)), expected_product(x, t, 3)) << n;
    const Tensor wide = expand(slice(x, 0, 0, 1), {n, n + 1});  // rows overlap: copied
    EXPECT_EQ(to_vector<float>(product(wide, t)), expected_product(wide, t)) << n;
    const Tensor part = slice(x, 1, 1, n);
    EXPECT_EQ(to_vector<float>(product(part, slice(t, 0, 1, n))), expected_product(part, slice(t, 0, 1, n))) << n;
  }
}

TEST_P(Calls, OneThatNoLibraryTakesBecomesKernels) {
  auto f = compile([](Tensor x, Tensor y) { return product_or_sum(x, y); }, {.name = "g", .dynamic = Dynamic::never});
  const Tensor x = matrix(20, 12, device), y = matrix(12, 30, device);
  EXPECT_EQ(f.explain(x, y).library_calls().size(), 1u);
  const Tensor odd = matrix(20, 13, device), right = matrix(13, 30, device);
  const Explanation e = f.explain(odd, right);
  EXPECT_EQ(e.library_calls().size(), 0u);
  EXPECT_EQ(e.kernels().size(), 1u);
  EXPECT_NE(e.text().find("no library call: test_product_or_sum f32 [20,13] f32 [13,30]: no library: loops: an inner "
                          "extent of 13 brings bad luck"),
            std::string::npos)
      << e.text();
  EXPECT_EQ(to_vector<float>(f(odd, right)), expected_product(odd, right));
}

TEST_P(Calls, OneThatNobodyComputesIsAnError) {
  const Tensor x = matrix(4, 13, device), y = matrix(13, 4, device);
  auto f = compile([](Tensor a, Tensor b) { return product(a, b); }, {.name = "h", .dynamic = Dynamic::never});
  try {
    (void)f(x, y);
    FAIL();
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find("[test_product] nobody computes f32 [4,13] f32 [13,4] on " + device.text() +
                                         ": loops: an inner extent of 13 brings bad luck"),
              std::string::npos)
        << e.what();
  }
}

TEST_P(Calls, TheSteadyStatePreparesAndAllocatesNothing) {
  auto f = compile([](Tensor a, Tensor b) { return relu(product(a, b)); }, {.name = "steady"});
  const Tensor x = matrix(16, 16, device), y = matrix(16, 16, device);
  for (int i = 0; i < 3; ++i) (void)f(x, y);
  const int prepared = product_counts().prepared;
  const int64_t allocations = memory_use(device).allocations;
  for (int i = 0; i < 10; ++i) (void)f(x, y);
  EXPECT_EQ(product_counts().prepared, prepared);
  EXPECT_EQ(memory_use(device).allocations, allocations);
}

TEST_P(Calls, WorkInACapturedStream) {
  auto f = compile([](Tensor a, Tensor b) { return product(a + 1, b) * 2; }, {.name = "captured"});
  const Tensor x = matrix(16, 12, device), y = matrix(12, 16, device);
  const std::vector<float> before = to_vector<float>(f(x, y));
  device::Backend& backend = device::backend(device);
  const Stream stream = Stream::create(device);
  Tensor z;
  device::GraphHandle graph = nullptr;
  {
    const StreamGuard guard(stream);
    backend.begin_capture(stream.native());
    const int ran = product_counts().ran;
    z = f(x, y);
    EXPECT_EQ(product_counts().ran, ran);
    graph = backend.end_capture(stream.native());
    backend.launch_graph(graph, stream.native());
    EXPECT_EQ(product_counts().ran, ran + 1);
  }
  stream.synchronize();
  EXPECT_EQ(to_vector<float>(z), before);
  z = Tensor();
  backend.destroy_graph(graph);
}

TEST_P(Calls, ManyThreadsShareOne) {
  auto f = compile([](Tensor a, Tensor b) { return product(a, b); }, {.name = "shared", .dynamic = Dynamic::always});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Tensor x = matrix(4 + (i + t) % 20, 8, device), y = matrix(8, 5 + t, device);
        wrong += to_vector<float>(f(x, y)) != expected_product(x, y);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, Calls, testing::Bool(), [](const auto& p) { return p.param ? "emulator" : "cpu"; });

/// A kernel and a call that reads its result, for the emulator.
compiler::Generated call_of_a_kernel() {
  GraphBuilder b;
  const Value x = b.input(f32, {8, 8});
  b.g.add_output(
      b.op("test_product", {b.unary("relu", x), x}, graph::CallAttributes().number(graph::Number::of(0.5)).flag(true)));
  b.g.device = Device::cuda(0);
  return compiler::run_pipeline(b.g, {}, device::backend(b.g.device).properties());
}

TEST(CallPlans, ComeBackFromBytesAndNameAMissingProvider) {
  register_product();
  const compiler::Generated made = call_of_a_kernel();
  ASSERT_EQ(made.plan.calls.size(), 1u);
  const std::string bytes = exec::serialize(made.plan);
  EXPECT_EQ(exec::deserialize(bytes), made.plan);
  exec::Plan other = made.plan;
  other.calls[0].provider = "nobody";
  EXPECT_THROW((void)exec::make_executable(other, std::vector<exec::LoadedKernel>(other.kernels.size())), CompileError);
}

TEST(CallPlans, DamagedBytesAreRefusedOrHarmless) {
  register_product();
  const std::string bytes = exec::serialize(call_of_a_kernel().plan);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    try {
      const exec::Plan p = exec::deserialize(flipped);
      for (const exec::Step& s : p.steps)
        ASSERT_TRUE(s.kernel >= 0 ? static_cast<size_t>(s.kernel) < p.kernels.size()
                                  : static_cast<size_t>(s.call) < p.calls.size());
      for (const exec::CallRef& c : p.calls)
        for (const exec::CallTensorSource& t : c.operands) ASSERT_EQ(t.shape.size(), t.strides.size());
    } catch (const CompileError&) {  // refused
    }
  }
}

TEST(CallPlans, CacheKeysNameTheLibrariesOfCallsOnly) {
  register_product();
  const auto libraries = [](const graph::Graph& g) {
    for (const compiler::KeyField& f : compiler::key_fields(g, {}, {}))
      if (f.name == "libraries") return f.value;
    return std::string("no such field");
  };
  GraphBuilder plain, calls;
  plain.g.add_output(plain.unary("relu", plain.input(f32, {8, 8})));
  const Value x = calls.input(f32, {8, 8});
  calls.g.add_output(
      calls.op("test_product_or_sum", {x, x}, graph::CallAttributes().number(graph::Number::of(1.0)).flag(false)));
  EXPECT_EQ(libraries(plain.g), "");
  EXPECT_EQ(libraries(calls.g), "loops 1.0");
}

}  // namespace
}  // namespace sinter::test
