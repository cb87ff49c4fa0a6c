// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/loss.h"

namespace sinter::ops {

/// Everything that distinguishes one loss of elements from another; the definition follows from it. Operands broadcast
/// and promote; the arithmetic is in the compute type of their common dtype.
struct ElementLoss {
  std::string_view name, doc;
  int most_operands = 2;
  /// How many a call has, from the attributes behind the reduction; nullptr: two.
  size_t (*operands)(graph::AttributeReader rest) = nullptr;
  std::vector<graph::Param> params = {};  ///< beyond the reduction, which comes first
  bool has_batch_mean = false;
  graph::Value (*compose)(Composer&, std::span<const graph::Value>, graph::AttributeReader) = nullptr;
  /// The same on plain numbers.
  float (*of_floats)(std::span<const float>, graph::AttributeReader) = nullptr;
  double (*of_doubles)(std::span<const double>, graph::AttributeReader) = nullptr;
  /// Forms of `params` that samples run through, with how many operands each takes.
  std::vector<std::pair<graph::CallAttributes, int>> forms = {{{}, 2}};
  double low = -3, high = 3;
};

void register_element_loss(const ElementLoss& loss);

}  // namespace sinter::ops
