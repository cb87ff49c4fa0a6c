// SPDX-License-Identifier: Apache-2.0
// Frozen weights: what depends on them alone is computed once for each contents, and batch norms go into convolutions.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device/backend.h"
#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "src/passes/channels_last.h"
#include "src/passes/fold_batch_norm.h"
#include "src/passes/fuse_activations.h"
#include "src/passes/split_constants.h"
#include "src/tensor/impl.h"
#include "tests/cache/folder.h"
#include "tests/convolution/devices.h"

namespace sinter {
namespace {

struct Layer {
  Tensor w, b, mean, var, weight, bias;
  Layer frozen() const { return {freeze(w), freeze(b), freeze(mean), freeze(var), freeze(weight), freeze(bias)}; }
  Tensor operator()(Tensor x) const {
    return relu(batch_norm(conv2d(std::move(x), w, b, {.padding = {1}}), mean, var, weight, bias));
  }
};

class Freeze : public test::OnDevices {
 protected:
  Tensor values(const Dims& shape, int64_t seed, float scale = 1) const {
    std::vector<float> v(static_cast<size_t>(shape.product()));
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = scale * static_cast<float>((static_cast<int64_t>(i) * 13 + seed * 5) % 17 - 8) / 8;
    return to(from(v, shape), device());
  }
  Layer layer() const {
    return {values({6, 4, 3, 3}, 1),   values({6}, 2),     values({6}, 3),
            values({6}, 4) * 0.25 + 1, values({6}, 5) + 2, values({6}, 6)};
  }
};

double largest_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const auto x = to_vector<float>(to(a, f32)), y = to_vector<float>(to(b, f32));
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::fabs(double{x[i]} - double{y[i]}));
  return largest;
}

TEST_P(Freeze, KeepsTheMemory) {
  const Tensor t = values({3, 4}, 0), f = freeze(t);
  EXPECT_EQ(t.impl()->storage, f.impl()->storage);
  EXPECT_TRUE(f.impl()->frozen);
  EXPECT_FALSE(t.impl()->frozen);
  EXPECT_EQ(to_vector<float>(f), to_vector<float>(t));
  EXPECT_THROW(freeze(Tensor()), UserError);
}

TEST_P(Freeze, AHandleIsNotFrozenBecauseItsPredecessorWas) {
  for (int i = 0; i < 3; ++i) {
    {
      const Tensor f = freeze(values({2}, i));
    }
    EXPECT_FALSE(values({2}, i).impl()->frozen);
  }
}

TEST_P(Freeze, FoldsTheBatchNormIntoTheConvolution) {
  const Layer given = layer(), frozen = given.frozen();
  auto plain = compile([&](Tensor x) { return given(std::move(x)); });
  auto folded = compile([&](Tensor x) { return frozen(std::move(x)); });
  const Tensor x = values({2, 4, 9, 7}, 7);
  for (int call = 0; call < 3; ++call) EXPECT_LT(largest_difference(plain(x), folded(x)), 2e-5);
}

// The weights are in the storage: another call with the same memory but new contents, by what in-place ops do.
TEST_P(Freeze, ComputesAgainForANewVersion) {
  const Tensor w = values({64}, 1), f = freeze(w);
  auto scaled = compile([&](Tensor x) { return x + exp(f) * 3; });
  const Tensor x = values({64}, 2);
  const Tensor before = scaled(x);
  EXPECT_LT(largest_difference(before, x + exp(w) * 3), 1e-6);
  const float written = 2;
  device::Backend& backend = device::backend(device());
  const device::StreamHandle stream = device::current_stream(device());
  backend.copy_from_host(static_cast<float*>(w.impl()->data()) + 5, &written, sizeof written, stream);
  backend.synchronize(stream);
  EXPECT_EQ(to_vector<float>(scaled(x)), to_vector<float>(before));  // kept: the promise was not to do this
  w.impl()->storage->version.fetch_add(1);
  EXPECT_LT(largest_difference(scaled(x), x + exp(w) * 3), 1e-6);
  EXPECT_NE(to_vector<float>(scaled(x)), to_vector<float>(before));
}

TEST_P(Freeze, TellsMemoriesAndViewsApart) {
  auto f = compile([](Tensor x, Tensor w) { return x * sqrt(w * w + 1); });
  const Tensor x = values({8}, 1), all = values({32}, 2, 8);
  std::vector<Tensor> views, fresh;
  for (int64_t i = 0; i < 12; ++i) views.push_back(freeze(slice(all, 0, i, i + 8)));
  for (int round = 0; round < 2; ++round)
    for (const Tensor& w : views) EXPECT_LT(largest_difference(f(x, w), x * sqrt(w * w + 1)), 1e-6);
  for (int64_t i = 0; i < 20; ++i) {  // memory is handed out again
    const Tensor w = freeze(values({8}, i));
    EXPECT_LT(largest_difference(f(x, w), x * sqrt(w * w + 1)), 1e-6);
  }
}

TEST_P(Freeze, ResultsAreFreshMemory) {
  const Tensor w = freeze(values({16}, 1));
  auto f = compile([&](Tensor x) {
    const Tensor e = exp(w), doubled = w * 2;
    return std::vector<Tensor>{e, x + e, reshape(doubled, {4, 4}), x + doubled};
  });
  const Tensor x = values({16}, 2);
  const auto a = f(x), b = f(x);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NE(a[i].impl()->storage, b[i].impl()->storage) << i;
  EXPECT_EQ(to_vector<float>(a[0]), to_vector<float>(exp(w)));
  EXPECT_EQ(to_vector<float>(b[2]), to_vector<float>(w * 2));
}

TEST_P(Freeze, SavedFunctionsHoldWhatWasFolded) {
  const cache::TemporaryFolder folder;
  const std::string path = (folder.path() / "layer.sinter").string(), plain = (folder.path() / "plain.sinter").string();
  const Layer original = layer(), frozen = original.frozen();
  const Tensor x = values({2, 4, 9, 7}, 7);
  auto f = compile([&](Tensor t) { return frozen(std::move(t)); }, {.name = "frozen"});
  f.save(path, x);
  EXPECT_EQ(f.stats().launches, 0);
  const Loaded loaded = load(path);
  EXPECT_EQ(to_vector<float>(loaded({x})[0]), to_vector<float>(f(x)));
  EXPECT_NE(loaded.text().find("; 2 constants"), std::string::npos) << "weights and bias\n" << loaded.text();
  compile([&](Tensor t) { return original(std::move(t)); }).save(plain, x);
  EXPECT_NE(load(plain).text().find("; 6 constants"), std::string::npos) << load(plain).text();
}

TEST_P(Freeze, SavedResultsMayBeFrozenTensors) {
  const cache::TemporaryFolder folder;
  const std::string path = (folder.path() / "mixed.sinter").string();
  const Tensor w = freeze(values({8}, 1)), v = freeze(values({8}, 2)), x = values({8}, 3);
  auto f = compile([&](Tensor t) { return std::vector<Tensor>{t + exp(w) * v, v, t * v}; });
  f.save(path, x);
  const std::vector<Tensor> got = load(path)({x}), want = f(x);
  ASSERT_EQ(got.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(to_vector<float>(got[i]), to_vector<float>(want[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Devices, Freeze, testing::Bool(), test::device_name);

class Passes : public testing::Test {
 protected:
  Passes() {
    ops::register_all_ops();
    text_ = R"(graph "layer" on cpu {
  %0 f16 [2,4,9,7] = input strides=[252,1,28,4], offset=0
  %1 f16 [6,4,3,3] = input strides=[36,9,3,1], offset=0
  %2 f32 [6] = input strides=[1], offset=0
  %3 f32 [6] = input strides=[1], offset=0
  %4 f16 [2,6,9,7] = conv2d(%0, %1) stride=[1,1], before=[1,1], after=[1,1], dilation=[1,1], groups=1, layout=channels_first, activation=none
  %5 f16 [2,6,9,7] = batch_norm(%4, %2, %3) has_weight=false, has_bias=false, channels_last=false, eps=1e-05
  %6 f16 [2,6,9,7] = relu(%5)
  return %6
}
)";
  }
  static int count(const graph::Graph& g, std::string_view op) {
    int n = 0;
    const std::vector<bool> needed = graph::needed_nodes(g);
    for (graph::NodeId id = 0; id < g.size(); ++id)
      n += needed[static_cast<size_t>(id)] && g.node(id).op != nullptr && g.node(id).op->name == op;
    return n;
  }
  std::string text_;
};

TEST_F(Passes, OneConvolutionIsLeft) {
  const graph::Graph g = graph::parse(text_);
  const std::vector<bool> frozen{false, true, true, true};
  const graph::Graph folded = passes::fold_batch_norm(g, frozen);
  EXPECT_EQ(count(folded, "batch_norm"), 0);
  const graph::Graph ordered = passes::channels_last(passes::fuse_activations(folded));
  graph::verify(ordered);
  EXPECT_EQ(count(ordered, "relu"), 0);
  EXPECT_EQ(ordered.output_order(0), (Dims{0, 3, 1, 2}));
  const auto split = passes::split_constants(ordered, frozen);
  ASSERT_TRUE(split);
  graph::verify(split->constants);
  graph::verify(split->rest);
  EXPECT_EQ(split->frozen_inputs, (std::vector<size_t>{1, 2, 3}));
  EXPECT_EQ(split->constants.outputs().size(), 2u);
  EXPECT_EQ(split->rest.inputs().size(), 6u);
  EXPECT_EQ(count(split->rest, "conv2d"), 1);
  int left = 0;
  const std::vector<bool> needed = graph::needed_nodes(split->rest);
  for (graph::NodeId id = 0; id < split->rest.size(); ++id)
    left += needed[static_cast<size_t>(id)] && split->rest.node(id).op != nullptr;
  EXPECT_EQ(left, 2) << graph::print(split->rest);  // the view of x, and the convolution
  EXPECT_EQ(graph::print(graph::parse(graph::print(split->rest))), graph::print(split->rest));
}

TEST_F(Passes, NothingFoldsWithoutThePromise) {
  const graph::Graph g = graph::parse(text_);
  EXPECT_EQ(count(passes::fold_batch_norm(g, {false, true, false, true}), "batch_norm"), 1);
  EXPECT_FALSE(passes::split_constants(g, {false, false, false, false}));
}

TEST_F(Passes, AValueThatIsReadTwiceKeepsItsBatchNorm) {
  std::string text = text_;
  text.replace(text.find("return %6"), 9, "return %6, %4");
  EXPECT_EQ(count(passes::fold_batch_norm(graph::parse(text), {false, true, true, true}), "batch_norm"), 1);
}

}  // namespace
}  // namespace sinter
