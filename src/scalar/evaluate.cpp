// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "src/scalar/reference.h"

namespace sinter::scalar {
namespace {

/// Does the compute type stored as T belong to the classes of a row?
template <class T>
constexpr bool accepts(int classes) {
  if (std::is_same_v<T, bool>) return (classes & B) != 0;
  if (std::is_integral_v<T>) return (classes & I) != 0;
  return (classes & (F | (std::is_same_v<T, double> ? D : S))) != 0;
}

template <class T>
T value(const Constant& c) {
  return from_constant<T>(c);
}

// Every row is called for every compute type that it accepts, so a row without its function in Reference, or without
// one for an accepted type, does not compile.
#define SINTER_CALL_1(name, v) to_constant(Reference::name(value<T>(v[0])))
#define SINTER_CALL_2(name, v) to_constant(Reference::name(value<T>(v[0]), value<T>(v[1])))
#define SINTER_CALL_3(name, v) to_constant(Reference::name(value<T>(v[0]), value<T>(v[1]), value<T>(v[2])))
#define SINTER_RULE_same(name, arity) SINTER_CALL_##arity(name, v)
#define SINTER_RULE_compare(name, arity) SINTER_CALL_##arity(name, v)
#define SINTER_RULE_select(name, arity) to_constant(Reference::name(value<bool>(v[0]), value<T>(v[1]), value<T>(v[2])))
#define SINTER_RULE_convert(name, arity) Reference::name(v[0], attribute)
#define SINTER_RULE_bitcast(name, arity) Reference::name(v[0], attribute)
#define SINTER_RULE_round_to(name, arity) Reference::name(v[0], attribute)

template <class T>
Constant evaluate_as(ScalarOp op, std::span<const Constant> v, DType attribute) {
  switch (op) {
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda)                     \
  case ScalarOp::name:                                                         \
    if constexpr (accepts<T>(classes)) return SINTER_RULE_##rule(name, arity); \
    break;
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
  }
  throw CompileError(fmt::format("internal: {} does not take {}", info(op).name, v.back().dtype.name()));
}

}  // namespace

Constant evaluate(ScalarOp op, std::span<const Constant> operands, DType attribute) {
  std::array<DType, 3> types;
  const size_t n = std::min(operands.size(), types.size());
  for (size_t i = 0; i < n; ++i) types[i] = operands[i].dtype;
  if (n != operands.size() || !result_type(op, {types.data(), n}, attribute))
    throw CompileError(fmt::format("internal: {} does not take these operands", info(op).name));
  return with_native(operands.back().dtype, [&]<class T>(T) { return evaluate_as<T>(op, operands, attribute); });
}

}  // namespace sinter::scalar
