// SPDX-License-Identifier: Apache-2.0
#include "src/ops/number_range.h"

#include <fmt/format.h>

#include <cmath>

#include "src/ops/describe.h"

namespace sinter::ops {

namespace {

/// Finite numbers up to the largest of the dtype; what rounds to it from above is refused too, as in PyTorch.
bool fits_floating(double v, DType dtype) {
  if (dtype == f64 || !std::isfinite(v)) return true;
  return std::abs(v) <= (dtype == f16 ? 65504.0 : dtype == bf16 ? 0x1.fep127 : 0x1.fffffep127);
}

}  // namespace

bool fits(const graph::Number& number, DType dtype) {
  if (dtype.is_floating()) return fits_floating(number.as_double(), dtype);
  if (!dtype.is_integer()) return true;
  const int digits = dtype.bits() - (dtype.is_signed() ? 1 : 0);
  if (number.kind == graph::Number::Kind::floating) {
    const double whole = std::trunc(number.as_double());  // NaN fits nowhere
    return whole >= (dtype.is_signed() ? -std::ldexp(1.0, digits) : 0.0) && whole < std::ldexp(1.0, digits);
  }
  const int64_t v = number.bits;
  if (digits >= 63) return dtype.is_signed() || v >= 0;
  return v < (int64_t{1} << digits) && v >= (dtype.is_signed() ? -(int64_t{1} << digits) : 0);
}

void check_fits(const graph::InferContext& context, const graph::Scalar& number, DType dtype) {
  if (number.symbol >= 0 || fits(number.literal, dtype)) return;
  context.fail(fmt::format("{} does not fit into {}", describe(number), dtype.name()),
               "give a number in the range of the dtype");
}

void check_fits(std::string_view op, const graph::Number& number, DType dtype, SourceLine line) {
  if (fits(number, dtype)) return;
  const std::string text = number.kind == graph::Number::Kind::floating ? fmt::format("{}", number.as_double())
                                                                        : fmt::format("{}", number.bits);
  throw UserError({.op = std::string(op),
                   .what = fmt::format("{} does not fit into {}", text, dtype.name()),
                   .line = line,
                   .context = {},
                   .fix = "give a number in the range of the dtype"});
}

void require_number(const Operand& operand, std::string_view op) {
  if (!operand.is_tensor()) return;
  throw UserError({.op = std::string(op),
                   .what = "expected a number for the value, got a tensor",
                   .line = operand.line(),
                   .context = {},
                   .fix = "read it with item<T>() first, or compose with where()"});
}

}  // namespace sinter::ops
