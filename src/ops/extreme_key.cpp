// SPDX-License-Identifier: Apache-2.0
#include "src/ops/extreme_key.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "src/loop/reader.h"
#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/reference/array.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using loop::Builder;
using loop::Value;

/// Bits that tell the values of a dtype apart, from the highest of 32 down; f16 stands in an f32, of whose mantissa it
/// uses ten bits. 0: more than 32.
int value_bits(DType t) {
  if (t.is_boolean()) return 1;
  if (t == f16) return 1 + 8 + 10;
  return t.bits() <= 32 ? t.bits() : 0;
}

uint32_t low_bits(int n) { return n >= 32 ? ~uint32_t{0} : (uint32_t{1} << n) - 1; }
uint64_t position_mask(int bits) { return (uint64_t{1} << bits) - 1; }

struct KeyAttributes {
  size_t dim;
  bool largest;
  KeyForm form;
};

KeyAttributes read_key_attributes(graph::AttributeReader attributes, DType element) {
  KeyAttributes a{static_cast<size_t>(attributes.integer()), attributes.flag(), {}};
  a.form.position_bits = static_cast<int>(attributes.integer());
  a.form.type = value_bits(element) + a.form.position_bits <= 32 ? u32 : u64;
  return a;
}

graph::CallAttributes key_attributes(size_t dim, bool largest, int position_bits) {
  return graph::CallAttributes().integer(static_cast<int64_t>(dim)).flag(largest).integer(position_bits);
}

std::vector<graph::ValueType> infer_key(graph::InferContext& context) {
  const graph::ValueType& x = context.operand(0);
  const KeyAttributes a = read_key_attributes(context.attributes(), x.dtype);
  const int bits = value_bits(x.dtype);
  if (bits == 0) context.fail(fmt::format("expected elements of up to 32 bits, got {}", describe(x)));
  if (a.dim >= x.shape.size()) context.fail(fmt::format("no dim {} in {}", a.dim, describe(x)));
  if (a.form.position_bits < 1 || bits + a.form.position_bits > 64)
    context.fail(fmt::format("{} bits for positions beside elements of {}", a.form.position_bits, x.dtype.name()));
  if (x.shape[a.dim].constant().value_or(0) > int64_t{1} << a.form.position_bits)
    context.fail(fmt::format("{} bits for positions along dim {} of {}", a.form.position_bits, a.dim, describe(x)));
  return {{a.form.type, x.shape}};
}

/// A u32 that orders floating values: bits, in which those of negative ones are inverted; -0 counts as 0, NaN is above
/// all. `unused` bits stay 0.
Value ordered_float(Builder& b, Value x, bool largest, uint32_t unused) {
  const Value number = b.add(x, b.f32(0)), bits = b.bitcast(number, u32);
  const Value negative = b.bitcast(b.shr(b.bitcast(number, i32), b.i32(31)), u32);  // all ones, or 0
  const Value flipped = largest ? b.bit_or(b.bit_and(negative, b.u32(~unused)), b.u32(0x80000000))
                                : b.bit_and(b.bit_not(negative), b.u32(0x7fffffff & ~unused));
  return b.select(b.ne(x, x), b.u32(~unused), b.bit_xor(bits, flipped));
}

Value ordered(Builder& b, Value x, DType dtype, bool largest) {
  const int bits = value_bits(dtype);
  const uint32_t unused = low_bits(32 - bits);
  if (dtype.is_floating()) return ordered_float(b, x, largest, unused);
  const Value integer = dtype.is_boolean() ? b.convert(x, u32) : b.bitcast(x, u32);
  const Value high = b.shl(integer, b.u32(static_cast<uint32_t>(32 - bits)));
  const uint32_t sign = dtype.is_signed() && !dtype.is_boolean() ? 0x80000000 : 0;
  return b.bit_xor(high, b.u32(largest ? sign : sign ^ ~unused));
}

Value lower_key(loop::Reader& reader, std::span<const Expr> index) {
  const graph::ValueType& x = reader.operand_type(0);
  const KeyAttributes a = read_key_attributes(reader.attributes(), x.dtype);
  Builder& b = reader.builder();
  const Value value = ordered(b, reader.read(0, index), x.dtype, a.largest);
  const auto position = [&](DType t) { return b.body().index_value(index[a.dim], t); };
  const bool narrow = x.shape[a.dim].constant().value_or(graph::max_extent) <= std::numeric_limits<int32_t>::max();
  const auto mask = static_cast<uint32_t>(position_mask(a.form.position_bits));
  if (a.form.type == u32) return b.bit_or(value, b.sub(b.u32(mask), b.bitcast(position(i32), u32)));
  const Value high = b.shl(b.convert(value, u64), b.body().constant(scalar::constant_int(u64, 32)));
  if (a.form.position_bits == 32 && narrow)
    return b.bit_or(high, b.convert(b.bit_not(b.bitcast(position(i32), u32)), u64));
  const Value last = b.body().constant({u64, position_mask(a.form.position_bits)});
  return b.bit_or(high, b.sub(last, b.bitcast(position(i64), u64)));
}

/// The same of one element, by its magnitude.
uint32_t ordered_reference(const scalar::Constant& x, DType dtype, bool largest) {
  const uint32_t unused = low_bits(32 - value_bits(dtype)), top = ~unused;
  if (!dtype.is_floating()) {
    const int64_t least = dtype.is_signed() && !dtype.is_boolean() ? -(int64_t{1} << (dtype.bits() - 1)) : 0;
    const auto rank = static_cast<uint32_t>(scalar::as_int(x) - least) << (32 - value_bits(dtype));
    return largest ? rank : top - rank;
  }
  const auto f = static_cast<float>(scalar::as_double(x));
  if (f != f) return top;
  const uint32_t magnitude = std::bit_cast<uint32_t>(f < 0 ? -f : f) & 0x7fffffff, middle = 0x80000000;
  const uint32_t rank = f < 0 ? (middle - 1 - magnitude) & top : middle + magnitude;
  return largest ? rank : top - rank;
}

reference::Array key_reference(const graph::Node& node, const reference::Array& x) {
  const KeyAttributes a = read_key_attributes(graph::AttributeReader(node.attributes), x.dtype);
  const int shift = a.form.type.bits() - 32;
  reference::Array result = reference::Array::zeros(a.form.type, x.shape);
  reference::for_each_index(x.shape, [&](const Dims& at) {
    const uint64_t value = uint64_t{ordered_reference(x.at(at), x.dtype, a.largest)} << shift;
    result.set(at, {a.form.type, value + position_mask(a.form.position_bits) - static_cast<uint64_t>(at[a.dim])});
  });
  return result;
}

std::vector<graph::SampleCall> sample_key() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, size_t dim, bool largest, int bits) {
    list.push_back(sample_call({sample_type(t, shape)}, key_attributes(dim, largest, bits), -4, 4));
  };
  for (const DType t : all_dtypes)
    if (const int bits = value_bits(t); bits != 0)
      for (const bool largest : {true, false}) {
        if (bits < 32) add(t, {7, 17}, 1, largest, 32 - bits);
        add(t, {17, 7}, 0, largest, 32);
        add(t, {5}, 0, largest, std::min(64 - bits, 40));
      }
  add(f32, {2, 16, 3}, 1, true, 32);
  add(f16, {0, 3}, 1, true, 13);
  return list;
}

}  // namespace

std::optional<KeyForm> key_form(DType element, int64_t longest) {
  const int bits = value_bits(element);
  const auto holds = [&](int n) { return n > 0 && n < 63 && longest <= int64_t{1} << n; };
  if (bits == 0) return std::nullopt;
  if (holds(32 - bits)) return KeyForm{u32, 32 - bits};
  for (const int n : {32, std::min(64 - bits, 45)})
    if (holds(n) && n + bits <= 64) return KeyForm{u64, n};
  return std::nullopt;
}

graph::Value extreme_keys(Composer& c, graph::Value x, size_t dim, bool largest, const KeyForm& form) {
  return c.call(op<"extreme_key">(), {x}, key_attributes(dim, largest, form.position_bits));
}

graph::Value positions_in(Composer& c, graph::Value keys, const KeyForm& form) {
  const auto mask = graph::Number::of(static_cast<int64_t>(position_mask(form.position_bits)));
  return c.to(c.binary<"bitwise_and">(c.unary<"bitwise_not">(keys), Composer::literal(mask)), i64);
}

void register_extreme_key() {
  graph::OpDef def;
  def.name = "extreme_key";
  def.doc = "Integers that order elements with their positions along a dim; the largest one names the first extreme.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"dim", graph::ParamKind::integer},
                {"largest", graph::ParamKind::flag},
                {"position_bits", graph::ParamKind::integer}};
  def.infer = infer_key;
  def.lower = lower_key;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{key_reference(node, operands[0])};
  };
  def.sample = sample_list(sample_key);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
