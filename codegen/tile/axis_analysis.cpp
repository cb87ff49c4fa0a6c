// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/axis_analysis.h"

#include <algorithm>

#include "codegen/tile/memory_access.h"

namespace sinter::tile_ir {
namespace {

AxisInfo nothing_of(const Type& t) { return AxisInfo::unknown(t.is_tile ? tile_shape(t) : TileShape{}); }

/// All elements are equal; nothing else is known.
AxisInfo equal_of(const Type& t) { return AxisInfo::splat(t.is_tile ? tile_shape(t) : TileShape{}, 1); }

/// Where all operands are equal, so is what is computed of them.
AxisInfo where_equal(const AxisInfo& a, const AxisInfo& b) {
  AxisInfo result = a;
  result.constant.reset();
  for (size_t d = 0; d < max_tile_dims; ++d) {
    result.contiguity[d] = result.divisibility[d] = 1;
    result.constancy[d] = std::min(a.constancy[d], b.constancy[d]);
  }
  return result;
}

}  // namespace

AxisAnalysis::AxisAnalysis(const Kernel& kernel, const std::vector<Type>& types) : types_(types) {
  for (const Type& t : types) facts_.push_back(nothing_of(t));
  visit(kernel, kernel.body);
}

void AxisAnalysis::visit(const Kernel& kernel, const Region& region) {
  for (const Instruction& in : region.body) {
    for (const Region& r : in.regions) visit(kernel, r);
    if (in.results.size() == 1 && in.regions.empty()) facts_[static_cast<size_t>(in.results[0])] = result(kernel, in);
  }
}

AxisInfo AxisAnalysis::result(const Kernel& kernel, const Instruction& in) const {
  const Type& t = types_[static_cast<size_t>(in.results[0])];
  switch (in.op) {
    case Op::constant:
      return t.dtype.is_integer() && t.dtype.bits() == 64
                 ? AxisInfo::splat_constant(t.is_tile ? tile_shape(t) : TileShape{}, static_cast<int64_t>(in.bits))
             : t.dtype == i32 ? AxisInfo::splat_constant(t.is_tile ? tile_shape(t) : TileShape{},
                                                         static_cast<int32_t>(static_cast<uint32_t>(in.bits)))
                              : equal_of(t);
    case Op::parameter:
      return AxisInfo::splat(TileShape{},
                             std::max<int64_t>(1, kernel.parameters[static_cast<size_t>(in.index)].divisibility));
    case Op::iota:
      return in.dim == parts_dim ? equal_of(t) : AxisInfo::iota(tile_shape(t), in.dim);
    case Op::broadcast:
      return tile_ir::broadcast(of(in.operands[0]), tile_shape(t));
    case Op::trans: {
      std::array<int, max_tile_dims> order{};
      std::ranges::copy(in.perm, order.begin());
      return transpose(of(in.operands[0]), {order.data(), static_cast<size_t>(t.rank)});
    }
    case Op::convert_layout:
      return of(in.operands[0]);
    case Op::scalar:
      return scalar(in);
    default:
      return nothing_of(t);
  }
}

AxisInfo AxisAnalysis::scalar(const Instruction& in) const {
  const AxisInfo& a = of(in.operands[0]);
  const AxisInfo& b = of(in.operands[in.operands.size() > 1 ? 1 : 0]);
  const DType from = types_[static_cast<size_t>(in.operands[0])].dtype;
  // What two constants make may wrap, so it only counts as one value.
  const bool integers = from.is_integer() && !(a.constant && b.constant);
  AxisInfo otherwise = where_equal(a, b);
  if (in.operands.size() == 3) otherwise = where_equal(otherwise, of(in.operands[2]));
  switch (in.scalar) {
    case ScalarOp::add:
      return integers ? add(a, b) : otherwise;
    case ScalarOp::sub:
      return integers ? sub(a, b) : otherwise;
    case ScalarOp::mul:
      return integers ? mul(a, b) : otherwise;
    case ScalarOp::select: {
      AxisInfo condition = a;
      condition.constant.reset();
      return in.type.dtype.is_integer() ? select(condition, b, of(in.operands[2])) : otherwise;
    }
    case ScalarOp::lt:
      return integers ? less(a, b) : otherwise;
    case ScalarOp::le:
      return integers ? less_equal(a, b) : otherwise;
    case ScalarOp::convert: {
      const DType to = in.type.dtype;
      if (!from.is_integer() || !to.is_integer()) return otherwise;
      if (to.bits() >= from.bits()) return a;
      AxisInfo narrow = otherwise;
      for (size_t d = 0; d < max_tile_dims; ++d)
        if (a.contiguity[d] == 1) narrow.divisibility[d] = std::min(a.divisibility[d], int64_t{1} << 31);
      return narrow;
    }
    default:
      return otherwise;
  }
}

int64_t gathered_together(const AxisAnalysis& facts, const Instruction& gather, int dim, int64_t most) {
  const AxisInfo& offset = facts.of(gather.operands[0]);
  const auto d = static_cast<size_t>(dim);
  int64_t n = std::min({most, offset.contiguity[d]});
  for (size_t k = 1; k < gather.operands.size(); ++k)  // mask and fill
    if (const AxisInfo& info = facts.of(gather.operands[k]); info.rank > 0) n = std::min(n, info.constancy[d]);
  while (n > 1 && offset.divisibility_at(dim, n) % n != 0) n /= 2;
  return n;
}

}  // namespace sinter::tile_ir
