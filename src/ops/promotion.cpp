// SPDX-License-Identifier: Apache-2.0
#include "src/ops/promotion.h"

#include <algorithm>
#include <array>

namespace sinter::ops {
namespace {

/// The unsigned types that PyTorch added last take part in no integer promotion.
bool is_barebones(DType t) { return t.kind() == DType::Kind::unsigned_integer && t.bits() > 8; }

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (a.bits() == b.bits()) return f32;  // f16 with bf16
  return a.bits() > b.bits() ? a : b;
}

std::optional<DType> promote_integers(DType a, DType b) {
  if (is_barebones(a) || is_barebones(b)) return std::nullopt;
  if (a.is_boolean()) return b;
  if (b.is_boolean()) return a;
  if (a.is_signed() == b.is_signed()) return a.bits() > b.bits() ? a : b;
  const DType s = a.is_signed() ? a : b;
  return s.bits() > 8 ? s : i16;  // the other one is u8
}

/// The stronger argument's dtype unless the weaker one is of a higher category.
std::optional<DType> combine(std::optional<DType> stronger, std::optional<DType> weaker) {
  if (!stronger) return weaker;
  if (!weaker || stronger->is_floating()) return stronger;
  if (stronger->is_boolean() || weaker->is_floating()) return promote(*stronger, *weaker);
  return stronger;
}

}  // namespace

std::optional<DType> promote(DType a, DType b) {
  if (a == b) return a;
  if (a.is_floating() && b.is_floating()) return promote_floats(a, b);
  if (a.is_floating()) return a;
  if (b.is_floating()) return b;
  return promote_integers(a, b);
}

std::optional<DType> result_type(std::span<const ArgumentType> arguments) {
  std::array<std::optional<DType>, 3> by_weight;
  for (const ArgumentType& a : arguments) {
    std::optional<DType>& slot = by_weight[static_cast<size_t>(a.weight)];
    if (!slot) {
      slot = a.dtype;
      continue;
    }
    slot = promote(*slot, a.dtype);
    if (!slot) return std::nullopt;
  }
  const auto& [numbers, zero_dims, dimensioned] = by_weight;
  const auto scalars = combine(zero_dims, numbers);
  if (!scalars && (zero_dims || numbers)) return std::nullopt;
  return combine(dimensioned, scalars);
}

DType number_dtype(graph::Number::Kind kind) {
  switch (kind) {
    case graph::Number::Kind::boolean:
      return boolean;
    case graph::Number::Kind::integer:
      return i64;
    default:
      return f32;
  }
}

}  // namespace sinter::ops
