// SPDX-License-Identifier: Apache-2.0
// What convolutions and batch norms refuse, and the words for it.
#include <gtest/gtest.h>

#include "src/ops/convolution.h"
#include "src/ops/samples.h"
#include "tests/ops/build.h"

namespace sinter {
namespace {

using test::type;

std::string refused(size_t spatial, const std::vector<graph::ValueType>& operands, const ConvOptions& options = {}) {
  const std::string_view names[] = {"conv1d", "conv2d", "conv3d"};
  try {
    test::one_op(*graph::find_op(names[spatial - 1]), operands, ops::convolution_window(options, spatial).attributes());
    return {};
  } catch (const UserError& e) {
    return e.what();
  }
}

class ConvolutionErrors : public testing::Test {
 protected:
  static void SetUpTestSuite() { (void)test::refusal("conv2d", {}); }  // registers the ops
};

TEST_F(ConvolutionErrors, Operands) {
  EXPECT_EQ(refused(2, {type(f32, {3, 5}), type(f32, {6, 3, 3, 3})}),
            "UserError: [conv2d] expected an input of 4 dims, or of 3 without batch, got f32 [3,5]\n"
            "  fix: reshape() it");
  EXPECT_EQ(refused(1, {type(f32, {3, 5}), type(f32, {6, 3})}),
            "UserError: [conv1d] expected a weight of 3 dims, got f32 [6,3]\n"
            "  fix: weights are [output channels, input channels / groups, kernel...]");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f64, {6, 3, 3, 3})}),
            "UserError: [conv2d] the input is f32 [1,3,5,5], but the weight is f64 [6,3,3,3]\n"
            "  fix: cast one side with to(t, dtype)");
  EXPECT_EQ(refused(2, {type(boolean, {1, 3, 5, 5}), type(boolean, {6, 3, 3, 3})}),
            "UserError: [conv2d] booleans have no products to sum\n  fix: cast with to(t, u8)");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3}), type(f32, {5})}),
            "UserError: [conv2d] expected a bias [6], got f32 [5]");
}

TEST_F(ConvolutionErrors, Channels) {
  EXPECT_EQ(
      refused(2, {type(f32, {1, 4, 5, 5}), type(f32, {6, 3, 3, 3})}),
      "UserError: [conv2d] the input f32 [1,4,5,5] has 4 channels; the weight f32 [6,3,3,3] with 1 group takes 3");
  EXPECT_EQ(refused(2, {type(f32, {1, 4, 5, 5}), type(f32, {6, 1, 3, 3})}, {.groups = 4}),
            "UserError: [conv2d] 4 groups do not divide the 6 output channels of the weight f32 [6,1,3,3]");
  EXPECT_EQ(refused(2, {type(f32, {1, 4, 5, 5}), type(f32, {6, 4, 3, 3})}, {.groups = 0}),
            "UserError: [conv2d] groups is 0; expected at least 1");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 0, 3})}),
            "UserError: [conv2d] dim 2 of the weight f32 [6,3,0,3] is empty");
}

TEST_F(ConvolutionErrors, Windows) {
  EXPECT_EQ(
      refused(2, {type(f32, {1, 3, 2, 5}), type(f32, {6, 3, 3, 3})}),
      "UserError: [conv2d] the kernel covers 3 elements of spatial dim 0, which has 2 with padding: f32 [1,3,2,5] "
      "and f32 [6,3,3,3]\n  fix: pad more, or take a smaller kernel");
  EXPECT_EQ(
      refused(1, {type(f32, {3, 4}), type(f32, {6, 3, 3})}, {.dilation = {2}}),
      "UserError: [conv1d] the kernel covers 5 elements of spatial dim 0, which has 4 with padding: f32 [3,4] and "
      "f32 [6,3,3]\n  fix: pad more, or take a smaller kernel");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 0, 5}), type(f32, {6, 3, 3, 3})}, {.padding = {2}}),
            "UserError: [conv2d] spatial dim 0 of f32 [1,3,0,5] is empty");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3})}, {.stride = {0}}),
            "UserError: [conv2d] stride 0 is less than 1");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3})}, {.padding = {-1}}),
            "UserError: [conv2d] padding -1 is less than 0");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3})}, {.dilation = {0, 1}}),
            "UserError: [conv2d] dilation 0 is less than 1");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3})}, {.stride = {1, 2, 3}}),
            "UserError: [conv2d] stride has 3 entries for 2 spatial dims\n  fix: give one for all dims, or 2");
  EXPECT_EQ(refused(2, {type(f32, {1, 3, 5, 5}), type(f32, {6, 3, 3, 3})}, {.padding = {1, 2, 3}}),
            "UserError: [conv2d] padding has 3 entries for 2 spatial dims\n"
            "  fix: give one for all dims, 2, or 4 (before and after each)");
}

TEST_F(ConvolutionErrors, LegalEdges) {
  EXPECT_EQ(refused(2, {type(f32, {0, 3, 5, 5}), type(f32, {6, 3, 3, 3})}), "");
  EXPECT_EQ(refused(2, {type(f32, {3, 1, 1}), type(f32, {6, 3, 3, 3})}, {.padding = {1}}), "");
  EXPECT_EQ(refused(1, {type(f32, {3, 1}), type(f32, {6, 3, 3})}, {.padding = {0, 2}}), "");
}

TEST_F(ConvolutionErrors, BatchNorm) {
  const graph::CallAttributes bare =
      graph::CallAttributes().flag(false).flag(false).flag(false).number(graph::Number::of(1e-5));
  EXPECT_EQ(test::refusal("batch_norm", {type(f32, {2, 3}), type(f32, {4}), type(f32, {3})}, bare),
            "UserError: [batch_norm] operand 1 is f32 [4]; the input f32 [2,3] has 3 channels in dim 1\n"
            "  fix: mean, var, weight and bias have one element a channel");
  EXPECT_EQ(test::refusal("batch_norm", {type(f32, {3}), type(f32, {3}), type(f32, {3})}, bare),
            "UserError: [batch_norm] expected an input [N,C,...], got f32 [3]\n  fix: unsqueeze() it");
  EXPECT_EQ(test::refusal("batch_norm", {type(i32, {2, 3}), type(f32, {3}), type(f32, {3})}, bare),
            "UserError: [batch_norm] expected a floating dtype, got i32\n  fix: cast with to(t, f32)");
  EXPECT_EQ(test::refusal("batch_norm", {type(f32, {2, 3}), type(f64, {3}), type(f64, {3})}, bare),
            "UserError: [batch_norm] operand 1 is f64 [3] beside f64 [3] and an input f32 [2,3]\n"
            "  fix: give all of them as f32");
}

}  // namespace
}  // namespace sinter
