// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/random.h>

#include <cmath>

#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/host_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/random_op.h"
#include "src/ops/random_unit.h"

namespace sinter::ops {
namespace {

using graph::Number;

/// Is every integer of [low, low + count) a value of the dtype? `count` is the bits of a u64.
bool holds_range(DType dtype, int64_t low, int64_t count) {
  const int64_t last = static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(count) - 1);
  if (dtype.is_boolean()) return low >= 0 && last <= 1;
  if (dtype.is_integer()) return fits(Number::of(low), dtype) && fits(Number::of(last), dtype);
  const int64_t exact = int64_t{1} << (dtype == f16 ? 11 : dtype == bf16 ? 8 : dtype == f32 ? 24 : 53);
  return low >= -exact && last <= exact;
}

std::string out_of_range(DType dtype, int64_t low, int64_t count) {
  return fmt::format("{} does not hold the integers from {} to {}", dtype.name(), low,
                     static_cast<int64_t>(static_cast<uint64_t>(low) + static_cast<uint64_t>(count) - 1));
}

/// high - low, after the checks that must be made also where numbers are promoted.
int64_t checked_count(std::string_view op, int64_t low, int64_t high, std::optional<DType> dtype, SourceLine line) {
  if (low >= high)
    refuse(op, line, fmt::format("expected low < high, got {} and {}", low, high), "high itself is never drawn");
  const auto count = static_cast<int64_t>(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
  if (dtype && !holds_range(*dtype, low, count)) refuse(op, line, out_of_range(*dtype, low, count), {});
  return count;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor randint(int64_t low, int64_t high, const Dims& shape, DType dtype, Device device, SourceLine line) {
  const int64_t count = ops::checked_count("randint", low, high, dtype, line);
  const ops::Draw draw = ops::next_draw(device, "randint", line);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).extents(shape).dtype(dtype);
  attributes.number(graph::Number::of(low)).number(graph::Number::of(count));
  return ops::dispatch_draw(ops::op<"random_integers">(), draw, attributes, line);
}

Tensor randint(int64_t high, const Dims& shape, DType dtype, Device device, SourceLine line) {
  return randint(0, high, shape, dtype, device, line);
}

Tensor randint_like(Operand x, int64_t low, int64_t high, std::optional<DType> dtype) {
  const Tensor& like = ops::require_tensor(x, "randint_like");
  const int64_t count = ops::checked_count("randint_like", low, high, dtype ? *dtype : like.dtype(), x.line());
  const ops::Draw draw = ops::next_draw(like.device(), "randint_like", x.line());
  Operand state(draw.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(draw.after)).flag(dtype.has_value()).dtype(dtype.value_or(f32));
  attributes.number(graph::Number::of(low)).number(graph::Number::of(count));
  return ops::dispatch(ops::op<"randint_like">(), {&x, &state}, attributes);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using loop::Value;

void check_integers(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) {
  const graph::Scalar &low = rest.number(), &count = rest.number();
  if (low.symbol >= 0 || count.symbol >= 0) return;
  if (count.literal.as_int() == 0) context.fail("there is no integer to draw");
  if (!holds_range(dtype, low.literal.as_int(), count.literal.as_int()))
    context.fail(out_of_range(dtype, low.literal.as_int(), count.literal.as_int()));
}

int integers_k(DType) { return 1; }

Value integer_value(loop::Reader& reader, const RandomBlock& block, DType dtype, graph::AttributeReader rest) {
  loop::Builder& b = reader.builder();
  const graph::Scalar &low = rest.number(), &count = rest.number();
  const Value above = b.mul_hi(random_word64(b, block), reader.number(count, u64));
  return convert_value(b, b.bitcast(b.add(above, reader.number(low, u64)), i64), i64, dtype);
}

scalar::Constant reference_integer(const PhiloxWords& words, uint32_t place, DType dtype, graph::AttributeReader rest) {
  const graph::Scalar &low = rest.number(), &count = rest.number();
  const auto bits = [](const graph::Scalar& s) { return graph::constant_of(s.literal, u64).bits; };
  const auto product = static_cast<unsigned __int128>(random_word64(words, place)) * bits(count);
  const uint64_t v = static_cast<uint64_t>(product >> 64) + bits(low);
  return convert_element(scalar::constant_int(i64, static_cast<int64_t>(v)), i64, dtype);
}

std::vector<graph::SampleCall> sample_integers() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](int64_t draw, const Dims& shape, DType dtype, int64_t low, int64_t count) {
    list.push_back(random_sample(graph::CallAttributes()
                                     .number(Number::of(draw))
                                     .extents(shape)
                                     .dtype(dtype)
                                     .number(Number::of(low))
                                     .number(Number::of(count))));
  };
  for (const DType t : all_dtypes) {
    add(1, {17}, t, 0, 2);
    if (!t.is_boolean()) add(int64_t{1} << 33, {3, 5}, t, t.is_floating() || t.is_signed() ? -100 : 3, 101);
  }
  add(0, {1023}, i64, INT64_MIN, -1);  // 2^64 - 1 integers
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{7, 1, 16}}) add(9, shape, i32, -3, 7);
  return list;
}

}  // namespace

void register_random_integers() {
  using Kind = graph::ParamKind;
  register_random({.name = "random_integers",
                   .doc = "Random integers: low and the count - 1 that follow, equally likely.",
                   .like_name = "randint_like",
                   .like_doc = "Random integers of the shape and, unless given, dtype of the operand.",
                   .params = {{"low", Kind::number}, {"count", Kind::number}},
                   .check = check_integers,
                   .k = integers_k,
                   .element = integer_value,
                   .reference = reference_integer,
                   .samples = sample_integers});
}

}  // namespace sinter::ops
