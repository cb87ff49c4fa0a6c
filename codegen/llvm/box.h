// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "codegen/llvm/kernel_frame.h"

namespace sinter::llvm_codegen {

/// A strided box in LLVM values: where its elements are and which of them are out of bounds.
class Box {
 public:
  using Lookup = std::function<llvm::Value*(tile::ValueId)>;

  /// Emits the operands of `access` (a parameter's pointer and a tile of the shape of `type`).
  Box(Builder& b, KernelFrame& frame, int pointer, const tile::Access& access, const tile::Type& type,
      const Lookup& lookup);

  /// i1: no element of the tile is out of bounds.
  llvm::Value* whole_inside() const;

  /// The box with its dims in another order.
  Box permuted(const std::vector<int>& order) const;

  int pointer() const { return pointer_; }
  const tile::Type& type() const { return type_; }
  int chunk_lanes() const;
  int chunks() const { return static_cast<int>(type_.part_elements()) / chunk_lanes(); }
  llvm::Type* element() const;

  /// Address of the element of `part` at lane number `lane` of the part.
  llvm::Value* address(int part, int lane) const;
  /// Addresses of the lanes of one chunk, a vector of pointers.
  llvm::Value* addresses(int part, int chunk) const;
  /// i1 by lane of one chunk: in bounds.
  llvm::Value* mask(int part, int chunk) const;

  /// One element whose number (part * elements of a part + lane) is known at run time only.
  struct Element {
    llvm::Value *address, *inside;  ///< inside: i1
  };
  Element element_at(llvm::Value* number) const;

 private:
  struct Dim {
    llvm::Value *origin, *stride, *extent;  ///< i64; extent is nullptr where not masked
  };
  Dim dim(const tile::AccessDim& d) const;
  llvm::Value* index(const tile::IndexOperand& x) const;
  std::vector<int64_t> coordinates(int dim, int first_lane, int lanes) const;
  llvm::Value* bounded(llvm::Value* from, int64_t span, llvm::Value* extent) const;
  llvm::Value* lane_in_bounds(const Dim& d, const std::vector<int64_t>& coordinates) const;
  llvm::Value* row_in_bounds(int part, int chunk) const;

  Builder& b_;
  KernelFrame& frame_;
  const Lookup* lookup_ = nullptr;
  int pointer_;
  tile::Type type_;
  llvm::Value* start_;  ///< pointer to coordinate 0 of every dim and part
  Dim parts_;
  std::vector<Dim> dims_;
  llvm::Value* row_extent_ = nullptr;
};

}  // namespace sinter::llvm_codegen
