// SPDX-License-Identifier: Apache-2.0
#include "src/ops/arguments.h"

#include <fmt/format.h>

#include "src/ops/convert.h"

namespace sinter::ops {
namespace {

loop::Value saturated_integer(loop::Reader& reader, const graph::Scalar& number, DType operating) {
  loop::Builder& b = reader.builder();
  loop::Value v = reader.number(number, i64);
  if (operating == i64) return v;
  const bool is_signed = operating.is_signed();
  v = b.max(v, b.i64(is_signed ? -(int64_t{1} << (operating.bits() - 1)) : 0));
  if (operating.bits() < 64) v = b.min(v, b.i64((int64_t{1} << (operating.bits() - (is_signed ? 1 : 0))) - 1));
  return b.convert(v, scalar::compute_type(operating));
}

/// Not reduced to the operating dtype, where a count of 256 of u8 would be 0. Negative ones become huge.
loop::Value shift_count(loop::Reader& reader, const graph::Scalar& number, DType operating) {
  loop::Builder& b = reader.builder();
  const loop::Value count = b.convert(reader.number(number, i64), u64);
  return b.convert(b.min(count, b.constant(u64, 64)), scalar::compute_type(operating));
}

loop::Value number_value(loop::Reader& reader, const graph::Scalar& number, DType operating, NumberUse use) {
  loop::Builder& b = reader.builder();
  if (use == NumberUse::saturated && operating.is_integer()) return saturated_integer(reader, number, operating);
  if (use == NumberUse::shift) return shift_count(reader, number, operating);
  const loop::Value v = reader.number(number, scalar::compute_type(operating));
  // Integers are always reduced: the compute type of a narrow dtype is wider, and add or mul wrap only at the end.
  return use == NumberUse::compute && !operating.is_integer() ? v : b.round_to(v, operating);
}

}  // namespace

std::vector<Argument> read_arguments(graph::AttributeReader& attributes, size_t count, int first_operand) {
  std::vector<Argument> arguments(count);
  int operand = first_operand;
  for (Argument& a : arguments) {
    if (attributes.flag())
      a.number = attributes.number();
    else
      a.operand = operand++;
  }
  return arguments;
}

std::vector<Argument> operand_arguments(size_t count) {
  std::vector<Argument> arguments(count);
  for (size_t i = 0; i < count; ++i) arguments[i].operand = static_cast<int>(i);
  return arguments;
}

std::vector<ArgumentType> argument_types(std::span<const Argument> arguments,
                                         const std::function<const graph::ValueType&(size_t)>& operand) {
  std::vector<ArgumentType> types;
  for (const Argument& a : arguments) {
    if (a.is_number()) {
      types.push_back({number_dtype(a.number.literal.kind), Weight::number});
      continue;
    }
    const graph::ValueType& t = operand(static_cast<size_t>(a.operand));
    types.push_back({t.dtype, t.rank() == 0 ? Weight::zero_dim : Weight::dimensioned});
  }
  return types;
}

DType common_dtype(const graph::InferContext& context, std::span<const ArgumentType> arguments) {
  if (const auto common = result_type(arguments)) return *common;
  std::string names;
  for (const ArgumentType& a : arguments) names += fmt::format("{}{}", names.empty() ? "" : ", ", a.dtype.name());
  context.fail(fmt::format("cannot promote {}: u16, u32 and u64 mix with floating dtypes only", names),
               "cast one side with to(t, dtype)");
}

loop::Value argument_value(loop::Reader& reader, const Argument& argument, std::span<const graph::Expr> index,
                           DType operating, NumberUse use) {
  if (argument.is_number()) return number_value(reader, argument.number, operating, use);
  const auto operand = static_cast<size_t>(argument.operand);
  return convert_value(reader.builder(), reader.read_broadcast(operand, index), reader.operand_type(operand).dtype,
                       operating);
}

}  // namespace sinter::ops
