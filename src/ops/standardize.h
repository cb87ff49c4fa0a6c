// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include "src/ops/compose.h"
#include "src/reference/array.h"

// What layers that normalise by statistics of their input share: a weight and a bias that may be absent, and
// (x - mean) * rsqrt(var + eps).

namespace sinter::ops {

/// Attributes of an op whose operands are x, then a weight and a bias, each where its flag says so.
graph::CallAttributes affine_attributes(const Tensor& weight, const Tensor& bias);
std::vector<graph::Param> affine_params();

/// Operands of x, weight and bias; -1 where there is none.
struct Affine {
  int weight = -1, bias = -1;
};
/// The first two attributes.
Affine read_affine(graph::AttributeReader& attributes);
/// How many operands a call with them has.
inline size_t operands_of(const Affine& a) { return 1 + (a.weight >= 0 ? 1 : 0) + (a.bias >= 0 ? 1 : 0); }

/// A call of an op with these attributes, `attributes` begun by affine_attributes().
Tensor dispatch_affine(const graph::OpDef& op, Operand& x, const Tensor& weight, const Tensor& bias,
                       const graph::CallAttributes& attributes);

/// (x - mean) * rsqrt(mean((x - mean)^2) + eps) over dims, x of a compute type.
graph::Value standardized(Composer& c, graph::Value x, const Dims& dims, const graph::Scalar& eps);
reference::Array standardized(const reference::Array& x, const Dims& dims, double eps);

/// x * weight + bias; parameters are given the shape that broadcasts over x.
graph::Value affine(Composer& c, graph::Value x, const graph::Node& node, const Affine& a,
                    std::span<const graph::Expr> parameter_shape);
reference::Array affine(const reference::Array& x, std::span<const reference::Array> operands, const Affine& a,
                        const Dims& parameter_shape);

}  // namespace sinter::ops
