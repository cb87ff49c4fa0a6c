// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/box.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "codegen/llvm/access_pattern.h"

namespace sinter::llvm_codegen {

Box::Box(Builder& b, KernelFrame& frame, int pointer, const tile::Access& access, const tile::Type& type,
         const Lookup& lookup)
    : b_(b), frame_(frame), lookup_(&lookup), pointer_(pointer), type_(type) {
  parts_ = dim(access.parts);
  for (const tile::AccessDim& d : access.dims) dims_.push_back(dim(d));
  if (access.row_masked) row_extent_ = index(access.row_extent);
  llvm::Value* offset = b.CreateAdd(index(access.base), b.CreateMul(parts_.origin, parts_.stride));
  for (const Dim& d : dims_) offset = b.CreateAdd(offset, b.CreateMul(d.origin, d.stride));
  start_ = b.CreateGEP(element(), frame.parameter(pointer), offset);
  lookup_ = nullptr;
}

llvm::Value* Box::index(const tile::IndexOperand& x) const {
  return x.is_literal() ? b_.getInt64(static_cast<uint64_t>(x.literal)) : (*lookup_)(x.value);
}

Box::Dim Box::dim(const tile::AccessDim& d) const {
  return {index(d.origin), index(d.stride), d.masked ? index(d.extent) : nullptr};
}

llvm::Type* Box::element() const { return memory_type(b_.getContext(), frame_.storage(pointer_)); }

int Box::chunk_lanes() const { return static_cast<int>(std::min<int64_t>(type_.part_elements(), frame_.lanes())); }

Box Box::permuted(const std::vector<int>& order) const {
  Box r = *this;
  r.type_ = llvm_codegen::permuted(type_, order);
  for (size_t i = 0; i < order.size(); ++i) r.dims_[i] = dims_[static_cast<size_t>(order[i])];
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
    const int64_t length = type_.dims[dims_.size() - 1];
    llvm::Value* last_part = b_.CreateAdd(parts_.origin, b_.getInt64(static_cast<uint64_t>(type_.parts)));
    llvm::Value* end =
        b_.CreateAdd(b_.CreateMul(last_part, b_.getInt64(static_cast<uint64_t>(length))), dims_.back().origin);
    inside = b_.CreateAnd(inside, b_.CreateICmpSLE(end, row_extent_));
  }
  return inside;
}

std::vector<int64_t> Box::coordinates(int dim, int first_lane, int lanes) const {
  int64_t inner = 1;
  for (int d = dim + 1; d < type_.rank; ++d) inner *= type_.dims[static_cast<size_t>(d)];
  std::vector<int64_t> c;
  for (int l = first_lane; l < first_lane + lanes; ++l) c.push_back(l / inner % type_.dims[static_cast<size_t>(dim)]);
  return c;
}

llvm::Value* Box::address(int part, int lane) const {
  llvm::Value* p = start_;
  const auto add = [&](llvm::Value* stride, int64_t coordinate) {
    if (coordinate)
      p = b_.CreateGEP(element(), p, b_.CreateMul(stride, b_.getInt64(static_cast<uint64_t>(coordinate))));
  };
  add(parts_.stride, part);
  for (int d = 0; d < type_.rank; ++d) add(dims_[static_cast<size_t>(d)].stride, coordinates(d, lane, 1)[0]);
  return p;
}

llvm::Value* Box::addresses(int part, int chunk) const {
  const int lanes = chunk_lanes();
  llvm::Type* longs = vector_of(b_.getInt64Ty(), lanes);
  llvm::Value* offsets = llvm::Constant::getNullValue(longs);
  for (int d = 0; d < type_.rank; ++d) {
    llvm::Value* along = lane_constants(b_.getInt64Ty(), coordinates(d, chunk * lanes, lanes));
    offsets = b_.CreateAdd(offsets, b_.CreateMul(along, splat(b_, dims_[static_cast<size_t>(d)].stride, lanes)));
  }
  llvm::Value* p = start_;
  if (part) p = b_.CreateGEP(element(), p, b_.CreateMul(parts_.stride, b_.getInt64(static_cast<uint64_t>(part))));
  return b_.CreateGEP(element(), p, offsets);
}

llvm::Value* Box::lane_in_bounds(const Dim& d, const std::vector<int64_t>& coordinates) const {
  // Lane bounds fit 32 bits once clamped to the tile: lo <= coordinate < hi.
  const int lanes = static_cast<int>(coordinates.size());
  const int64_t last = *std::max_element(coordinates.begin(), coordinates.end()) + 1;
  const auto clamp = [&](llvm::Value* v) {
    v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, b_.getInt64(0));
    v = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, b_.getInt64(static_cast<uint64_t>(last)));
    return splat(b_, b_.CreateTrunc(v, b_.getInt32Ty()), lanes);
  };
  llvm::Value* k = lane_constants(b_.getInt32Ty(), coordinates);
  llvm::Value* above = b_.CreateICmpSGE(k, clamp(b_.CreateNeg(d.origin)));
  return b_.CreateAnd(above, b_.CreateICmpSLT(k, clamp(b_.CreateSub(d.extent, d.origin))));
}

llvm::Value* Box::row_in_bounds(int part, int chunk) const {
  const size_t last = dims_.size() - 1;
  llvm::Value* whole_parts = b_.CreateAdd(parts_.origin, b_.getInt64(static_cast<uint64_t>(part)));
  llvm::Value* before = b_.CreateMul(whole_parts, b_.getInt64(static_cast<uint64_t>(type_.dims[last])));
  // The lower bound does not hold for rows, so it is taken off the origin.
  Dim d = dims_[last];
  d.extent = b_.CreateSub(row_extent_, b_.CreateAdd(before, d.origin));
  d.origin = b_.getInt64(0);
  return lane_in_bounds(d, coordinates(static_cast<int>(last), chunk * chunk_lanes(), chunk_lanes()));
}

llvm::Value* Box::mask(int part, int chunk) const {
  const int lanes = chunk_lanes();
  llvm::Value* inside = splat(b_, b_.getTrue(), lanes);
  if (parts_.extent) {
    llvm::Value* c = b_.CreateAdd(parts_.origin, b_.getInt64(static_cast<uint64_t>(part)));
    inside = splat(b_, bounded(c, 1, parts_.extent), lanes);
  }
  for (int d = 0; d < type_.rank; ++d)
    if (dims_[static_cast<size_t>(d)].extent)
      inside =
          b_.CreateAnd(inside, lane_in_bounds(dims_[static_cast<size_t>(d)], coordinates(d, chunk * lanes, lanes)));
  if (row_extent_) inside = b_.CreateAnd(inside, row_in_bounds(part, chunk));
  return inside;
}

Box::Element Box::element_at(llvm::Value* number) const {
  const auto constant = [&](int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); };
  llvm::Value* part = type_.parts == 1 ? constant(0) : b_.CreateUDiv(number, constant(type_.part_elements()));
  llvm::Value* offset = b_.CreateMul(part, parts_.stride);
  llvm::Value* inside = b_.getTrue();
  llvm::Value* part_coordinate = b_.CreateAdd(parts_.origin, part);
  if (parts_.extent) inside = b_.CreateAnd(inside, bounded(part_coordinate, 1, parts_.extent));
  int64_t inner = 1;
  for (size_t d = dims_.size(); d-- > 0; inner *= type_.dims[d]) {
    llvm::Value* k = b_.CreateAnd(b_.CreateUDiv(number, constant(inner)), constant(type_.dims[d] - 1));
    offset = b_.CreateAdd(offset, b_.CreateMul(k, dims_[d].stride));
    llvm::Value* c = b_.CreateAdd(dims_[d].origin, k);
    if (dims_[d].extent) inside = b_.CreateAnd(inside, bounded(c, 1, dims_[d].extent));
    if (row_extent_ && d + 1 == dims_.size()) {
      llvm::Value* j = b_.CreateAdd(b_.CreateMul(part_coordinate, constant(type_.dims[d])), c);
      inside = b_.CreateAnd(inside, b_.CreateICmpSLT(j, row_extent_));
    }
  }
  return {b_.CreateGEP(element(), start_, offset), inside};
}

}  // namespace sinter::llvm_codegen
