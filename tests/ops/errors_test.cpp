// SPDX-License-Identifier: Apache-2.0
// What is refused, and the words for it: op, what was expected and got, one fix.
#include <gtest/gtest.h>

#include "src/loop/evaluate.h"
#include "src/lower/lower.h"
#include "src/reference/interpret.h"
#include "tests/ops/build.h"

namespace sinter {
namespace {

using graph::CallAttributes;
using graph::Number;
using test::refusal;
using test::type;

CallAttributes two_tensors() { return CallAttributes().flag(false).flag(false); }

TEST(Errors, Broadcasting) {
  EXPECT_EQ(refusal("sub", {type(f32, {2, 3}), type(f32, {4})}, two_tensors()),
            "UserError: [sub] cannot broadcast f32 [2,3] with f32 [4]: dim -1 is 3 against 4\n"
            "  fix: give both sides 3 elements there, or one of them 1");
}

TEST(Errors, Promotion) {
  EXPECT_EQ(refusal("add", {type(u32, {2}), type(i32, {2})}, two_tensors()),
            "UserError: [add] cannot promote u32, i32: u16, u32 and u64 mix with floating dtypes only\n"
            "  fix: cast one side with to(t, dtype)");
  EXPECT_EQ(refusal("sub", {type(i32, {2})}, CallAttributes().flag(false).flag(true).number(Number::of(true))),
            "UserError: [sub] boolean cannot be subtracted\n  fix: use logical_xor, or logical_not to invert a mask");
  EXPECT_EQ(refusal("silu", {type(i32, {2})}),
            "UserError: [silu] expected a floating dtype, got i32\n  fix: cast with to(t, f32)");
}

TEST(Errors, Powers) {
  // form 1 is a negative exponent without a form of its own, form 6 is -1
  for (const auto& [number, form] : {std::pair<int64_t, int64_t>{-3, 1}, {-1, 6}})
    EXPECT_EQ(refusal("pow", {type(i32, {2})},
                      CallAttributes().flag(false).flag(true).number(Number::of(number)).integer(form)),
              "UserError: [pow] integers have no negative powers\n"
              "  fix: give the exponent as a floating number, or cast with to(t, f32)");
}

TEST(Errors, Where) {
  EXPECT_EQ(refusal("where", {type(u8, {2}), type(f32, {2}), type(f32, {2})}, two_tensors()),
            "UserError: [where] expected a boolean condition, got u8 [2]\n"
            "  fix: compare it with something, such as condition != 0");
}

TEST(Errors, Reshape) {
  EXPECT_EQ(refusal("reshape", {type(f32, {2, 3})}, CallAttributes().integer(-1).extents({4, 2})),
            "UserError: [reshape] cannot reshape f32 [2,3] to [4,2]: 6 elements against 8\n"
            "  fix: the products of both shapes must agree; -1 infers one extent");
  EXPECT_EQ(refusal("reshape", {type(f32, {2, 3})}, CallAttributes().integer(1).extents({4})),
            "UserError: [reshape] cannot reshape f32 [2,3]: its 6 elements are not a multiple of 4");
  EXPECT_EQ(refusal("reshape", {type(f32, {0, 3})}, CallAttributes().integer(1).extents({0})),
            "UserError: [reshape] cannot infer extent 1 of the result: the others have product 0\n"
            "  fix: give all extents");
}

TEST(Errors, Views) {
  EXPECT_EQ(refusal("permute", {type(f32, {2, 3})}, CallAttributes().integers({0, 0})),
            "UserError: [permute] dims [0,0] are no permutation of the 2 dims of the operand\n"
            "  fix: name every dim once");
  EXPECT_EQ(refusal("transpose", {type(f32, {2, 3})}, CallAttributes().integer(0).integer(2)),
            "UserError: [transpose] dim 2 of a tensor of rank 2\n  fix: give a dim in [-2, 2)");
  EXPECT_EQ(refusal("flip", {type(f32, {2, 3})}, CallAttributes().integers({0, -2})),
            "UserError: [flip] dims [0,-2] name a dim twice");
  EXPECT_EQ(refusal("slice", {type(f32, {5})}, CallAttributes().integer(0).integer(-1).flag(false).extent(0).extent(0)),
            "UserError: [slice] step -1 is not positive\n  fix: take a positive step and reverse with flip()");
  EXPECT_EQ(refusal("select", {type(f32, {2, 3})}, CallAttributes().integer(1).extent(3)),
            "UserError: [select] index 3 is outside dim 1 of f32 [2,3]\n  fix: give an index in [-3, 3)");
  EXPECT_EQ(refusal("select", {type(f32, {2, 3})}, CallAttributes().integer(1).extent(-4)),
            "UserError: [select] index -4 is outside dim 1 of f32 [2,3]\n  fix: give an index in [-3, 3)");
  EXPECT_EQ(refusal("select", {type(f32, {2, 0})}, CallAttributes().integer(1).extent(-1)),
            "UserError: [select] index -1 is outside dim 1 of f32 [2,0]\n  fix: an empty dim has nothing to select");
  EXPECT_EQ(refusal("expand", {type(f32, {2, 3})}, CallAttributes().integers({0, 0}).extents({2, 4})),
            "UserError: [expand] cannot expand f32 [2,3]: dim 1 is 3 against 4\n"
            "  fix: only dims of extent 1 can be expanded");
  EXPECT_EQ(refusal("expand", {type(f32, {3})}, CallAttributes().integers({1, 0}).extents({3})),
            "UserError: [expand] -1 at dim 0, which the operand does not have\n  fix: give its extent");
}

TEST(Errors, Joins) {
  EXPECT_EQ(refusal("cat", {type(f32, {2, 3}), type(f32, {2, 4})}, CallAttributes().integer(0)),
            "UserError: [cat] operand 1 is f32 [2,4] against f32 [2,3] of operand 0\n"
            "  fix: ranks, and extents but for dim 0, must agree");
  EXPECT_EQ(refusal("cat", {type(f32, {})}, CallAttributes().integer(0)),
            "UserError: [cat] 0-d tensors have no dim to join along\n  fix: use stack()");
  EXPECT_EQ(refusal("stack", {type(f32, {2}), type(f32, {3})}, CallAttributes().integer(0)),
            "UserError: [stack] operand 1 is f32 [3] against f32 [2] of operand 0\n  fix: all shapes must agree");
}

TEST(Errors, Fills) {
  EXPECT_EQ(refusal("full", {}, CallAttributes().extents({2}).number(Number::of(300)).dtype(u8).device(Device::cpu())),
            "UserError: [full] 300 does not fit into u8\n  fix: give a number in the range of the dtype");
  EXPECT_EQ(refusal("pad", {type(i8, {2})}, CallAttributes().extents({1, 1}).number(Number::of(-129.5))),
            "UserError: [pad] -129.5 does not fit into i8\n  fix: give a number in the range of the dtype");
  EXPECT_EQ(refusal("pad", {type(f32, {2})}, CallAttributes().extents({-3, 1}).number(Number::of(0))),
            "UserError: [pad] pads -3 and 1 remove more than dim 0 of f32 [2] has");
  EXPECT_EQ(refusal("pad", {type(f32, {2})}, CallAttributes().extents({1}).number(Number::of(0))),
            "UserError: [pad] 1 pads for f32 [2]\n  fix: give two pads, before and after, for each of the last dims");
}

TEST(Errors, Reductions) {
  EXPECT_EQ(refusal("amax", {type(f32, {2, 0})}, CallAttributes().integers({1}).flag(false)),
            "UserError: [amax] the elements of f32 [2,0] over dims of extent 0 have no extreme\n"
            "  fix: reduce dims that are not empty, or check numel() first");
  EXPECT_EQ(refusal("amax", {type(f32, {2, 0})}, CallAttributes().integers({0}).flag(false)), "");
  EXPECT_EQ(refusal("sum", {type(f32, {2, 3})}, CallAttributes().integers({1, -1}).flag(false)),
            "UserError: [sum] dims [1,-1] name a dim twice");
}

TEST(Errors, Indexing) {
  EXPECT_EQ(refusal("index_select", {type(f32, {2}), type(f32, {2})}, CallAttributes().integer(0)),
            "UserError: [index_select] expected an index of i32 or i64, got f32 [2]\n"
            "  fix: cast it with to(index, i64)");
  EXPECT_EQ(refusal("gather", {type(f32, {2, 3}), type(i64, {3, 1})}, CallAttributes().integer(1)),
            "UserError: [gather] dim 0 of the index i64 [3,1] is larger than that of f32 [2,3]\n"
            "  fix: narrow the index to 2 there");
}

/// Negative indices do not count from the end, neither in the reference nor in the lowered loops.
TEST(Errors, IndicesOutOfRange) {
  for (const std::string_view op : {"index_select", "gather"})
    for (const double index : {-1.0, 2.0, 1e18}) {
      SCOPED_TRACE(index);
      std::vector<reference::Array> operands = {reference::Array::of(f32, {2}, std::vector<double>{7, 8}),
                                                reference::Array::of(i64, {1}, std::vector<double>{index})};
      const graph::Graph g = test::one_op(op, {type(f32, {2}), type(i64, {1})}, CallAttributes().integer(0));
      EXPECT_THROW(reference::interpret(g, operands), UserError);
      const loop::Program program = lower::lower(g, {});
      float result = 0;
      const loop::HostMemory inputs[] = {{operands[0].data.data(), 2}, {operands[1].data.data(), 1}},
                             output{&result, 1};
      EXPECT_THROW(loop::evaluate(program, inputs, {&output, 1}, {}), UserError);
    }
}

TEST(Errors, Images) {
  const auto sampling = CallAttributes().extent(2).extent(2).integer(1).integer(1).number(Number::of(0.0));
  EXPECT_EQ(refusal("image_resize", {type(f32, {2, 3})}, sampling),
            "UserError: [image_resize] expected an image [H,W,C] or [N,H,W,C], got f32 [2,3]");
  EXPECT_EQ(refusal("image_resize", {type(i64, {2, 3, 1})}, sampling),
            "UserError: [image_resize] expected an image of u8, f16, bf16 or f32, got i64 [2,3,1]\n"
            "  fix: cast it with to(t, f32)");
  EXPECT_EQ(refusal("image_crop_resize", {type(u8, {2, 3, 1}), type(f32, {5, 3})}, sampling),
            "UserError: [image_crop_resize] expected boxes f32 [N,4], got f32 [5,3]\n"
            "  fix: give x0, y0, x1, y1 in pixels for each box");
  EXPECT_EQ(refusal("image_crop", {type(u8, {4, 5, 3})}, CallAttributes().extent(1).extent(0).extent(4).extent(5)),
            "UserError: [image_crop] rows 1 to 5 and columns 0 to 5 are not all inside u8 [4,5,3]\n"
            "  fix: pad() the image first, or use crop_resize(), which has borders");
}

}  // namespace
}  // namespace sinter
