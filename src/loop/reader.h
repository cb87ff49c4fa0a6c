// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::loop {

/// What one point of an accumulation folds into the result (graph::OpClass::accumulation).
struct Contribution {
  ReduceKind fold;
  std::vector<Expr> index;  ///< in the result
  Value value;
};

/// What an op's lowering sees: its node, and reads of its operands at any index. A read of an inlined producer expands
/// that producer's lowering at the index; a read of a materialised one is a load.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual Builder& builder() = 0;
  virtual const graph::Node& node() const = 0;
  virtual const graph::ValueType& operand_type(size_t operand) const = 0;
  const graph::ValueType& result_type() const { return node().results[0]; }
  size_t operand_count() const { return node().operands.size(); }
  graph::AttributeReader attributes() const { return graph::AttributeReader(node().attributes); }

  /// The operand's element at `index` (which must be in bounds), in the compute type of the operand's dtype.
  virtual Value read(size_t operand, std::span<const Expr> index) = 0;
  /// The same where `mask` (boolean) holds, else `fill`; index may be out of bounds where the mask is false.
  virtual Value read_masked(size_t operand, std::span<const Expr> index, Value mask, Value fill) = 0;
  /// A number attribute as a value of compute type `type` (a literal, or a promoted run-time number: same bits).
  virtual Value number(const graph::Scalar& number, DType type) = 0;
  /// Broadcast read: drops leading dims and uses index 0 in dims of extent 1, as NumPy does. The interpreter has its
  /// own.
  virtual Value read_broadcast(size_t operand, std::span<const Expr> index);
};

}  // namespace sinter::loop
