// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <limits>
#include <string>
#include <vector>

namespace sinter {
namespace {

/// "[op] what | fix" of the UserError that `f` throws.
template <class F>
std::string refusal(const F& f) {
  try {
    (void)f();
  } catch (const UserError& e) {
    return "[" + e.parts().op + "] " + e.parts().what + " | " + e.parts().fix;
  }
  return "no error";
}

Tensor matrix(const Dims& shape, DType dtype = f32) { return zeros(shape, dtype); }

TEST(ProductErrors, NameShapesAndAFix) {
  EXPECT_EQ(
      refusal([] { return matmul(matrix({2, 3}), matrix({4, 5})); }),
      "[matmul] f32 [2,3] and f32 [4,5] do not multiply: the inner extents are 3 and 4 | transpose one of them, or "
      "make the inner extents agree");
  EXPECT_EQ(refusal([] { return matmul(matrix({2, 3}), matrix({})); }),
            "[matmul] f32 [2,3] and f32 []: a 0-d tensor has no dim to sum over | multiply elementwise: a * b");
  EXPECT_EQ(
      refusal([] { return matmul(matrix({2, 4, 3}), matrix({5, 3, 2})); }),
      "[matmul] the batches of f32 [2,4,3] and f32 [5,3,2] do not broadcast: 2 against 5 | dims before the last two "
      "must agree or be 1");
  EXPECT_EQ(
      refusal([] { return bmm(matrix({2, 3}), matrix({3, 2})); }),
      "[bmm] takes two batches of matrices [n,i,k] and [n,k,j], not f32 [2,3] and f32 [3,2] | matmul() takes every "
      "rank and broadcasts");
  EXPECT_EQ(refusal([] { return bmm(matrix({1, 2, 3}), matrix({4, 3, 2})); }),
            "[bmm] f32 [1,2,3] and f32 [4,3,2] have batches of 1 and 4 | matmul() broadcasts a batch of 1");
  EXPECT_EQ(
      refusal([] { return linear(matrix({2, 3}), matrix({3, 5})); }),
      "[linear] f32 [2,3] has 3 features, but the weight f32 [3,5] takes 5 | the weight is [out,in], as in PyTorch");
  EXPECT_EQ(refusal([] { return linear(matrix({2, 3}), matrix({4, 3}), matrix({3})); }),
            "[linear] the bias f32 [3] does not fit 4 outputs | give one element an output, or one");
  EXPECT_EQ(refusal([] { return addmm(matrix({3}), matrix({2, 3}), matrix({3, 4})); }),
            "[addmm] f32 [3] does not broadcast to the product's [2,4] | its dims must be those of the product or 1");
}

TEST(ProductErrors, NameDtypesAndAFix) {
  EXPECT_EQ(refusal([] { return matmul(matrix({2, 3}), matrix({3, 5}, f16)); }),
            "[matmul] the dtypes differ: f32 and f16 | convert one of them: to(x, f32)");
  EXPECT_EQ(refusal([] { return matmul(matrix({2, 3}, boolean), matrix({3, 5}, boolean)); }),
            "[matmul] takes no booleans | convert them: to(x, f32)");
  EXPECT_EQ(refusal([] { return addmm(matrix({4}, i32), matrix({2, 3}, i32), matrix({3, 4}, i32), {.alpha = 0.5}); }),
            "[addmm] alpha and beta must be whole numbers for i32 | convert: to(x, f32)");
}

TEST(ProductErrors, EmptyInnerExtentsGiveZeros) {
  EXPECT_EQ(to_vector<float>(matmul(matrix({2, 0}), matrix({0, 3}))), std::vector<float>(6, 0.0f));
  EXPECT_EQ(to_vector<float>(linear(matrix({2, 0}), matrix({3, 0}), ones({3}))), std::vector<float>(6, 1.0f));
  EXPECT_EQ(matmul(matrix({0, 2}), matrix({2, 3})).shape(), (Dims{0, 3}));
}

// NaN of c does not count where beta is 0; integers wrap.
TEST(ProductErrors, AddmmKeepsPyTorchsCorners) {
  const Tensor nan = full({2, 2}, std::numeric_limits<float>::quiet_NaN()), one = ones({2, 2});
  EXPECT_EQ(to_vector<float>(addmm(nan, one, one, {.beta = 0, .alpha = 3})), std::vector<float>(4, 6.0f));
  const Tensor large = full({1, 2}, 100, i8);
  EXPECT_EQ(to_vector<int8_t>(matmul(large, transpose(large, 0, 1)))[0], static_cast<int8_t>(20000));
}

}  // namespace
}  // namespace sinter
