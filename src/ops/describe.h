// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "src/graph/graph.h"

namespace sinter::ops {

/// "f32 [2,s0,3]", as error messages show operands.
std::string describe(const graph::ValueType& type);

/// "[2,s0,3]"
std::string describe(std::span<const graph::Expr> shape);

/// "3", "0.5", "true"; "a number" if it is only known at run time.
std::string describe(const graph::Scalar& number);

}  // namespace sinter::ops
