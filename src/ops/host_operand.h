// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <bit>
#include <string_view>
#include <utility>

#include "src/ops/refusals.h"

// For public functions that make several calls of one tensor, and so look at its shape before they record any.

namespace sinter::ops {

/// The tensor; throws UserError for a number and for an undefined tensor.
const Tensor& require_tensor(const Operand& x, std::string_view op);

/// The dim counted from the start; throws UserError for a 0-d tensor and outside [-rank, rank).
size_t require_dim(const Operand& x, int64_t dim, std::string_view op);

/// The tensor as an operand of one of several calls: borrowed, with the user's line.
inline Operand borrowed(const Operand& x) { return {x.tensor(), x.line().file, x.line().line}; }

/// The same for an operand that may be a number.
inline Operand again(const Operand& x) {
  const auto [file, line] = x.line();
  switch (x.kind()) {
    case Operand::Kind::tensor:
      return {x.tensor(), file, line};
    case Operand::Kind::boolean:
      return {x.number_bits() != 0, file, line};
    case Operand::Kind::integer:
      return {x.number_bits(), file, line};
    case Operand::Kind::floating:
      break;
  }
  return {std::bit_cast<double>(x.number_bits()), file, line};
}

/// A tensor made on the way, as an operand at the user's line.
inline Operand made(Tensor t, SourceLine line) { return {std::move(t), line.file, line.line}; }

}  // namespace sinter::ops
