// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sinter::scalar {

/// The scalar ops of scalar_ops.def.
enum class ScalarOp : uint8_t {
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) name,
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
};

inline constexpr int scalar_op_count = 0
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) +1
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
    ;

/// How the result type follows from the operands.
enum class ScalarRule : uint8_t {
  same,      ///< all operands and the result have one type
  compare,   ///< operands have one type, the result is boolean
  select,    ///< (boolean, T, T) -> T
  convert,   ///< T -> compute_type(dtype attribute)
  bitcast,   ///< T -> dtype attribute of the same width
  round_to,  ///< T -> T; the dtype attribute is a storage dtype whose compute type is T
};

/// Sets of compute types.
enum ScalarClass : uint8_t { F = 1, I = 2, B = 4, D = 8, S = 16 };

struct ScalarOpInfo {
  std::string_view name;
  int arity;
  ScalarRule rule;
  uint8_t classes;
  std::string_view cuda;
};

const ScalarOpInfo& info(ScalarOp op);
/// Is the op one of the platform's f64 functions? Their results may differ between platforms in the last places.
bool is_platform_function(ScalarOp op);
/// Is the op a hardware approximation? Their results differ between devices, within documented bounds.
bool is_approximation(ScalarOp op);
std::optional<ScalarOp> find_scalar_op(std::string_view name);

/// The type in which values of a storage dtype are computed: boolean, i32, u32, i64, u64, f32 or f64.
DType compute_type(DType storage);
bool is_compute_type(DType t);
/// Result type, or nullopt if the operand types (or the dtype attribute) are refused.
std::optional<DType> result_type(ScalarOp op, std::span<const DType> operands, DType attribute);

/// A typed constant: the bits of a compute type, zero extended to 64.
struct Constant {
  DType dtype;
  uint64_t bits = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
Constant constant_f32(float v);
Constant constant_f64(double v);
/// The integer v as a constant of compute type t: integers wrap, floats round once, boolean is v != 0.
Constant constant_int(DType t, int64_t v);
Constant constant_bool(bool v);
/// The number v as a constant of compute type t, by the convert rule. Integers beyond 2^53 need constant_int.
Constant constant_of(DType t, double v);
double as_double(const Constant& c);
int64_t as_int(const Constant& c);

/// The reference meaning of every scalar op; throws CompileError where result_type would refuse.
Constant evaluate(ScalarOp op, std::span<const Constant> operands, DType attribute = f32);

/// Reads one element of a storage dtype into its compute type, and back (the value must be representable).
Constant load_element(const void* p, DType storage);
void store_element(void* p, DType storage, const Constant& value);

}  // namespace sinter::scalar
