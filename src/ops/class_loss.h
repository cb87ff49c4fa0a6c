// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/loss.h"

// Losses of class indices: type rules, decompositions and references. Operands are x [C] or [N, C, ...], the target
// and, where a flag says so, a weight for each class.

namespace sinter::ops {

struct ClassAttributes {
  Reduction reduction;
  bool weighted;
  const graph::Scalar& ignored;
  bool smooth = false;
  const graph::Scalar *kept = nullptr, *spread = nullptr;  ///< of a class's probability, the latter over all classes
};
/// nll_loss has the first three.
ClassAttributes read_class_attributes(graph::AttributeReader attributes, bool entropy);

inline size_t class_dim(size_t rank) { return rank == 1 ? 0 : 1; }

std::vector<graph::ValueType> infer_nll(graph::InferContext& context);
std::vector<graph::ValueType> infer_cross_entropy(graph::InferContext& context);
std::vector<graph::Value> decompose_nll(graph::Graph& g, const graph::Node& node);
std::vector<graph::Value> decompose_cross_entropy(graph::Graph& g, const graph::Node& node);
std::vector<reference::Array> reference_nll(const graph::Node& node, std::span<const reference::Array> operands);
std::vector<reference::Array> reference_cross_entropy(const graph::Node& node,
                                                      std::span<const reference::Array> operands);

}  // namespace sinter::ops
