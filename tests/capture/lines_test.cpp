// SPDX-License-Identifier: Apache-2.0
// Functions that make several calls for the user make each of them at the user's line.
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/recorder.h"
#include "src/graph/registry.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

/// Passes calls on to what runs them at once, and notes those that name another file than this one.
class LineListener final : public graph::Recorder {
 public:
  LineListener() : before_(graph::exchange_recorder(this)) {}
  ~LineListener() override { graph::exchange_recorder(before_); }
  LineListener(const LineListener&) = delete;
  LineListener& operator=(const LineListener&) = delete;

  Tensor call(const graph::Call& call) override {
    Tensor result;
    pass_on(call, [&](graph::Recorder& next) { result = next.call(call); });
    return result;
  }
  void write(const graph::Call& call) override {
    pass_on(call, [&](graph::Recorder& next) { next.write(call); });
  }

  int calls = 0;
  std::vector<std::string> elsewhere;

 private:
  template <class Next>
  void pass_on(const graph::Call& call, const Next& next) {
    ++calls;
    const std::string file = call.line.file == nullptr ? "nowhere" : call.line.file;
    if (std::filesystem::path(file).filename() != "lines_test.cpp")
      elsewhere.push_back(std::string(call.op->name) + " at " +
                          std::filesystem::path(call.line.text()).filename().string());
    graph::exchange_recorder(before_);
    try {
      next(graph::current_recorder());
    } catch (...) {
      graph::exchange_recorder(this);
      throw;
    }
    graph::exchange_recorder(this);
  }

  graph::Recorder* before_;
};

struct Composite {
  const char* name;
  std::function<void()> run;
};

std::vector<Composite> by_order_and_index() {
  const Tensor x = counting({3, 4}), scalar = full({}, 2.0), at = from<int64_t>({1, 0, 2});
  const Tensor places = from(std::vector<int64_t>{0, 1, 2, 0, 1, 2}, {3, 2});
  return {
      {"argsort", [=] { argsort(x, {.dim = 0}); }},
      {"argsort of a scalar", [=] { argsort(scalar); }},
      {"sort", [=] { sort(x, {.dim = 0}); }},
      {"sort of a scalar", [=] { sort(scalar); }},
      {"topk", [=] { topk(x, 2, {.dim = 0}); }},
      {"take_along_dim", [=] { take_along_dim(x, places, 1); }},
      {"take_along_dim of rows", [=] { take_along_dim(x, from(std::vector<int64_t>{1}, {1, 1}), 1); }},
      {"take_along_dim of all", [=] { take_along_dim(x, at); }},
      {"bincount", [=] { bincount(at); }},
      {"bincount with weights", [=] { bincount(at, {.weights = counting({3})}); }},
      {"bincount with integers as weights", [=] { bincount(at, {.weights = at}); }},
      {"histc", [=] { histc(x, {.bins = 3}); }},
      {"histc of a range", [=] { histc(x, {.bins = 3, .min = 0, .max = 5}); }},
      {"scatter of a number", [=] { scatter(x, 1, places, 2); }},
      {"index_fill", [=] { index_fill(x, 0, at, 2); }},
      {"index_fill of a tensor", [=] { index_fill(x, 0, at, scalar); }},
      {"index_put", [=] { index_put(x, {at}, 2); }},
  };
}

std::vector<Composite> others() {
  const Tensor x = counting({3, 4}), row = counting({4}), image = counting({2, 2, 4, 4});
  const Tensor classes = from<int64_t>({1, 0, 3});
  return {
      {"einsum", [=] { einsum("ij,kj->ik", {x, x}); }},
      {"glu", [=] { glu(x, 1); }},
      {"split", [=] { split(x, 2); }},
      {"chunk", [=] { chunk(x, 2); }},
      {"unbind", [=] { unbind(x); }},
      {"repeat_interleave", [=] { repeat_interleave(x, 2); }},
      {"roll", [=] { roll(x, {1}); }},
      {"roll of dims", [=] { roll(x, {1, 2}, {0, 1}); }},
      {"movedim", [=] { movedim(x, {0}, {1}); }},
      {"stack", [=] { stack({x, x}); }},
      {"meshgrid", [=] { meshgrid({row, row}); }},
      {"pad", [=] { pad(x, {1, 1}, PadMode::reflect); }},
      {"one_hot", [=] { one_hot(classes, 4); }},
      {"max", [=] { max(x, 1); }},
      {"var_mean", [=] { var_mean(x); }},
      {"cummax", [=] { cummax(x, 0); }},
      {"binary_cross_entropy", [=] { binary_cross_entropy(x / 100, x / 100, {.weight = row}); }},
      {"batch_norm_training",
       [=] { batch_norm_training(image, {.running_mean = counting({2}), .running_var = counting({2})}); }},
      {"adaptive_avg_pool2d", [=] { adaptive_avg_pool2d(image, {2}); }},
      {"fill_", [=] { fill_(clone(x), 2); }},
      {"zero_", [=] { zero_(clone(x)); }},
      {"copy_", [=] { copy_(clone(x), row); }},
      {"into", [=] { into(clone(x), x); }},
      {"dropout", [=] { dropout(x); }},
      {"bernoulli", [=] { bernoulli(x, 0.5); }},
      {"rand_like", [=] { rand_like(x); }},
  };
}

TEST(Lines, CompositesCallAtTheUsersLine) {
  std::vector<Composite> all = by_order_and_index();
  for (Composite& c : others()) all.push_back(std::move(c));
  for (const Composite& c : all) {
    SCOPED_TRACE(c.name);
    LineListener listener;
    c.run();
    EXPECT_GT(listener.calls, 0);
    for (const std::string& call : listener.elsewhere) ADD_FAILURE() << call;
  }
}

/// Their errors have their names, not those of the ops they are made of.
TEST(Lines, ErrorsNameTheComposite) {
  const Tensor x = counting({3, 4}), bad = full({3, 1}, 7, i64);
  const int first = __LINE__ + 1;
  const std::string taken = refusal<UserError>([&] { take_along_dim(x, bad, 1); });
  EXPECT_TRUE(contains(taken, "[take_along_dim]") && contains(taken, line_text(__FILE__, first))) << taken;
  const int second = __LINE__ + 1;
  const std::string flat = refusal<UserError>([&] { take_along_dim(x, full({2}, 12, i64)); });
  EXPECT_TRUE(contains(flat, "[take_along_dim]") && contains(flat, line_text(__FILE__, second))) << flat;
  const std::string counted =
      refusal<UserError>([&] { bincount(from<int64_t>({0, 5}), {.length = 3, .weights = counting({2})}); });
  EXPECT_TRUE(contains(counted, "[bincount]") && contains(counted, "lines_test.cpp")) << counted;
}

TEST(Lines, ExplainedSortsAreTheUsers) {
  auto f = compile([](Tensor x) { return topk(x, 2).values; }, {.name = "best"});
  const std::string text = f.explain(counting({3, 4})).text();
  EXPECT_FALSE(contains(text, "sorting.cpp")) << text;
  EXPECT_TRUE(contains(text, "lines_test.cpp")) << text;
}

}  // namespace
}  // namespace sinter::test
