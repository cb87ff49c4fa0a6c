// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/graph/registry.h"

namespace sinter::ops {

/// What a library does to the elements of a product, in its accumulator, before it rounds them.
enum class Epilogue : uint8_t { none, relu, gelu_tanh };

// The call op that every matrix product becomes:
//
//   gemm(a [batch..., i, k], b [batch..., k, j], bias [j]?) epilogue, dtype
//
// Batches broadcast. Products and sums are of the compute type of the operands' dtype (i64 for integers); the bias is
// added, the epilogue applied, and the result rounded to `dtype` once: the operands' dtype or its compute type.
graph::Attributes gemm_attributes(Epilogue epilogue, DType dtype);

/// Adds a gemm without epilogue to a graph.
graph::Value add_gemm(graph::Graph& g, graph::Value a, graph::Value b, std::optional<graph::Value> bias, DType dtype,
                      SourceLine line);

/// The shape of a product where 1-d arguments are a row on the left and a column on the right, without that dim in the
/// result. Fails in words if they do not fit.
std::vector<graph::Expr> product_shape(graph::InferContext& context, const graph::ValueType& a,
                                       const graph::ValueType& b);
/// Fails unless all operands have one dtype that products take.
void require_one_dtype(graph::InferContext& context);

/// One node with literal attributes.
graph::Value add_op(graph::Graph& g, std::string_view op, std::vector<graph::Value> operands,
                    const graph::CallAttributes& attributes, SourceLine line);
/// v in another dtype; v itself if it has that dtype.
graph::Value add_conversion(graph::Graph& g, graph::Value v, DType dtype, SourceLine line);

}  // namespace sinter::ops
