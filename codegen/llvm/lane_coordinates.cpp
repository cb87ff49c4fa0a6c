// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/lane_coordinates.h"

#include <bit>
#include <numeric>

namespace sinter::llvm_codegen {

namespace {

/// Elements that one step along `dim` skips, as a shift.
int inner_bits(const tile_ir::Type& type, int dim) {
  int bits = 0;
  for (int d = dim + 1; d < type.rank; ++d)
    bits += std::bit_width(static_cast<uint32_t>(type.dims[static_cast<size_t>(d)])) - 1;
  return bits;
}

llvm::Value* extract_field(Builder& b, const tile_ir::Type& type, int dim, llvm::Value* number) {
  const auto constant = [&](int64_t v) { return llvm::ConstantInt::getSigned(number->getType(), v); };
  llvm::Value* shifted = b.CreateLShr(number, constant(inner_bits(type, dim)));
  return b.CreateAnd(shifted, constant(type.dims[static_cast<size_t>(dim)] - 1));
}

}  // namespace

llvm::Value* coordinate(Builder& b, const tile_ir::Type& type, int dim, llvm::Value* lane) {
  return extract_field(b, type, dim, lane);
}

llvm::Value* coordinates(Builder& b, const tile_ir::Type& type, int dim, llvm::Value* first, int lanes) {
  std::vector<int64_t> steps(static_cast<size_t>(lanes));
  std::iota(steps.begin(), steps.end(), 0);
  llvm::Value* start = splat(b, b.CreateTrunc(first, b.getInt32Ty()), lanes);
  return extract_field(b, type, dim, b.CreateAdd(start, lane_constants(b.getInt32Ty(), steps)));
}

}  // namespace sinter::llvm_codegen
