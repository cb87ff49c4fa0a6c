// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "src/loop/body.h"

namespace sinter::loop {

/// The expression of an index value, or a literal; nothing for values that are not indices.
std::optional<Expr> index_of(const Body& body, ValueId value);

/// An expression that is at least 0 exactly where the comparison (lt or le of indices) holds; nothing for other
/// instructions. Index values never wrap.
std::optional<Expr> slack_of(const Body& body, const Instruction& comparison);

}  // namespace sinter::loop
