// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "runtime/exec/plan.h"
#include "src/graph/expr.h"

namespace sinter::compiler {

/// What a symbol of an expression is where the code runs: a symbol of another number, or a literal.
using SymbolCode = std::function<exec::HostInstruction(int32_t symbol)>;

/// Appends the postfix code of an expression; a constant needs none.
exec::HostExpr write_host_code(std::vector<exec::HostInstruction>& code, graph::Expr e, const SymbolCode& symbol);

}  // namespace sinter::compiler
