// SPDX-License-Identifier: Apache-2.0
// What the pointwise ops refuse by dtype or by number, in a graph and in a call, and what the public functions make of
// their options.
#include <sinter/ops.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/graph/recorder.h"
#include "src/tensor/impl.h"
#include "tests/ops/build.h"

namespace sinter {
namespace {

using graph::CallAttributes;
using graph::Number;
using test::refusal;
using test::type;

CallAttributes tensors(int n) {
  CallAttributes attributes;
  for (int i = 0; i < n; ++i) attributes.flag(false);
  return attributes;
}

TEST(PointwiseErrors, Dtypes) {
  EXPECT_EQ(refusal("remainder", {type(boolean, {2}), type(boolean, {2})}, tensors(2)),
            "UserError: [remainder] boolean has no arithmetic of this kind; expected an integer or floating dtype\n"
            "  fix: cast with to(t, u8), or use logical_not, logical_and, logical_or, logical_xor");
  EXPECT_EQ(refusal("bitwise_and", {type(i32, {2})}, CallAttributes().flag(false).flag(true).number(Number::of(0.5))),
            "UserError: [bitwise_and] expected boolean or an integer dtype, got f32\n"
            "  fix: cast with to(t, i32), or compare first");
  EXPECT_EQ(refusal("bitwise_left_shift", {type(boolean, {2}), type(boolean, {2})}, tensors(2)),
            "UserError: [bitwise_left_shift] expected an integer dtype, got boolean\n  fix: cast with to(t, i32)");
  EXPECT_EQ(refusal("heaviside", {type(f32, {2}), type(f16, {2})}, tensors(2)),
            "UserError: [heaviside] expected arguments of one dtype, got f16 among f32\n"
            "  fix: cast them with to(t, dtype)");
  EXPECT_EQ(refusal("lerp", {type(i32, {2}), type(i32, {2}), type(i32, {2})}, tensors(3)),
            "UserError: [lerp] expected a floating dtype, got i32\n  fix: cast with to(t, f32)");
  EXPECT_EQ(refusal("prelu", {type(f16, {2}), type(f32, {})}, tensors(2)),
            "UserError: [prelu] expected arguments of one dtype, got f32 among f16\n"
            "  fix: cast them with to(t, dtype)");
}

TEST(PointwiseErrors, MaskedFills) {
  const auto value = [](Number n) { return CallAttributes().flag(true).number(n); };
  EXPECT_EQ(refusal("masked_fill", {type(f32, {2}), type(u8, {2})}, value(Number::of(1))),
            "UserError: [masked_fill] expected a boolean mask, got u8 [2]\n"
            "  fix: compare it with something, such as mask != 0");
  EXPECT_EQ(refusal("masked_fill", {type(f32, {2}), type(boolean, {2}), type(f32, {1})}, CallAttributes().flag(false)),
            "UserError: [masked_fill] expected a number or a 0-d tensor for the value, got f32 [1]\n"
            "  fix: use where(mask, value, x)");
  EXPECT_EQ(refusal("masked_fill", {type(u8, {2}), type(boolean, {2})}, value(Number::of(300))),
            "UserError: [masked_fill] 300 does not fit into u8\n  fix: give a number in the range of the dtype");
}

Tensor some(DType dtype, const Dims& shape) { return tensor::empty(shape, dtype, Device::cpu()); }

template <class F>
std::string call_refusal(const F& f) {
  try {
    f();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("pointwise_errors_test.cpp:"), std::string::npos) << error.what();
    return "[" + error.parts().op + "] " + error.parts().what;
  }
  return {};
}

TEST(PointwiseErrors, NumbersOfCalls) {
  const Tensor x = some(f32, {2}), bytes = some(u8, {2}), mask = some(boolean, {2});
  EXPECT_EQ(call_refusal([&] { masked_fill(bytes, mask, -1); }), "[masked_fill] -1 does not fit into u8");
  EXPECT_EQ(call_refusal([&] { threshold(bytes, 300, 1); }), "[threshold] 300 does not fit into u8");
  EXPECT_EQ(call_refusal([&] { threshold(bytes, 3, -1); }), "[threshold] -1 does not fit into u8");
  EXPECT_EQ(call_refusal([&] { threshold(x, x, 1); }), "[threshold] expected a number for the value, got a tensor");
  EXPECT_EQ(call_refusal([&] { addcmul(x, x, x, x); }), "[addcmul] expected a number for the value, got a tensor");
  EXPECT_EQ(call_refusal([&] { addcdiv(x, x, x, x); }), "[addcdiv] expected a number for the value, got a tensor");
  EXPECT_EQ(call_refusal([&] { hardtanh(x, {.min_val = 2, .max_val = 1}); }),
            "[hardtanh] min_val 2 is above max_val 1");
  EXPECT_EQ(call_refusal([&] { celu(x, {.alpha = 0}); }), "[celu] alpha is 0");
  EXPECT_EQ(call_refusal([&] { softshrink(x, {.lambd = -0.5}); }), "[softshrink] lambd -0.5 is negative");
  EXPECT_EQ(call_refusal([&] { softshrink(x, {.lambd = NAN}); }), "[softshrink] lambd nan is no number");
}

TEST(PointwiseErrors, ShapesOfCalls) {
  EXPECT_EQ(call_refusal([] { prelu(some(f32, {4, 3}), some(f32, {4})); }),
            "[prelu] expected 1 slope or 3 for the channels of f32 [4,3], got [4]");
  EXPECT_EQ(call_refusal([] { prelu(some(f32, {4, 1, 2}), some(f32, {2})); }),
            "[prelu] expected 1 slope or 1 for the channels of f32 [4,1,2], got [2]");
  EXPECT_EQ(call_refusal([] { prelu(some(f32, {3}), some(f32, {3})); }),
            "[prelu] expected 1 slope or 1 for the channels of f32 [3], got [3]");
  EXPECT_EQ(call_refusal([] { prelu(some(f32, {4, 1}), some(f32, {1, 1})); }),
            "[prelu] expected 1 slope or 1 for the channels of f32 [4,1], got [1,1]");
  EXPECT_EQ(call_refusal([] { glu(some(f32, {4, 3})); }), "[glu] dim -1 of f32 [4,3] has no two halves");
  EXPECT_EQ(call_refusal([] { glu(some(f32, {})); }), "[glu] dim -1 of f32 [] has no two halves");
  EXPECT_EQ(call_refusal([] { glu(some(f32, {4}), 1); }), "[glu] dim 1 of f32 [4] has no two halves");
}

/// Keeps the name and the numbers of the last call.
class AttributeSpy final : public graph::Recorder {
 public:
  AttributeSpy() : previous_(graph::exchange_recorder(this)) {}
  ~AttributeSpy() override { graph::exchange_recorder(previous_); }
  Tensor call(const graph::Call& call) override {
    op = std::string(call.op->name);
    numbers.clear();
    for (const Number& n : call.attributes->values()) numbers.push_back(n.as_double());
    return some(f32, {2});
  }
  std::string op;
  std::vector<double> numbers;

 private:
  graph::Recorder* previous_;
};

TEST(PointwiseOptions, SelectOpsAndNumbers) {
  using Numbers = std::vector<double>;
  AttributeSpy spy;
  const Tensor x = some(f32, {2});
  div(x, x);
  EXPECT_EQ(spy.op, "div");
  div(x, x, {.rounding_mode = RoundingMode::trunc});
  EXPECT_EQ(spy.op, "div_trunc");
  div(x, 2, {.rounding_mode = RoundingMode::floor});
  EXPECT_EQ(spy.op, "floor_divide");
  relu6(x);
  EXPECT_EQ(spy.op, "hardtanh");
  EXPECT_EQ(spy.numbers, (Numbers{0, 6}));
  leaky_relu(x);
  EXPECT_EQ(spy.numbers, (Numbers{0.01}));
  leaky_relu(x, {0.2});
  EXPECT_EQ(spy.numbers, (Numbers{0.2}));
  celu(x, {.alpha = 4});
  EXPECT_EQ(spy.op, "elu");
  EXPECT_EQ(spy.numbers, (Numbers{4, 1, 0.25}));
  addcmul(x, x, 3, 0.5);
  EXPECT_EQ(spy.numbers, (Numbers{3, 0.5}));
  1 & x;
  EXPECT_EQ(spy.op, "bitwise_and");
  x >> 3;
  EXPECT_EQ(spy.op, "bitwise_right_shift");
}

TEST(PointwiseOptions, LimitsReplaceInfinitiesByDefault) {
  AttributeSpy spy;
  const std::pair<DType, double> limits[] = {{f16, 65504},
                                             {bf16, 0x1.fep127},
                                             {f32, std::numeric_limits<float>::max()},
                                             {f64, std::numeric_limits<double>::max()}};
  for (const auto& [dtype, limit] : limits) {
    nan_to_num(some(dtype, {2}));
    EXPECT_EQ(spy.numbers, (std::vector<double>{0, limit, -limit})) << dtype.name();
    nan_to_num(some(dtype, {2}), {.nan = 1, .neginf = 2});
    EXPECT_EQ(spy.numbers, (std::vector<double>{1, limit, 2})) << dtype.name();
  }
}

}  // namespace
}  // namespace sinter
