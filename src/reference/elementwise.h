// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::reference {

/// NumPy's broadcast of the arrays' shapes; throws CompileError if they do not fit.
Dims broadcast_shape(std::span<const Array> arrays);

/// The element that broadcasting puts at `index`: leading dims are dropped, dims of extent 1 are read at 0.
scalar::Constant broadcast_element(const Array& array, const Dims& index);

/// f of the broadcast elements, each converted to the compute type of `operating`; f's value (of the compute type of
/// `result`) is rounded to `result`. For ops with a definition of their own.
Array map_elements(DType result, DType operating, std::span<const Array> operands,
                   const std::function<scalar::Constant(std::span<const scalar::Constant>)>& f);

/// The reference of ops whose meaning is their scalar arithmetic (OpClass::pointwise): the node's lowering, evaluated
/// by itself for every element with every operand a constant, so that each scalar op is scalar::evaluate and nothing is
/// simplified, shared or reordered. All extents and numbers of the node must be literals.
std::vector<Array> elementwise(const graph::Node& node, std::span<const Array> operands);

}  // namespace sinter::reference
