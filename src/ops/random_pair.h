// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "src/graph/attributes.h"
#include "src/ops/random_op.h"

namespace sinter::ops {

/// The two numbers of a random op, bounds or moments, of which a call gives both or none: then they are 0 and 1.
struct NumberPair {
  bool given = false;
  graph::Scalar first{graph::Number::of(0), -1, {}, false}, second{graph::Number::of(1), -1, {}, false};

  explicit NumberPair(graph::AttributeReader& attributes);
};

/// A literal in the compute type that T stands for, as the graph has it.
template <class T>
T literal_as(const graph::Scalar& s) {
  return static_cast<T>(scalar::as_double(graph::constant_of(s.literal, dtype_of<T>())));
}

/// Calls of such an op: without numbers, with them, and with the shape and, unless given, the dtype of `x`. `function`
/// is what messages call it.
Tensor draw(const graph::OpDef& op, std::string_view function, const Dims& shape, DType dtype, Device device,
            SourceLine line);
Tensor draw_between(const graph::OpDef& op, std::string_view function, const graph::Number& first,
                    const graph::Number& second, const Dims& shape, DType dtype, Device device, SourceLine line);
Tensor draw_like(const graph::OpDef& op, std::string_view function, Operand& x, std::optional<DType> dtype);

/// Calls without numbers and with each of these pairs.
std::vector<graph::SampleCall> pair_samples(const std::array<std::array<double, 2>, 2>& pairs);

}  // namespace sinter::ops
