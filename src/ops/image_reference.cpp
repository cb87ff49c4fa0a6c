// SPDX-License-Identifier: Apache-2.0
#include "src/ops/image_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "src/ops/image_op.h"
#include "src/ops/move_elements.h"

namespace sinter::ops {
namespace {

using image::Border;
using image::Filter;
using reference::Array;

/// The two pixels that a position lies between, and the share of the second.
struct Position {
  int64_t pixel = 0;
  float share = 0;
};

struct Settings {
  int64_t height, width;
  Filter filter;
  Border border;
  scalar::Constant border_pixel;
};

/// A pixel value as the dtype stores it: u8 rounds half to even and saturates, NaN gives 0.
scalar::Constant stored(float v, DType dtype) {
  if (dtype != u8) return reference::rounded(scalar::constant_f32(v), dtype);
  const float limited = std::isnan(v) ? 0.0f : std::clamp(std::nearbyint(v), 0.0f, 255.0f);
  return scalar::constant_int(u32, static_cast<int64_t>(limited));
}

Settings settings_of(const graph::Node& node, DType dtype) {
  const SamplingAttributes a = read_sampling(graph::AttributeReader(node.attributes));
  const auto border = static_cast<float>(a.border_value->literal.as_double());
  return {literal_extent(a.height), literal_extent(a.width), a.filter, a.border, stored(border, dtype)};
}

/// Output pixel d of `target` on an axis of `source` pixels, in whole numbers.
Position resize_position(int64_t d, int64_t source, int64_t target, Filter filter) {
  const int64_t units = (2 * d + 1) * source - (filter == Filter::linear ? target : 0), pixel = 2 * target;
  const int64_t whole = units < 0 ? -1 : units / pixel;  // units >= -target
  return {whole, static_cast<float>(units - whole * pixel) / static_cast<float>(pixel)};
}

/// Output pixel d of `target` in the window [low, high).
Position window_position(int64_t d, float low, float high, int64_t target, Filter filter) {
  const float offset = static_cast<float>(2 * d + 1) * (high - low) / static_cast<float>(2 * target);
  float position = low + offset;
  if (filter == Filter::linear) position -= 0.5f;
  const float whole = std::floor(position);
  const float limited = std::isnan(whole) ? 0.0f : std::clamp(whole, -1e9f, 1e9f);
  return {static_cast<int64_t>(limited), position - whole};
}

float share_between(float a, float b, float share) { return std::fma(share, b, (1.0f - share) * a); }

/// Samples one plane: `at(y, x)` reads a pixel inside.
scalar::Constant sample_plane(const Settings& s, Position y, Position x, int64_t rows, int64_t columns, DType dtype,
                              const std::function<scalar::Constant(int64_t, int64_t)>& at) {
  const auto pixel = [&](int64_t v, int64_t u) {
    const bool inside = v >= 0 && v < rows && u >= 0 && u < columns;
    if (!inside && s.border == Border::constant) return s.border_pixel;
    return at(std::clamp<int64_t>(v, 0, rows - 1), std::clamp<int64_t>(u, 0, columns - 1));
  };
  if (s.filter == Filter::nearest) return pixel(y.pixel, x.pixel);
  const auto row = [&](int64_t v) {
    const auto left = static_cast<float>(scalar::as_double(pixel(v, x.pixel)));
    const auto right = static_cast<float>(scalar::as_double(pixel(v, x.pixel + 1)));
    return share_between(left, right, x.share);
  };
  return stored(share_between(row(y.pixel), row(y.pixel + 1), y.share), dtype);
}

}  // namespace

std::vector<Array> reference_resize(const graph::Node& node, std::span<const Array> operands) {
  const Array& image = operands[0];
  const Settings s = settings_of(node, image.dtype);
  Array result = Array::zeros(image.dtype, literal_extents(node.results[0].shape));
  const size_t row = image.shape.size() - 3, column = row + 1;
  const int64_t rows = image.shape[row], columns = image.shape[column];
  reference::for_each_index(result.shape, [&](const Dims& index) {
    const Position y = resize_position(index[row], rows, s.height, s.filter);
    const Position x = resize_position(index[column], columns, s.width, s.filter);
    const auto at = [&](int64_t v, int64_t u) {
      Dims source = index;
      source[row] = v;
      source[column] = u;
      return image.at(source);
    };
    result.set(index, sample_plane(s, y, x, rows, columns, image.dtype, at));
  });
  return {std::move(result)};
}

std::vector<Array> reference_crop_resize(const graph::Node& node, std::span<const Array> operands) {
  const Array &frame = operands[0], &boxes = operands[1];
  const Settings s = settings_of(node, frame.dtype);
  Array result = Array::zeros(frame.dtype, literal_extents(node.results[0].shape));
  reference::for_each_index(result.shape, [&](const Dims& index) {
    const auto side = [&](int64_t i) { return static_cast<float>(scalar::as_double(boxes.at({index[0], i}))); };
    const Position y = window_position(index[1], side(1), side(3), s.height, s.filter);
    const Position x = window_position(index[2], side(0), side(2), s.width, s.filter);
    const auto at = [&](int64_t v, int64_t u) { return frame.at({v, u, index[3]}); };
    result.set(index, sample_plane(s, y, x, frame.shape[0], frame.shape[1], frame.dtype, at));
  });
  return {std::move(result)};
}

}  // namespace sinter::ops
