// SPDX-License-Identifier: Apache-2.0
// Sampling against PyTorch's interpolate (half-pixel centres, no antialiasing), and what the borders and boxes mean.
#include <sinter/image.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "src/ops/image_op.h"
#include "src/reference/interpret.h"
#include "tests/ops/build.h"
#include "tests/ops/golden.h"

namespace sinter {
namespace {

using image::Border;
using image::Filter;
using reference::Array;

Array run_image_op(std::string_view op, const std::vector<Array>& operands, const graph::CallAttributes& attributes) {
  std::vector<graph::ValueType> types;
  for (const Array& a : operands) types.push_back(test::type(a.dtype, a.shape));
  return reference::interpret(test::one_op(op, types, attributes), operands).at(0);
}

Array resize(const Array& image, image::Size size, Filter filter, Border border = Border::replicate, double value = 0) {
  return run_image_op("image_resize", {image}, ops::sampling_attributes(size, filter, border, value));
}

Array crop_resize(const Array& frame, const std::vector<double>& boxes, image::Size size, Filter filter, Border border,
                  double value = 0) {
  const Array box_array = Array::of(f32, {static_cast<int64_t>(boxes.size()) / 4, 4}, boxes);
  return run_image_op("image_crop_resize", {frame, box_array}, ops::sampling_attributes(size, filter, border, value));
}

std::vector<double> numbers(const Array& a) {
  std::vector<double> v;
  for (int64_t i = 0; i < a.size(); ++i) v.push_back(scalar::as_double(a.at(i)));
  return v;
}

std::vector<double> counted(size_t n, double first = 0) {
  std::vector<double> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

TEST(Resize, AgreesWithInterpolate) {
  int lines = 0;
  for (const auto& line : golden::read("resize")) {
    SCOPED_TRACE(line[0] + " " + line[1] + " " + line[2]);
    const auto from = golden::integers(line[1]), to = golden::integers(line[2]);
    const Dims source{std::span<const int64_t>(from)}, target{std::span<const int64_t>(to)};
    const auto read = [&](const Dims& shape, size_t first) {
      std::vector<double> v;
      for (int64_t i = 0; i < shape.product(); ++i)
        v.push_back(scalar::as_double({f32, golden::bits(line[first + static_cast<size_t>(i)])}));
      return v;
    };
    const auto pixels = read(source, 4), expected = read(target, 5 + static_cast<size_t>(source.product()));
    const Filter filter = line[0] == "linear" ? Filter::linear : Filter::nearest;
    const image::Size size{target[0], target[1]};
    const auto got = numbers(resize(Array::of(f32, source, pixels), size, filter));
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(got[i], expected[i], filter == Filter::nearest ? 0 : 1e-4) << i;
    ++lines;
    // u8 is the same interpolation, rounded half to even; a tie within the tolerance may go either way.
    if (source[1] == 500) continue;
    const auto bytes = numbers(resize(Array::of(u8, source, pixels), size, filter));
    for (size_t i = 0; i < expected.size(); ++i) {
      const bool tie = std::abs(expected[i] - std::floor(expected[i]) - 0.5) < 1e-3;
      EXPECT_NEAR(bytes[i], std::nearbyint(expected[i]), tie ? 1 : 0) << i;
    }
  }
  EXPECT_EQ(lines, 15);
}

TEST(Resize, NearestTakesThePixelAroundTheCentre) {
  const Array five = Array::of(u8, {1, 5, 1}, counted(5));
  EXPECT_EQ(numbers(resize(five, {1, 3}, Filter::nearest)), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(numbers(resize(five, {1, 10}, Filter::nearest)), (std::vector<double>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(numbers(resize(five, {1, 1}, Filter::nearest)), (std::vector<double>{2}));
}

/// The position is a fraction of integers, so a large image has no rounding that picks the wrong pixel.
TEST(Resize, NearestIsExactForEveryScale) {
  for (const int64_t target : {1, 5, 480, 495, 499, 500, 501, 505, 2000, 2005}) {
    const Array row = Array::of(f32, {1, 500, 1}, counted(500));
    const auto got = numbers(resize(row, {1, target}, Filter::nearest));
    for (int64_t d = 0; d < target; ++d)
      ASSERT_EQ(got[static_cast<size_t>(d)], static_cast<double>((2 * d + 1) * 500 / (2 * target)))
          << target << " " << d;
  }
}

TEST(Resize, RoundsBytesHalfToEven) {
  const Array row = Array::of(u8, {1, 4, 1}, std::vector<double>{0, 1, 2, 3});
  EXPECT_EQ(numbers(resize(row, {1, 2}, Filter::linear)), (std::vector<double>{0, 2}));  // 0.5 and 2.5
}

TEST(Resize, ConstantBorderBlendsAtTheEdge) {
  const Array one = Array::of(f32, {1, 1, 1}, std::vector<double>{100});
  const auto got = numbers(resize(one, {1, 2}, Filter::linear, Border::constant, 20));
  EXPECT_EQ(got, (std::vector<double>{0.75 * 100 + 0.25 * 20, 0.75 * 100 + 0.25 * 20}));
  EXPECT_EQ(numbers(resize(one, {1, 2}, Filter::linear)), (std::vector<double>{100, 100}));
}

TEST(Resize, TheSameSizeIsTheSameImage) {
  const Array image = Array::of(u8, {4, 5, 3}, counted(60));
  for (const Border border : {Border::constant, Border::replicate})
    for (const Filter filter : {Filter::nearest, Filter::linear})
      EXPECT_EQ(resize(image, {4, 5}, filter, border), image);
}

TEST(CropResize, TheWholeFrameIsAResize) {
  const Array frame = Array::of(u8, {6, 8, 2}, counted(96, 3));
  for (const Filter filter : {Filter::nearest, Filter::linear})
    for (const image::Size size : {image::Size{3, 4}, {12, 16}, {5, 7}}) {
      Array whole = crop_resize(frame, {0, 0, 8, 6}, size, filter, Border::replicate);
      whole.shape = {size.height, size.width, 2};
      EXPECT_EQ(numbers(whole), numbers(resize(frame, size, filter)));
    }
}

TEST(CropResize, BoxesAreWindowsOfTheFrame) {
  const Array frame = Array::of(u8, {4, 4, 1}, counted(16));
  // Unit scale: the pixels of the box. Then one that reaches out by one pixel to the left and top.
  EXPECT_EQ(numbers(crop_resize(frame, {1, 1, 3, 3}, {2, 2}, Filter::linear, Border::constant)),
            (std::vector<double>{5, 6, 9, 10}));
  EXPECT_EQ(numbers(crop_resize(frame, {-1, -1, 1, 1, 2, 2, 4, 4}, {2, 2}, Filter::nearest, Border::constant, 114)),
            (std::vector<double>{114, 114, 114, 0, 10, 11, 14, 15}));
  EXPECT_EQ(numbers(crop_resize(frame, {-1, -1, 1, 1}, {2, 2}, Filter::linear, Border::replicate)),
            (std::vector<double>{0, 0, 0, 0}));
  // Half a pixel to the right: between neighbours of the frame, also at the box's edge.
  EXPECT_EQ(numbers(crop_resize(Array::of(f32, {4, 4, 1}, counted(16)), {1.5, 1, 3.5, 2}, {1, 2}, Filter::linear,
                                Border::constant)),
            (std::vector<double>{5.5, 6.5}));
  // x0 > x1 mirrors.
  EXPECT_EQ(numbers(crop_resize(frame, {4, 0, 0, 1}, {1, 4}, Filter::nearest, Border::constant)),
            (std::vector<double>{3, 2, 1, 0}));
}

TEST(CropResize, FarAndUndefinedBoxesTouchNoMemory) {
  const Array frame = Array::of(u8, {2, 2, 1}, counted(4, 50));
  const double nan = std::nan(""), inf = INFINITY;
  for (const Filter filter : {Filter::nearest, Filter::linear}) {
    EXPECT_EQ(numbers(crop_resize(frame, {1e30, 1e30, 2e30, 2e30}, {1, 1}, filter, Border::constant, 9)),
              (std::vector<double>{9}));
    EXPECT_EQ(numbers(crop_resize(frame, {-5e9, -5e9, -4e9, -4e9}, {1, 1}, filter, Border::replicate)),
              (std::vector<double>{50}));
    crop_resize(frame, {nan, nan, nan, nan, -inf, 0, inf, 2}, {2, 2}, filter, Border::constant);
  }
}

TEST(CropResize, TheBorderIsAPixelOfTheImage) {
  const Array frame = Array::of(u8, {1, 1, 1}, std::vector<double>{10});
  const std::vector<double> outside = {5, 5, 6, 6};
  for (const auto& [value, pixel] :
       {std::pair<double, double>{300, 255}, {-3, 0}, {0.5, 0}, {1.5, 2}, {std::nan(""), 0}})
    for (const Filter filter : {Filter::nearest, Filter::linear})
      EXPECT_EQ(numbers(crop_resize(frame, outside, {1, 1}, filter, Border::constant, value)),
                (std::vector<double>{pixel}));
}

}  // namespace
}  // namespace sinter
