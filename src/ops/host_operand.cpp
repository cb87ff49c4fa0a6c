// SPDX-License-Identifier: Apache-2.0
#include "src/ops/host_operand.h"

#include <fmt/format.h>

namespace sinter::ops {

const Tensor& require_tensor(const Operand& x, std::string_view op) {
  if (!x.is_tensor())
    refuse(op, x.line(), "argument 0 is a number; expected a tensor", "full({}, value, dtype) makes a 0-d tensor");
  if (!x.tensor().defined())
    refuse(op, x.line(), "argument 0 is an undefined tensor",
           "give it a value first; a default-constructed or moved-from Tensor has none");
  return x.tensor();
}

size_t require_dim(const Operand& x, int64_t dim, std::string_view op) {
  const int64_t rank = require_tensor(x, op).rank();
  if (rank == 0) refuse(op, x.line(), "a 0-d tensor has no dim to divide", "unsqueeze it first");
  if (dim < -rank || dim >= rank)
    refuse(op, x.line(), fmt::format("dim {} of a tensor of rank {}", dim, rank),
           fmt::format("give a dim in [{}, {})", -rank, rank));
  return static_cast<size_t>(dim < 0 ? dim + rank : dim);
}

}  // namespace sinter::ops
