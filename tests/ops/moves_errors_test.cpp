// SPDX-License-Identifier: Apache-2.0
// The words with which ops that move, pad or create elements refuse: op, what was expected and got, one fix.
#include <gtest/gtest.h>

#include "tests/ops/build.h"

namespace sinter {
namespace {

using graph::CallAttributes;
using graph::Number;
using test::refusal;
using test::type;

TEST(MoveErrors, Parts) {
  const auto narrow = [](int64_t start, int64_t length) {
    return CallAttributes().integer(0).extent(start).extent(length);
  };
  EXPECT_EQ(refusal("narrow", {type(f32, {5, 3})}, narrow(3, 3)),
            "UserError: [narrow] 3 elements from 3 on are not all inside dim 0 of f32 [5,3]\n"
            "  fix: start + length is 5 at most; slice() clamps its bounds");
  EXPECT_EQ(refusal("narrow", {type(f32, {5, 3})}, narrow(0, -1)), "UserError: [narrow] length -1 is negative");
  EXPECT_EQ(refusal("narrow", {type(f32, {})}, narrow(0, 0)),
            "UserError: [narrow] a 0-d tensor has no dim to narrow\n  fix: unsqueeze it first");
  EXPECT_EQ(refusal("unfold", {type(f32, {5})}, CallAttributes().integer(0).integer(1).extent(6)),
            "UserError: [unfold] windows of 6 elements are longer than dim 0 of f32 [5]\n"
            "  fix: give a size up to the extent, or pad() first");
  EXPECT_EQ(refusal("unfold", {type(f32, {5})}, CallAttributes().integer(0).integer(0).extent(2)),
            "UserError: [unfold] step 0 is not positive\n  fix: give a step of 1 or more");
  EXPECT_EQ(refusal("diagonal", {type(f32, {5})}, CallAttributes().integer(0).integer(1).extent(0)),
            "UserError: [diagonal] expected a tensor of two dims or more, got f32 [5]");
  EXPECT_EQ(refusal("diagonal", {type(f32, {5, 3})}, CallAttributes().integer(1).integer(-1).extent(0)),
            "UserError: [diagonal] both dims are dim 1\n  fix: give two different dims");
}

TEST(MoveErrors, Shapes) {
  EXPECT_EQ(refusal("unflatten", {type(f32, {6, 2})}, CallAttributes().integer(-1).extents({4, 2}).integer(0)),
            "UserError: [unflatten] cannot unflatten dim 0 of f32 [6,2] to [4,2]: 6 elements against 8\n"
            "  fix: the product of the sizes must be the extent; -1 infers one of them");
  EXPECT_EQ(refusal("unflatten", {type(f32, {6, 2})}, CallAttributes().integer(-1).extents({}).integer(0)),
            "UserError: [unflatten] no sizes\n  fix: give the extents that the dim becomes");
  EXPECT_EQ(refusal("unflatten", {type(f32, {})}, CallAttributes().integer(-1).extents({1}).integer(0)),
            "UserError: [unflatten] a 0-d tensor has no dim to unflatten\n  fix: use reshape()");
  EXPECT_EQ(refusal("movedim", {type(f32, {6, 2})}, CallAttributes().integers({0}).integers({})),
            "UserError: [movedim] dims [0] cannot move to dims []\n  fix: give as many destinations as sources");
  EXPECT_EQ(refusal("movedim", {type(f32, {6, 2})}, CallAttributes().integers({0, 1}).integers({1, -1})),
            "UserError: [movedim] dims [1,-1] name a dim twice\n  fix: name every dim once");
  EXPECT_EQ(refusal("view", {type(f32, {2, 3})}, CallAttributes().dtype(f64)),
            "UserError: [view] the last dim of f32 [2,3] is not a multiple of 2: 2 elements of f32 are one of f64\n"
            "  fix: narrow() or pad() it to a multiple");
  EXPECT_EQ(refusal("view", {type(f32, {})}, CallAttributes().dtype(i16)),
            "UserError: [view] a 0-d tensor of f32 cannot be viewed as i16, which has another size\n"
            "  fix: unsqueeze it first");
}

/// Attributes that no public function makes, but a text may have.
TEST(MoveErrors, PositionsOfInferredExtents) {
  EXPECT_EQ(refusal("reshape", {type(f32, {6})}, CallAttributes().integer(3).extents({2})),
            "UserError: [reshape] extent 3 is to be inferred beside 1 others");
  EXPECT_EQ(refusal("unflatten", {type(f32, {6})}, CallAttributes().integer(3).extents({2}).integer(0)),
            "UserError: [unflatten] extent 3 is to be inferred beside 1 others");
}

TEST(MoveErrors, Repeats) {
  EXPECT_EQ(refusal("repeat", {type(f32, {2, 3})}, CallAttributes().flag(false).extents({2})),
            "UserError: [repeat] 1 repeats for f32 [2,3]\n"
            "  fix: give one for every dim; tile() leaves leading dims as they are");
  EXPECT_EQ(refusal("repeat", {type(f32, {2})}, CallAttributes().flag(true).extents({-2})),
            "UserError: [repeat] -2 repeats; expected 0 or more\n  fix: give a number of 0 or more");
  EXPECT_EQ(refusal("repeat_interleave", {type(f32, {})}, CallAttributes().integer(0).extent(2)),
            "UserError: [repeat_interleave] a 0-d tensor has no dim to repeat along\n  fix: leave out the dim");
  EXPECT_EQ(refusal("roll", {type(f32, {2, 3})}, CallAttributes().integers({0}).extents({1, 2})),
            "UserError: [roll] 2 shifts for dims [0]\n"
            "  fix: give one shift for each dim, or one shift alone for all elements in row-major order");
  EXPECT_EQ(refusal("roll", {type(f32, {2, 3})}, CallAttributes().integers({}).extents({})),
            "UserError: [roll] no shifts\n  fix: give one for each dim");
  EXPECT_EQ(refusal("roll", {type(f32, {})}, CallAttributes().integers({0}).extents({1})),
            "UserError: [roll] a 0-d tensor has no dim to roll\n  fix: leave out the dims");
}

TEST(MoveErrors, Pads) {
  const auto pads = [](const Dims& p) { return CallAttributes().extents(p); };
  EXPECT_EQ(refusal("pad_reflect", {type(f32, {1, 4})}, pads({4, 0})),
            "UserError: [pad_reflect] pads 4 and 0 mirror more than dim 1 of f32 [1,4]\n"
            "  fix: a pad must be smaller than the extent");
  EXPECT_EQ(refusal("pad_replicate", {type(f32, {1, 4})}, pads({-2, -2})),
            "UserError: [pad_replicate] pads -2 and -2 leave nothing of dim 1 of f32 [1,4]\n"
            "  fix: leave one element or more");
  EXPECT_EQ(refusal("pad_circular", {type(f32, {1, 4})}, pads({-1, 4})),
            "UserError: [pad_circular] pads -1 and 4 repeat more than dim 1 of f32 [1,4]\n"
            "  fix: a pad is at most what negative pads leave of the extent");
  EXPECT_EQ(refusal("pad_replicate", {type(f32, {2, 0, 4})}, pads({1, 1})),
            "UserError: [pad_replicate] dim 1 of f32 [2,0,4] is empty\n"
            "  fix: only the batch of [N,C,...] may be empty");
  for (const std::string op : {"pad_reflect", "pad_replicate", "pad_circular"}) {
    EXPECT_EQ(refusal(op, {type(f32, {4})}, pads({1, 1})),
              "UserError: [" + op + "] 2 pads for f32 [4]\n  fix: pad the last one, two or three dims of a tensor " +
                  "with one dim more ([C,...]) or two ([N,C,...])");
    EXPECT_EQ(refusal(op, {type(f32, {1, 4})}, pads({1})),
              "UserError: [" + op + "] 1 pads\n  fix: give two pads, before and after, for each dim");
  }
}

TEST(MoveErrors, Matrices) {
  for (const std::string op : {"tril", "triu"})
    EXPECT_EQ(refusal(op, {type(f32, {4})}, CallAttributes().extent(0)),
              "UserError: [" + op + "] expected matrices, got f32 [4]\n  fix: give a tensor of two dims or more");
  EXPECT_EQ(refusal("one_hot", {type(i32, {4})}, CallAttributes().extent(3)),
            "UserError: [one_hot] expected classes of i64, got i32 [4]\n  fix: cast them with to(classes, i64)");
  EXPECT_EQ(refusal("one_hot", {type(i64, {4})}, CallAttributes().extent(-1)),
            "UserError: [one_hot] num_classes -1; expected 1 or more\n"
            "  fix: give the number of classes; it is never taken from the data");
  EXPECT_EQ(refusal("eye", {}, CallAttributes().extent(2).extent(-1).dtype(f32).device(Device::cpu())),
            "UserError: [eye] extent -1 is negative");
}

TEST(MoveErrors, Creations) {
  const auto linspace = [](Number start, Number end, int64_t steps, DType dtype) {
    return CallAttributes().number(start).number(end).extent(steps).dtype(dtype).device(Device::cpu());
  };
  EXPECT_EQ(refusal("linspace", {}, linspace(Number::of(0), Number::of(300), 4, u8)),
            "UserError: [linspace] 300 does not fit into u8\n  fix: give a number in the range of the dtype");
  EXPECT_EQ(refusal("linspace", {}, linspace(Number::of(0), Number::of(1), -4, f32)),
            "UserError: [linspace] -4 steps; expected 0 or more\n  fix: give a number of 0 or more");
  EXPECT_EQ(refusal("linspace", {}, linspace(Number::of(0), Number::of(1), 4, boolean)),
            "UserError: [linspace] boolean has no steps; expected an integer or floating dtype");
  EXPECT_EQ(refusal("full_like", {type(u8, {2})}, CallAttributes().flag(false).dtype(f32).number(Number::of(-1))),
            "UserError: [full_like] -1 does not fit into u8\n  fix: give a number in the range of the dtype");
}

TEST(MoveErrors, Counts) {
  for (const std::string op : {"any", "all", "count_nonzero"})
    EXPECT_EQ(refusal(op, {type(f32, {2, 3})}, CallAttributes().integers({1, -1}).flag(false)),
              "UserError: [" + op + "] dims [1,-1] name a dim twice");
}

}  // namespace
}  // namespace sinter
