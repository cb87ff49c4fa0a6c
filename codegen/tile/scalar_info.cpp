// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/scalar_info.h"

#include <algorithm>
#include <numeric>

namespace sinter::tile_ir {
namespace {

constexpr int64_t any = int64_t{1} << 62;

int64_t divisor_of(int64_t literal) { return literal == 0 ? any : std::abs(literal); }

int64_t product_of_divisors(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? any : r;
}

}  // namespace

ScalarInfo::ScalarInfo(const Kernel& kernel) : facts_(static_cast<size_t>(kernel.value_count)) {
  visit(kernel, kernel.body);
}

void ScalarInfo::visit(const Kernel& kernel, const Region& region) {
  for (const Instruction& in : region.body) {
    for (const Region& r : in.regions) {
      if (in.op == Op::for_loop) {
        // The induction variable is a multiple of what divides both its start and its step. It only grows: a loop whose
        // step is not positive does not end.
        Fact& i = facts_[static_cast<size_t>(r.arguments[0])];
        i.divisor = std::gcd(divisor({in.operands[0], 0}), divisor({in.operands[2], 0}));
        i.non_negative = non_negative({in.operands[0], 0});
      }
      visit(kernel, r);
    }
    if (in.results.size() != 1 || in.type.is_tile || in.type.dtype != i64) continue;
    Fact& f = facts_[static_cast<size_t>(in.results[0])];
    if (in.op == Op::constant) {
      const auto v = static_cast<int64_t>(in.bits);
      f = {v, divisor_of(v), v >= 0};
    } else if (in.op == Op::program_id || in.op == Op::ticket) {
      f.non_negative = true;
    } else if (in.op == Op::parameter) {
      f.divisor = std::max<int64_t>(1, kernel.parameters[static_cast<size_t>(in.index)].divisibility);
    } else if (in.op == Op::scalar && in.operands.size() == 2) {
      binary(in);
    }
  }
}

/// Addresses are computed without overflow.
void ScalarInfo::binary(const Instruction& in) {
  const IndexOperand x{in.operands[0], 0}, y{in.operands[1], 0};
  Fact& f = facts_[static_cast<size_t>(in.results[0])];
  const bool both = non_negative(x) && non_negative(y);
  switch (in.scalar) {
    case ScalarOp::mul:
      f.divisor = product_of_divisors(divisor(x), divisor(y));
      f.non_negative = both;
      break;
    case ScalarOp::add:
    case ScalarOp::min:
      f.divisor = std::gcd(divisor(x), divisor(y));
      f.non_negative = both;
      break;
    case ScalarOp::sub:
      f.divisor = std::gcd(divisor(x), divisor(y));
      break;
    case ScalarOp::max:
      f.divisor = std::gcd(divisor(x), divisor(y));
      f.non_negative = non_negative(x) || non_negative(y);
      break;
    case ScalarOp::irem:  // the sign of x, and x itself for y = 0
      f.divisor = std::gcd(divisor(x), divisor(y));
      f.non_negative = non_negative(x);
      break;
    case ScalarOp::idiv: {  // -1 for y = 0
      const auto by = literal(y);
      f.non_negative = non_negative(x) && by && *by > 0;
      break;
    }
    default:
      break;
  }
}

std::optional<int64_t> ScalarInfo::literal(const IndexOperand& o) const {
  return o.is_literal() ? std::optional<int64_t>(o.literal) : facts_[static_cast<size_t>(o.value)].literal;
}

int64_t ScalarInfo::divisor(const IndexOperand& o) const {
  return o.is_literal() ? divisor_of(o.literal) : facts_[static_cast<size_t>(o.value)].divisor;
}

bool ScalarInfo::non_negative(const IndexOperand& o) const {
  return o.is_literal() ? o.literal >= 0 : facts_[static_cast<size_t>(o.value)].non_negative;
}

}  // namespace sinter::tile_ir
