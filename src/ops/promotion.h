// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <optional>
#include <span>

#include "src/graph/attributes.h"

namespace sinter::ops {

/// How much say an argument has in promotion: the dtype of a tensor with dimensions beats that of a 0-d tensor, which
/// beats a number, unless the weaker one is of a higher category (boolean < integer < floating).
enum class Weight : uint8_t { number, zero_dim, dimensioned };

struct ArgumentType {
  DType dtype;
  Weight weight;
};

/// PyTorch's promote_types; nullopt where it refuses: u16, u32 and u64 mix with floats alone.
std::optional<DType> promote(DType a, DType b);

/// PyTorch's result_type; nullopt where it refuses.
std::optional<DType> result_type(std::span<const ArgumentType> arguments);

/// The dtype a number stands for: boolean, i64 or f32.
DType number_dtype(graph::Number::Kind kind);

/// Integers and boolean become f32, floats stay: the result of div, exp and the like.
constexpr DType floating_result(DType t) { return t.is_floating() ? t : f32; }

}  // namespace sinter::ops
