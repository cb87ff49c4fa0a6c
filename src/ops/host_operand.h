// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <bit>
#include <string_view>

#include "src/ops/refusals.h"

// For public functions that make several calls of one tensor, and so look at its shape before they record any.

namespace sinter::ops {

/// The tensor; throws UserError for a number and for an undefined tensor.
const Tensor& require_tensor(const Operand& x, std::string_view op);

/// The dim counted from the start; throws UserError for a 0-d tensor and outside [-rank, rank).
size_t require_dim(const Operand& x, int64_t dim, std::string_view op);

/// The tensor as an operand of one of several calls: borrowed, with the user's line.
inline Operand borrowed(const Operand& x) { return {x.tensor(), x.line().file, x.line().line}; }

/// The number as an operand of another call.
inline Operand borrowed_number(const Operand& v) {
  const auto [file, line] = v.line();
  if (v.kind() == Operand::Kind::boolean) return {v.number_bits() != 0, file, line};
  if (v.kind() == Operand::Kind::integer) return {v.number_bits(), file, line};
  return {std::bit_cast<double>(v.number_bits()), file, line};
}

}  // namespace sinter::ops
