// SPDX-License-Identifier: Apache-2.0
#include "src/scalar/scalar_ops.h"

#include <array>

namespace sinter::scalar {
namespace {

constexpr ScalarOpInfo table[] = {
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) {#name, arity, ScalarRule::rule, classes, cuda},
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
};

uint8_t classes_of(DType t) {
  if (t.is_boolean()) return B;
  if (t.is_integer()) return I;
  return t == f64 ? F | D : F | S;
}

}  // namespace

const ScalarOpInfo& info(ScalarOp op) { return table[static_cast<size_t>(op)]; }

bool is_platform_function(ScalarOp op) { return info(op).classes == D; }

bool is_approximation(ScalarOp op) { return info(op).classes == S; }

std::optional<ScalarOp> find_scalar_op(std::string_view name) {
  for (int i = 0; i < scalar_op_count; ++i)
    if (table[i].name == name) return static_cast<ScalarOp>(i);
  return std::nullopt;
}

DType compute_type(DType t) {
  if (t.is_boolean() || t == f64) return t;
  if (t.is_floating()) return f32;
  return t.bits() < 32 ? DType(t.kind(), 32) : t;
}

bool is_compute_type(DType t) { return compute_type(t) == t; }

std::optional<DType> result_type(ScalarOp op, std::span<const DType> operands, DType attribute) {
  const ScalarOpInfo& row = info(op);
  if (static_cast<int>(operands.size()) != row.arity) return std::nullopt;
  const bool chooses = row.rule == ScalarRule::select;
  if (chooses && operands[0] != boolean) return std::nullopt;
  const DType t = operands.back();
  if (!is_compute_type(t) || (classes_of(t) & row.classes) == 0) return std::nullopt;
  for (size_t i = chooses ? 1 : 0; i < operands.size(); ++i)
    if (operands[i] != t) return std::nullopt;
  switch (row.rule) {
    case ScalarRule::same:
    case ScalarRule::select:
      return t;
    case ScalarRule::compare:
      return boolean;
    case ScalarRule::convert:
      return compute_type(attribute);
    case ScalarRule::bitcast:
      return is_compute_type(attribute) && !attribute.is_boolean() && attribute.bits() == t.bits()
                 ? std::optional(attribute)
                 : std::nullopt;
    case ScalarRule::round_to:
      return compute_type(attribute) == t ? std::optional(t) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sinter::scalar
