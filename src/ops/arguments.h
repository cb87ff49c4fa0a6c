// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/loop/reader.h"
#include "src/ops/promotion.h"

namespace sinter::ops {

/// An argument of an op that takes numbers in place of tensors: its operand, or the number.
struct Argument {
  int operand = -1;
  graph::Scalar number;
  bool is_number() const { return operand < 0; }
};

/// Reads `count` optional_number attributes (number_attributes wrote them); the arguments between them are the operands
/// from `first_operand` on.
std::vector<Argument> read_arguments(graph::AttributeReader& attributes, size_t count, int first_operand = 0);

/// Arguments that are all operands, for ops that take no numbers.
std::vector<Argument> operand_arguments(size_t count);

/// dtype and weight of each argument.
std::vector<ArgumentType> argument_types(std::span<const Argument> arguments,
                                         const std::function<const graph::ValueType&(size_t)>& operand);

/// result_type of the arguments of this call; fails naming the dtypes that do not mix.
DType common_dtype(const graph::InferContext& context, std::span<const ArgumentType> arguments);

/// How a number enters the arithmetic of an op.
enum class NumberUse : uint8_t {
  compute,    ///< in the compute type, unrounded: 0.1 stays the f32 next to it beside an f16 tensor
  rounded,    ///< as a value of the operating dtype: integers wrap, floats round
  saturated,  ///< as a bound: an integer outside the operating dtype is the nearest limit of that dtype
  shift,      ///< as a count of bits: what is negative or past the width shifts every bit out
};

/// The argument at the broadcast position of `index`, as a value of dtype `operating`.
loop::Value argument_value(loop::Reader& reader, const Argument& argument, std::span<const graph::Expr> index,
                           DType operating, NumberUse use);

}  // namespace sinter::ops
