// SPDX-License-Identifier: Apache-2.0
#include "src/loop/reader.h"

#include "src/graph/seeded_fault.h"

namespace sinter::loop {

Value Reader::read_broadcast(size_t operand, std::span<const Expr> index) {
  const graph::ValueType& type = operand_type(operand);
  const auto dropped = index.size() - type.shape.size();
  std::vector<Expr> own(index.begin() + static_cast<std::ptrdiff_t>(dropped), index.end());
  const bool still = dropped > 0 && planted(graph::Fault::broadcast_stride);  // tests only
  for (size_t d = 0; d < own.size(); ++d)
    if (type.shape[d].is_constant(1) || still) own[d] = 0;
  return read(operand, own);
}

}  // namespace sinter::loop
