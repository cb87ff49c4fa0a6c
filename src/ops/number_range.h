// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <string_view>

#include "src/graph/registry.h"

namespace sinter::ops {

/// Does a value of dtype `dtype` hold the number, its fraction aside? Floating dtypes hold NaN, infinities, and what is
/// not beyond their largest value; boolean holds every number.
bool fits(const graph::Number& number, DType dtype);

/// Fails for a literal that does not fit, as PyTorch does where a number fills a tensor of given dtype.
void check_fits(const graph::InferContext& context, const graph::Scalar& number, DType dtype);

/// The same before a call is recorded: whatever the number, also once it is promoted.
void check_fits(std::string_view op, const graph::Number& number, DType dtype, SourceLine line);

/// Throws UserError if a tensor was given where the op takes a number only.
void require_number(const Operand& operand, std::string_view op);

}  // namespace sinter::ops
