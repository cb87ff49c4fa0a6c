// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "codegen/llvm/kernel_frame.h"
#include "codegen/llvm/lane_coordinates.h"

namespace sinter::llvm_codegen {

/// A strided box in LLVM values: where its elements are and which of them are out of bounds.
class Box {
 public:
  using Lookup = std::function<llvm::Value*(tile_ir::ValueId)>;

  /// Emits the operands of `access` (a parameter's pointer and a tile of the shape of `type`).
  Box(Builder& b, KernelFrame& frame, int pointer, const tile_ir::Access& access, const tile_ir::Type& type,
      const Lookup& lookup);

  /// i1: no element of the tile is out of bounds.
  llvm::Value* whole_inside() const;

  /// The box with its dims in another order.
  Box permuted(const std::vector<int>& order) const;

  int pointer() const { return pointer_; }
  const tile_ir::Type& type() const { return type_; }
  int chunk_lanes() const;
  int chunks() const { return static_cast<int>(type_.part_elements()) / chunk_lanes(); }
  llvm::Type* element_type() const;

  /// The position of a chunk, or of lane `lane` of a part, known while compiling.
  Position chunk(int part, int chunk) const { return element(part, chunk * chunk_lanes()); }
  Position element(int part, int lane) const {
    return {b_.getInt64(static_cast<uint64_t>(part)), b_.getInt64(static_cast<uint64_t>(lane))};
  }

  /// Address of the element at a position.
  llvm::Value* address(const Position& at) const;
  /// Addresses of `lanes` lanes from a position on, a vector of pointers.
  llvm::Value* addresses(const Position& at, int lanes) const;
  /// i1 by lane: in bounds.
  llvm::Value* mask(const Position& at, int lanes) const;

 private:
  struct Dim {
    llvm::Value *origin, *stride, *extent;  ///< i64; extent is nullptr where not masked
  };
  Dim dim(const tile_ir::AccessDim& d) const;
  llvm::Value* index(const tile_ir::IndexOperand& x) const;
  llvm::Value* bounded(llvm::Value* from, int64_t span, llvm::Value* extent) const;
  llvm::Value* part_address(llvm::Value* part) const;
  llvm::Value* along_in_bounds(int dim, const Dim& bounds, const Position& at, int lanes) const;
  llvm::Value* row_in_bounds(const Position& at, int lanes) const;

  Builder& b_;
  KernelFrame& frame_;
  const Lookup* lookup_ = nullptr;
  int pointer_;
  tile_ir::Type type_;
  llvm::Value* start_;  ///< pointer to coordinate 0 of every dim and part
  Dim parts_;
  std::vector<Dim> dims_;
  llvm::Value* row_extent_ = nullptr;
  size_t row_dim_ = 0;  ///< the dim that a masked row consists of with the parts: the access's last one
};

}  // namespace sinter::llvm_codegen
