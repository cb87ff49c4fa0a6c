// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/scalar_info.h"

#include <algorithm>
#include <numeric>

namespace sinter::tile {
namespace {

constexpr int64_t any = int64_t{1} << 62;

int64_t divisor_of(int64_t literal) { return literal == 0 ? any : std::abs(literal); }

int64_t multiplied(int64_t a, int64_t b) {
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
      // The induction variable is a multiple of what divides both its start and its step.
      if (in.op == Op::for_loop)
        facts_[static_cast<size_t>(r.arguments[0])].divisor =
            std::gcd(divisor({in.operands[0], 0}), divisor({in.operands[2], 0}));
      visit(kernel, r);
    }
    if (in.results.size() != 1 || in.type.is_tile || in.type.dtype != i64) continue;
    Fact& f = facts_[static_cast<size_t>(in.results[0])];
    if (in.op == Op::constant) {
      f = {static_cast<int64_t>(in.bits), divisor_of(static_cast<int64_t>(in.bits))};
    } else if (in.op == Op::parameter) {
      f.divisor = std::max<int64_t>(1, kernel.parameters[static_cast<size_t>(in.index)].divisibility);
    } else if (in.op == Op::scalar && in.operands.size() == 2) {
      const int64_t a = divisor({in.operands[0], 0}), b = divisor({in.operands[1], 0});
      if (in.scalar == ScalarOp::mul) f.divisor = multiplied(a, b);
      if (in.scalar == ScalarOp::add || in.scalar == ScalarOp::sub || in.scalar == ScalarOp::min ||
          in.scalar == ScalarOp::max)
        f.divisor = std::gcd(a, b);
    }
  }
}

std::optional<int64_t> ScalarInfo::literal(const IndexOperand& o) const {
  return o.is_literal() ? std::optional<int64_t>(o.literal) : facts_[static_cast<size_t>(o.value)].literal;
}

int64_t ScalarInfo::divisor(const IndexOperand& o) const {
  return o.is_literal() ? divisor_of(o.literal) : facts_[static_cast<size_t>(o.value)].divisor;
}

}  // namespace sinter::tile
