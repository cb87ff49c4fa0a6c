// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>
#include <array>

#include "runtime/exec/executable.h"

namespace sinter::exec {
namespace {

constexpr size_t max_depth = 64;

/// Plans may come from a file: arithmetic wraps instead of being undefined.
int64_t wrap(uint64_t v) { return static_cast<int64_t>(v); }
uint64_t word(int64_t v) { return static_cast<uint64_t>(v); }

int64_t floordiv(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return wrap(0 - word(a));  // INT64_MIN / -1 traps
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t apply(HostOp op, int64_t a, int64_t b) {
  switch (op) {
    case HostOp::add:
      return wrap(word(a) + word(b));
    case HostOp::mul:
      return wrap(word(a) * word(b));
    case HostOp::min:
      return std::min(a, b);
    case HostOp::max:
      return std::max(a, b);
    case HostOp::doubled:  // the least of b, 2b, 4b, ... that is not below a
      while (b > 0 && b < a && b <= INT64_MAX / 2) b *= 2;
      return b;
    case HostOp::floordiv:
      return floordiv(a, b);
    case HostOp::mod:
      return b == 0 ? 0 : wrap(word(a) - word(b) * word(floordiv(a, b)));
    case HostOp::ceildiv:
      return wrap(0 - word(floordiv(wrap(0 - word(a)), b)));
    case HostOp::push:
    case HostOp::symbol:
      break;
  }
  return 0;
}

}  // namespace

int64_t evaluate(std::span<const HostInstruction> code, const HostExpr& e, std::span<const int64_t> symbols) {
  if (e.length == 0) return e.literal;
  std::array<int64_t, max_depth> stack;
  size_t depth = 0;
  for (int32_t i = e.begin; i < e.begin + e.length; ++i) {
    const HostInstruction& in = code[static_cast<size_t>(i)];
    if (in.op == HostOp::push || in.op == HostOp::symbol) {
      if (depth == max_depth) throw CompileError("internal: host expression too deep");
      if (in.op == HostOp::symbol && static_cast<size_t>(in.operand) >= symbols.size())
        throw CompileError("internal: a host expression names a symbol that the call does not have");
      stack[depth++] = in.op == HostOp::push ? in.operand : symbols[static_cast<size_t>(in.operand)];
      continue;
    }
    if (depth < 2) throw CompileError("internal: malformed host expression");
    --depth;
    stack[depth - 1] = apply(in.op, stack[depth - 1], stack[depth]);
  }
  if (depth != 1) throw CompileError("internal: malformed host expression");
  return stack[0];
}

}  // namespace sinter::exec
