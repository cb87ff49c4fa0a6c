// SPDX-License-Identifier: Apache-2.0
// Backends of one's own.
#include <gtest/gtest.h>
#include <sinter/backend.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "runtime/device/log.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// A backend that hands its graphs on, and what it saw.
struct Delegating {
  std::vector<RecordedGraph> graphs;
  std::atomic<int> runs{0};

  explicit Delegating(const std::string& name) {
    register_backend(name, [this](const RecordedGraph& graph) -> GraphFunction {
      graphs.push_back(graph);
      return [this, f = compile_graph(graph)](std::span<const Tensor> inputs) {
        ++runs;
        return f(inputs);
      };
    });
  }
};

std::vector<std::string> op_names(const RecordedGraph& g) {
  std::vector<std::string> names;
  for (const RecordedOp& op : g.ops) names.push_back(op.name);
  return names;
}

TEST(RegisteredBackend, SeesTheGraphAndRunsIt) {
  Delegating backend("delegating");
  auto f = compile(
      [](const Tensor& x, const Tensor& y) {
        Tensor h = permute(x, {1, 0}) + 1;
        Tensor s = sum(h * y, {.dims = {0}, .keepdim = true});
        return std::pair(s, to(h, f16));
      },
      {.name = "seen", .backend = "delegating"});
  const Tensor x = counting({3, 4}), y = counting({4, 3}) / 7;
  const auto [a, b] = f(x, y);
  EXPECT_EQ(bits<float>(a), bits<float>(sum((permute(x, {1, 0}) + 1) * y, {.dims = {0}, .keepdim = true})));
  EXPECT_EQ(b.dtype(), f16);
  EXPECT_EQ(b.shape(), (Dims{4, 3}));
  (void)f(x * 2, y);
  EXPECT_EQ(backend.runs, 2);
  ASSERT_EQ(backend.graphs.size(), 1u);
  const RecordedGraph& g = backend.graphs[0];
  EXPECT_EQ(g.name, "seen");
  EXPECT_EQ(g.device, Device::cpu());
  EXPECT_EQ(op_names(g), (std::vector<std::string>{"permute", "add", "mul", "sum", "to"}));
  EXPECT_EQ(g.inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(g.outputs, (std::vector<int>{5, 6}));
  EXPECT_EQ(g.values[0].shape, (Dims{3, 4}));
  EXPECT_EQ(g.values[0].strides, (Dims{4, 1}));
  EXPECT_EQ(g.values[5].shape, (Dims{1, 3}));
  EXPECT_EQ(g.values[6].dtype, f16);
  EXPECT_EQ(std::get<Dims>(g.ops[0].attribute("dims")), (Dims{1, 0}));
  EXPECT_EQ(std::get<int64_t>(g.ops[1].attribute("rhs")), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(g.ops[1].attribute("lhs")));
  EXPECT_TRUE(std::get<bool>(g.ops[3].attribute("keepdim")));
  EXPECT_EQ(std::get<DType>(g.ops[4].attribute("dtype")), f16);
  EXPECT_EQ(g.ops[2].operands, (std::vector<int>{3, 1}));
  EXPECT_TRUE(contains(g.ops[0].line.text(), "registered_test.cpp:"));
  EXPECT_TRUE(
      contains(refusal<UserError>([&] { (void)g.ops[0].attribute("axis"); }), "[permute] has no attribute axis"));
  EXPECT_TRUE(contains(g.text(), "%3 f32 [4,3] = add(%2) lhs=none, rhs=1   // registered_test.cpp:")) << g.text();
}

TEST(RegisteredBackend, ANonContiguousInputIsDescribedAndRuns) {
  Delegating backend("strided");
  auto f = compile([](const Tensor& x) { return x * 3; }, {.backend = "strided"});
  const Tensor x = transpose(counting({5, 7}), 0, 1);
  EXPECT_EQ(bits<float>(f(x)), bits<float>(x * 3));
  EXPECT_EQ(backend.graphs.at(0).values[0].strides, (Dims{1, 7}));
}

TEST(RegisteredBackend, NewExtentsAndNumbersAreNewGraphsUpToALimitThenRunOpByOp) {
  Delegating backend("limited");
  float scale = 1;
  auto f = compile([&](const Tensor& x) { return x * scale; }, {.backend = "limited", .max_entries = 3});
  const int64_t warnings = device::warning_count();
  for (int i = 0; i < 6; ++i) {
    scale = static_cast<float>(i) + 0.5f;
    const Tensor x = counting({4 + i});
    EXPECT_EQ(bits<float>(f(x)), bits<float>(x * scale)) << i;
  }
  EXPECT_EQ(backend.graphs.size(), 3u);
  EXPECT_EQ(backend.graphs[1].values[0].shape, (Dims{5}));
  EXPECT_EQ(std::get<double>(backend.graphs[1].ops[0].attribute("rhs")), 1.5);
  EXPECT_EQ(f.stats().compilations, 4);
  EXPECT_EQ(device::warning_count(), warnings + 1);
  EXPECT_EQ(f.explain(counting({30})).regions.at(0).backend, "eager");
}

TEST(RegisteredBackend, ARewrittenGraphRunsAsWritten) {
  register_backend("minus", [](const RecordedGraph& graph) {
    RecordedGraph changed = graph;
    for (RecordedOp& op : changed.ops)
      if (op.name == "add") op.name = "sub";
    return compile_graph(changed);
  });
  auto f = compile([](const Tensor& x) { return x + 2; }, {.backend = "minus"});
  const Tensor x = counting({9});
  EXPECT_EQ(bits<float>(f(x)), bits<float>(x - 2));
}

TEST(RegisteredBackend, RunsOpsOneByOneWithItsOwnLoop) {
  register_backend("loop", [](const RecordedGraph& graph) -> GraphFunction {
    return [graph](std::span<const Tensor> inputs) {
      std::vector<Tensor> values(graph.values.size()), results;
      for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(graph.inputs[i])] = inputs[i];
      for (const RecordedOp& op : graph.ops) {
        std::vector<Tensor> operands;
        for (int v : op.operands) operands.push_back(values[static_cast<size_t>(v)]);
        const std::vector<Tensor> r = run_op(op, operands);
        for (size_t i = 0; i < r.size(); ++i) values[static_cast<size_t>(op.results[i])] = r[i];
      }
      for (int v : graph.outputs) results.push_back(values[static_cast<size_t>(v)]);
      return results;
    };
  });
  auto f = compile([](const Tensor& x) { return sigmoid(sum(x, {.dims = {1}}) - 0.5f); }, {.backend = "loop"});
  const Tensor x = counting({3, 5}) / 9;
  EXPECT_EQ(bits<float>(f(x)), bits<float>(sigmoid(sum(x, {.dims = {1}}) - 0.5f)));
  EXPECT_EQ(f.stats().launches, 3);
}

// Ops and other compiled functions inside of a backend do not become part of what is being recorded around it.
TEST(RegisteredBackend, MayUseOpsAndCompiledFunctionsWhileARegionEnds) {
  auto inner = compile([](const Tensor& x) { return relu(x) - 1; });
  register_backend("busy", [&](const RecordedGraph&) -> GraphFunction {
    const float shift = item<float>(inner(full({1}, 4.0, f32)));
    return
        [&inner, shift](std::span<const Tensor> inputs) { return std::vector<Tensor>{inner(inputs[0] * 2) + shift}; };
  });
  auto f = compile(
      [](const Tensor& x) {
        Tensor kept = x + 1;
        const float first = item<float>(sum(kept));  // ends a region
        return kept * first;
      },
      {.backend = "busy"});
  const Tensor x = counting({3});
  EXPECT_THROW((void)f(x), UserError);  // the sum's shape is not what this backend gives
  auto g = compile([](const Tensor& t) { return t + 1; }, {.backend = "busy"});
  EXPECT_EQ(to_vector<float>(g(x)), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(to_vector<float>(g(x)), (std::vector<float>{2, 4, 6}));
}

TEST(RegisteredBackend, NamesAreCheckedAndListed) {
  const auto identity = [](const RecordedGraph&) -> GraphFunction {
    return [](std::span<const Tensor> in) { return std::vector<Tensor>(in.begin(), in.end()); };
  };
  register_backend("listed", identity);
  const std::vector<std::string> names = backends();
  for (const char* n : {"eager", "listed", "reference", "sinter"})
    EXPECT_NE(std::ranges::find(names, n), names.end()) << n;
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_TRUE(
      contains(refusal<UserError>([&] { register_backend("listed", identity); }), "\"listed\" is there already"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { register_backend("eager", identity); }), "\"eager\" is there already"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { register_backend("", identity); }), "the name is empty"));
  EXPECT_TRUE(contains(refusal<UserError>([&] { register_backend("none", {}); }), "\"none\" has an empty function"));
  const std::string unknown =
      refusal<UserError>([] { (void)compile([](const Tensor& x) { return x; }, {.backend = "sintr"}); });
  EXPECT_TRUE(contains(unknown, "unknown backend \"sintr\"")) << unknown;
  EXPECT_TRUE(contains(unknown, "\"eager\"") && contains(unknown, "\"listed\"") && contains(unknown, "\"sinter\""))
      << unknown;
  EXPECT_TRUE(contains(unknown, "registered_test.cpp:")) << unknown;
}

TEST(RegisteredBackend, WrongResultsAreRefusedInWords) {
  std::vector<Tensor> given;
  register_backend(
      "wrong", [&](const RecordedGraph&) -> GraphFunction { return [&](std::span<const Tensor>) { return given; }; });
  auto f = compile([](const Tensor& x) { return x + 1; }, {.name = "f", .backend = "wrong"});
  const Tensor x = counting({4});
  const auto why = [&] { return refusal<UserError>([&] { (void)f(x); }); };
  EXPECT_TRUE(contains(why(), "[backend \"wrong\"] gave 0 results, not 1")) << why();
  EXPECT_TRUE(contains(why(), "tracing \"f\""));
  given = {Tensor()};
  EXPECT_TRUE(contains(why(), "result 0 is an undefined tensor"));
  given = {counting({5})};
  EXPECT_TRUE(contains(why(), "result 0 is f32 [5], not f32 [4]")) << why();
  given = {to(x, f16)};
  EXPECT_TRUE(contains(why(), "result 0 is f16 [4], not f32 [4]")) << why();
  given = {x};
  EXPECT_EQ(bits<float>(f(x)), bits<float>(x));
}

struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(RegisteredBackend, ItsExceptionsReachTheCallerAndHarmNothing) {
  bool compile_throws = true, run_throws = true;
  register_backend("throwing", [&](const RecordedGraph& graph) -> GraphFunction {
    if (compile_throws) throw OwnError("compiler");
    return [&run_throws, f = compile_graph(graph)](std::span<const Tensor> inputs) {
      if (run_throws) throw OwnError("run");
      return f(inputs);
    };
  });
  auto f = compile([](const Tensor& x) { return x + 1; }, {.backend = "throwing"});
  const Tensor x = counting({4});
  EXPECT_THROW((void)f(x), OwnError);
  compile_throws = false;
  EXPECT_THROW((void)f(x), OwnError);
  run_throws = false;
  EXPECT_EQ(bits<float>(f(x)), bits<float>(x + 1));
}

TEST(RegisteredBackend, AFunctionThatItsOwnBackendCallsIsRefused) {
  std::function<Tensor(const Tensor&)> again;
  bool while_compiling = true;
  register_backend("recursive", [&](const RecordedGraph&) -> GraphFunction {
    if (while_compiling) (void)again(counting({2}));
    return [&](std::span<const Tensor> inputs) { return std::vector<Tensor>{again(inputs[0])}; };
  });
  auto f = compile([](const Tensor& x) { return x + 1; }, {.name = "again", .backend = "recursive"});
  again = [&](const Tensor& x) { return f(x); };
  const auto why = [&] { return refusal<UserError>([&] { (void)f(counting({3})); }); };
  EXPECT_TRUE(contains(why(), "[again] user code that compiles it (a backend, a shape rule) calls it")) << why();
  while_compiling = false;
  EXPECT_TRUE(contains(why(), "[backend \"recursive\"] its own code uses it again")) << why();
}

TEST(RegisteredBackend, ThreadsShareItsFunctions) {
  Delegating backend("shared");
  auto f = compile([](const Tensor& x) { return x * 2 + 1; }, {.backend = "shared"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto y = to_vector<float>(f(counting({8})));
        for (size_t k = 0; k < y.size(); ++k) wrong += y[k] != static_cast<float>(2 * k + 1);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(backend.runs, 80);
  EXPECT_EQ(backend.graphs.size(), 1u);
}

}  // namespace
}  // namespace sinter::test
