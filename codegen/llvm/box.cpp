// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/box.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "codegen/llvm/access_pattern.h"

namespace sinter::llvm_codegen {

Box::Box(Builder& b, KernelFrame& frame, int pointer, const tile_ir::Access& access, const tile_ir::Type& type,
         const Lookup& lookup)
    : b_(b), frame_(frame), lookup_(&lookup), pointer_(pointer), type_(type) {
  parts_ = dim(access.parts);
  for (const tile_ir::AccessDim& d : access.dims) dims_.push_back(dim(d));
  row_dim_ = dims_.size() - 1;
  if (access.row_masked) row_extent_ = index(access.row_extent);
  llvm::Value* offset = b.CreateAdd(index(access.base), b.CreateMul(parts_.origin, parts_.stride));
  for (const Dim& d : dims_) offset = b.CreateAdd(offset, b.CreateMul(d.origin, d.stride));
  start_ = b.CreateGEP(element_type(), frame.parameter(pointer), offset);
  lookup_ = nullptr;
}

llvm::Value* Box::index(const tile_ir::IndexOperand& x) const {
  return x.is_literal() ? b_.getInt64(static_cast<uint64_t>(x.literal)) : (*lookup_)(x.value);
}

Box::Dim Box::dim(const tile_ir::AccessDim& d) const {
  return {index(d.origin), index(d.stride), d.masked ? index(d.extent) : nullptr};
}

llvm::Type* Box::element_type() const { return memory_type(b_.getContext(), frame_.storage(pointer_)); }

int Box::chunk_lanes() const { return static_cast<int>(std::min<int64_t>(type_.part_elements(), frame_.lanes())); }

Box Box::permuted(const std::vector<int>& order) const {
  Box r = *this;
  r.type_ = llvm_codegen::permuted(type_, order);
  for (size_t i = 0; i < order.size(); ++i) {
    r.dims_[i] = dims_[static_cast<size_t>(order[i])];
    if (static_cast<size_t>(order[i]) == row_dim_) r.row_dim_ = i;
  }
  return r;
}

/// 0 <= from and from + span <= extent
llvm::Value* Box::bounded(llvm::Value* from, int64_t span, llvm::Value* extent) const {
  llvm::Value* above = b_.CreateICmpSGE(from, b_.getInt64(0));
  return b_.CreateAnd(above, b_.CreateICmpSLE(b_.CreateAdd(from, b_.getInt64(static_cast<uint64_t>(span))), extent));
}

llvm::Value* Box::whole_inside() const {
  llvm::Value* inside = b_.getTrue();
  if (parts_.extent) inside = b_.CreateAnd(inside, bounded(parts_.origin, type_.parts, parts_.extent));
  for (size_t d = 0; d < dims_.size(); ++d)
    if (dims_[d].extent) inside = b_.CreateAnd(inside, bounded(dims_[d].origin, type_.dims[d], dims_[d].extent));
  if (row_extent_) {
    const int64_t length = type_.dims[row_dim_];
    llvm::Value* last_part = b_.CreateAdd(parts_.origin, b_.getInt64(static_cast<uint64_t>(type_.parts)));
    llvm::Value* end =
        b_.CreateAdd(b_.CreateMul(last_part, b_.getInt64(static_cast<uint64_t>(length))), dims_[row_dim_].origin);
    inside = b_.CreateAnd(inside, b_.CreateICmpSLE(end, row_extent_));
  }
  return inside;
}

llvm::Value* Box::part_address(llvm::Value* part) const {
  return b_.CreateGEP(element_type(), start_, b_.CreateMul(part, parts_.stride));
}

llvm::Value* Box::address(const Position& at) const {
  llvm::Value* offset = b_.getInt64(0);
  for (int d = 0; d < type_.rank; ++d)
    offset =
        b_.CreateAdd(offset, b_.CreateMul(coordinate(b_, type_, d, at.lane), dims_[static_cast<size_t>(d)].stride));
  return b_.CreateGEP(element_type(), part_address(at.part), offset);
}

llvm::Value* Box::addresses(const Position& at, int lanes) const {
  llvm::Type* longs = vector_of(b_.getInt64Ty(), lanes);
  llvm::Value* offsets = llvm::Constant::getNullValue(longs);
  for (int d = 0; d < type_.rank; ++d) {
    llvm::Value* along = b_.CreateZExt(coordinates(b_, type_, d, at.lane, lanes), longs);
    offsets = b_.CreateAdd(offsets, b_.CreateMul(along, splat(b_, dims_[static_cast<size_t>(d)].stride, lanes)));
  }
  return b_.CreateGEP(element_type(), part_address(at.part), offsets);
}

/// bounds.origin + coordinate along `dim` is in 0 .. bounds.extent - 1.
llvm::Value* Box::along_in_bounds(int dim, const Dim& bounds, const Position& at, int lanes) const {
  // Lane bounds fit 32 bits once clamped to the tile: lo <= coordinate < hi.
  const auto clamp = [&](llvm::Value* v) {
    llvm::Value* last = b_.getInt64(static_cast<uint64_t>(type_.dims[static_cast<size_t>(dim)]));
    v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, b_.getInt64(0));
    v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, last);
    return splat(b_, b_.CreateTrunc(v, b_.getInt32Ty()), lanes);
  };
  llvm::Value* k = coordinates(b_, type_, dim, at.lane, lanes);
  llvm::Value* above = b_.CreateICmpSGE(k, clamp(b_.CreateNeg(bounds.origin)));
  return b_.CreateAnd(above, b_.CreateICmpSLT(k, clamp(b_.CreateSub(bounds.extent, bounds.origin))));
}

llvm::Value* Box::row_in_bounds(const Position& at, int lanes) const {
  const size_t last = row_dim_;
  llvm::Value* whole_parts = b_.CreateAdd(parts_.origin, at.part);
  llvm::Value* before = b_.CreateMul(whole_parts, b_.getInt64(static_cast<uint64_t>(type_.dims[last])));
  // The lower bound does not hold for rows, so the origin is taken off the extent.
  Dim bounds = dims_[last];
  bounds.extent = b_.CreateSub(row_extent_, b_.CreateAdd(before, bounds.origin));
  bounds.origin = b_.getInt64(0);
  return along_in_bounds(static_cast<int>(last), bounds, at, lanes);
}

llvm::Value* Box::mask(const Position& at, int lanes) const {
  llvm::Value* inside = splat(b_, b_.getTrue(), lanes);
  if (parts_.extent) inside = splat(b_, bounded(b_.CreateAdd(parts_.origin, at.part), 1, parts_.extent), lanes);
  for (int d = 0; d < type_.rank; ++d)
    if (const Dim& bounds = dims_[static_cast<size_t>(d)]; bounds.extent)
      inside = b_.CreateAnd(inside, along_in_bounds(d, bounds, at, lanes));
  if (row_extent_) inside = b_.CreateAnd(inside, row_in_bounds(at, lanes));
  return inside;
}

}  // namespace sinter::llvm_codegen
