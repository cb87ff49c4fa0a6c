// SPDX-License-Identifier: Apache-2.0
#include "src/ops/sampling.h"

#include "src/ops/bounds.h"
#include "src/ops/convert.h"

namespace sinter::ops {
namespace {

using image::Border;
using image::Filter;
using loop::Builder;
using loop::Value;

Value both(Builder& b, Value p, Value q) { return p.id < 0 ? q : q.id < 0 ? p : b.bit_and(p, q); }

/// The index that a coordinate stands for, clamped into the axis.
Tap window_tap(Builder& b, Value whole, Expr source, Border border) {
  // Through i32, whose conversion saturates in one instruction.
  const Value index = b.convert(b.convert(whole, i32), i64);
  Tap tap{b.body().to_index(index, source, loop::IndexMode::clamp)};
  if (border == Border::constant)
    tap.inside = b.bit_and(b.le(b.i64(0), index), b.lt(index, b.body().index_value(source, i64)));
  return tap;
}

/// (1 - w) a + w c with one rounding less.
Value interpolate(Builder& b, Value a, Value c, Value w) { return b.fma(w, c, b.mul(b.sub(b.f32(1), w), a)); }

/// A pixel value as the image stores it: u8 rounds half to even and saturates.
Value to_pixel(Builder& b, Value v, DType dtype) {
  return convert_value(b, dtype.is_integer() ? b.round_even(v) : v, f32, dtype);
}

}  // namespace

Taps resize_taps(Builder& b, Expr d, Expr source, Expr target, Filter filter, Border border) {
  const Expr twice = target * 2;
  if (filter == Filter::nearest) return {{floordiv((d * 2 + 1) * source, twice)}, {}};
  const Expr position = (d * 2 + 1) * source - target;  // in units of 1 / (2 target) pixels
  const Expr below_position = floordiv(position, twice);
  const DType t = index_type(twice);
  const Value part = b.convert(b.body().index_value(mod(position, twice), t), f32);
  Taps taps{{below_position}, {below_position + 1}};
  taps.weight = b.div(part, b.convert(b.body().index_value(twice, t), f32));
  if (border == Border::constant) {
    taps.first.inside = not_negative(b, below_position, source);
    taps.second.inside = below(b, below_position + 1, source);
  } else {
    taps.first.index = max(below_position, 0);
    taps.second.index = min(below_position + 1, source - 1);
  }
  return taps;
}

Taps window_taps(Builder& b, Expr d, Value low, Value high, Expr source, Expr target, Filter filter, Border border) {
  const Expr twice = target * 2;
  const Value step = b.convert(b.body().index_value(d * 2 + 1, index_type(twice)), f32);
  const Value width = b.convert(b.body().index_value(twice, index_type(twice)), f32);
  const Value position = b.add(low, b.div(b.mul(step, b.sub(high, low)), width));
  if (filter == Filter::nearest) return {window_tap(b, b.floor(position), source, border), {}};
  const Value centre = b.sub(position, b.f32(0.5f));
  const Value whole = b.floor(centre);
  return {window_tap(b, whole, source, border), window_tap(b, b.add(whole, b.f32(1)), source, border),
          b.sub(centre, whole)};
}

Value sample(loop::Reader& reader, const Taps& y, const Taps& x, Filter filter, const graph::Scalar& border_value,
             const std::function<std::vector<Expr>(Expr y, Expr x)>& place) {
  Builder& b = reader.builder();
  const DType dtype = reader.operand_type(0).dtype;
  const auto pixel = [&](const Tap& v, const Tap& u) {
    const Value inside = both(b, v.inside, u.inside);
    if (inside.id < 0) return reader.read(0, place(v.index, u.index));
    const Value fill = to_pixel(b, reader.number(border_value, f32), dtype);
    return reader.read_masked(0, place(v.index, u.index), inside, fill);
  };
  if (filter == Filter::nearest) return pixel(y.first, x.first);
  const auto row = [&](const Tap& v) {
    return interpolate(b, b.convert(pixel(v, x.first), f32), b.convert(pixel(v, x.second), f32), x.weight);
  };
  return to_pixel(b, interpolate(b, row(y.first), row(y.second), y.weight), dtype);
}

}  // namespace sinter::ops
