// SPDX-License-Identifier: Apache-2.0
#include "src/loop/reader.h"

namespace sinter::loop {

Value Reader::read_broadcast(size_t operand, std::span<const Expr> index) {
  const auto& shape = operand_type(operand).shape;
  std::vector<Expr> own;
  const size_t skip = index.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) own.push_back(shape[d].is_constant(1) ? Expr(int64_t{0}) : index[skip + d]);
  return read(operand, own);
}

}  // namespace sinter::loop
