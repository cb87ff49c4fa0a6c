// SPDX-License-Identifier: Apache-2.0
// What the public functions hand to the recorder.
#include <sinter/ops.h>

#include <gtest/gtest.h>

#include <limits>

#include "src/graph/recorder.h"
#include "src/graph/registry.h"
#include "src/tensor/impl.h"

namespace sinter {
namespace {

/// Keeps what it was called with; every result is one tensor.
class Spy final : public graph::Recorder {
 public:
  Spy() : previous_(graph::exchange_recorder(this)) {}
  ~Spy() override { graph::exchange_recorder(previous_); }
  Tensor call(const graph::Call& call) override {
    op = std::string(call.op->name);
    operands.clear();
    for (const Tensor* t : call.operands) operands.push_back(t->impl());
    words.assign(call.attributes->words().begin(), call.attributes->words().end());
    values.assign(call.attributes->values().begin(), call.attributes->values().end());
    line = call.line;
    return tensor::empty({2}, f32, Device::cpu());
  }
  std::string op;
  std::vector<tensor::TensorImpl*> operands;
  std::vector<int64_t> words;
  std::vector<graph::Number> values;
  SourceLine line;

 private:
  graph::Recorder* previous_;
};

Tensor some_tensor() { return tensor::empty({2}, f32, Device::cpu()); }

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.parts().what;
  }
  return {};
}

TEST(Dispatch, NumbersBecomeAttributesInTheirPlace) {
  Spy spy;
  const Tensor x = some_tensor();
  Tensor y = x + 1;
  EXPECT_EQ(spy.op, "add");
  EXPECT_EQ(spy.operands, std::vector{x.impl()});
  EXPECT_EQ(spy.words, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(spy.values, std::vector{graph::Number::of(1)});
  y = 2.5f / x;
  EXPECT_EQ(spy.op, "div");
  EXPECT_EQ(spy.words, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(spy.values, std::vector{graph::Number::of(2.5)});
  y = x == true;
  EXPECT_EQ(spy.values, std::vector{graph::Number::of(true)});
  clamp(x, 0, 1.0);
  EXPECT_EQ(spy.words, (std::vector<int64_t>{0, 1, 1}));
  where(x, 1, x);
  EXPECT_EQ(spy.operands, (std::vector{x.impl(), x.impl()}));
  EXPECT_EQ(spy.words, (std::vector<int64_t>{1, 0}));
}

TEST(Dispatch, KeepsTheUsersLine) {
  Spy spy;
  const Tensor x = some_tensor();
  const Tensor y = 2 * x;
  EXPECT_EQ(spy.line.line, __LINE__ - 1);
  EXPECT_NE(std::string(spy.line.file).find("dispatch_test"), std::string::npos);
  cat({x, x});
  EXPECT_EQ(spy.line.line, __LINE__ - 1);
  arange(3);
  EXPECT_EQ(spy.line.line, __LINE__ - 1);
  zeros({2});
  EXPECT_EQ(spy.line.line, __LINE__ - 1);
}

/// A temporary is gone when the next op of the same expression runs, although the parameter itself may still exist.
TEST(Dispatch, TemporariesDieInside) {
  struct Counter final : graph::Recorder {
    Counter() : previous(graph::exchange_recorder(this)) {}
    ~Counter() override { graph::exchange_recorder(previous); }
    Tensor call(const graph::Call& call) override {
      references.push_back(call.operands[0]->impl()->references.load());
      alive_before.push_back(alive.size() ? alive.back().use_count() : 0);
      auto storage = std::make_shared<tensor::Storage>();
      alive.push_back(storage);
      return tensor::make_tensor(storage, f32, {2}, {1});
    }
    graph::Recorder* previous;
    std::vector<uint32_t> references;
    std::vector<long> alive_before;
    std::vector<std::weak_ptr<tensor::Storage>> alive;
  } counter;
  const Tensor x = some_tensor();
  const Tensor y = relu(exp(neg(x)));
  EXPECT_EQ(counter.references, (std::vector<uint32_t>{1, 1, 1}));
  EXPECT_TRUE(counter.alive[0].expired());
  EXPECT_TRUE(counter.alive[1].expired());
  EXPECT_FALSE(counter.alive[2].expired());
  EXPECT_EQ(counter.alive_before, (std::vector<long>{0, 1, 1}));
}

TEST(Dispatch, RefusesWhatIsNoTensor) {
  Spy spy;
  const Tensor x = some_tensor(), undefined;
  EXPECT_EQ(refusal([&] { add(x, undefined); }), "argument 1 is an undefined tensor");
  EXPECT_EQ(refusal([&] { add(1, 2); }), "all arguments are numbers; expected a tensor");
  EXPECT_EQ(refusal([&] { relu(3); }), "argument 0 is a number; expected a tensor");
  EXPECT_EQ(refusal([&] { where(true, x, x); }), "argument 0 is a number; expected a tensor");
  EXPECT_EQ(refusal([&] { index_select(x, 0, 1); }), "argument 1 is a number; expected a tensor");
  EXPECT_EQ(refusal([&] { cat({}); }), "the list of tensors is empty; expected at least one");
  EXPECT_EQ(refusal([&] { pad(x, {1, 1}, x); }), "expected a number for the value, got a tensor");
  EXPECT_EQ(refusal([&] { full({2}, x); }), "expected a number for the value, got a tensor");
}

TEST(Dispatch, RefusesShapesThatAreNone) {
  Spy spy;
  const Tensor x = some_tensor();
  EXPECT_EQ(refusal([&] { reshape(x, {-1, -1}); }),
            "shape [-1,-1] is not one: expected extents of 0 or more and at most one -1");
  EXPECT_EQ(refusal([&] { reshape(x, {2, -3}); }),
            "shape [2,-3] is not one: expected extents of 0 or more and at most one -1");
}

TEST(Dispatch, PartsAreRefusedBeforeTheyAreRecorded) {
  Spy spy;
  const Tensor x = some_tensor(), undefined, scalar = tensor::empty({}, f32, Device::cpu());
  EXPECT_EQ(refusal([&] { split(x, 0); }), "parts of 0 elements of dim 0 of [2]");
  EXPECT_EQ(refusal([&] { split(x, -1); }), "parts of -1 elements of dim 0 of [2]");
  EXPECT_EQ(refusal([&] { split(x, 1, 1); }), "dim 1 of a tensor of rank 1");
  EXPECT_EQ(refusal([&] { split(scalar, 1); }), "a 0-d tensor has no dim to divide");
  EXPECT_EQ(refusal([&] { split(undefined, 1); }), "argument 0 is an undefined tensor");
  EXPECT_EQ(refusal([&] { chunk(3, 1); }), "argument 0 is a number; expected a tensor");
  EXPECT_EQ(refusal([&] { chunk(x, 0); }), "0 chunks; expected 1 or more");
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{1}, {1, 2}, {most, most, 4}, {}})
    EXPECT_EQ(refusal([&] { split_with_sizes(x, sizes); }),
              "the sizes do not add up to the 2 elements of dim 0 of [2]");
  EXPECT_EQ(refusal([&] { split_with_sizes(x, {3, -1}); }), "size -1 is negative");
  EXPECT_EQ(refusal([&] { meshgrid({}); }), "the list of tensors is empty; expected at least one");
  EXPECT_EQ(refusal([&] { meshgrid({x, undefined}); }), "argument 1 is an undefined tensor");
  EXPECT_EQ(refusal([&] { meshgrid({x, tensor::empty({2}, f64, Device::cpu())}); }),
            "tensor 1 is f64 against f32 of tensor 0");
  EXPECT_EQ(refusal([&] { meshgrid({x, tensor::empty({2, 2}, f32, Device::cpu())}); }),
            "tensor 1 is [2,2]; expected one of one dim, or a 0-d one");
  EXPECT_EQ(refusal([&] { full_like(x, x); }), "expected a number for the value, got a tensor");
  EXPECT_EQ(refusal([&] { linspace(x, 1, 3); }), "expected a number for the value, got a tensor");
  EXPECT_EQ(refusal([&] { full_like(tensor::empty({2}, u8, Device::cpu()), 300); }), "300 does not fit into u8");
  EXPECT_EQ(spy.op, "");  // nothing reached the recorder
  const int line = __LINE__ + 1;
  EXPECT_EQ(split(x, 1).size(), 2u);
  EXPECT_EQ(spy.op, "narrow");
  EXPECT_EQ(spy.line.line, line);
}

TEST(Dispatch, ArangeCountsItsElements) {
  Spy spy;
  const auto length = [&](auto... arguments) {
    arange(arguments...);
    return spy.values.at(2).bits;
  };
  EXPECT_EQ(length(5), 5);
  EXPECT_EQ(length(2, 9), 7);
  EXPECT_EQ(length(5, 0, -2), 3);
  EXPECT_EQ(length(0, 1, 0.3), 4);
  EXPECT_EQ(length(3, 3), 0);
  EXPECT_EQ(length(int64_t{0}, int64_t{9000000000000000001}, int64_t{3000000000000000000}), 4);
  EXPECT_EQ(refusal([] { arange(3, 0); }), "no step of 1 leads from 3 to 0");
  EXPECT_EQ(refusal([] { arange(0, 3, 0); }), "no step of 0 leads from 0 to 3");
  arange(0, 1, 0.5);
  EXPECT_EQ(spy.op, "arange");
}

TEST(Dispatch, PowersAreFormsOfTheirNumber) {
  Spy spy;
  const Tensor x = some_tensor();
  const auto form = [&](auto exponent) {
    pow(x, exponent);
    return spy.words.back();
  };
  EXPECT_EQ(form(2), form(2.0));
  EXPECT_EQ(form(4), form(7.5));
  EXPECT_NE(form(2), form(4));
  EXPECT_NE(form(-3), form(4));
  EXPECT_NE(form(0.5), form(-0.5));
  const int64_t two = form(2);
  square(x);
  EXPECT_EQ(spy.op, "pow");
  EXPECT_EQ(spy.words.back(), two);
}

}  // namespace
}  // namespace sinter
