// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/graph/graph.h"
#include "src/reference/array.h"

namespace sinter::test {

inline constexpr int64_t fold_sizes[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 1000, 1024, 1025};

/// A function that folds `length` elements of each of `others` rows, which lie along the last dim, or along the first
/// (`columns`): its shape is then [length, others].
struct Fold {
  std::string name;
  std::string body;  ///< graph text after the inputs: {x} and {y} are the shapes of the operand and of a row's result,
                     ///< {r} the one of rows, {n} the length, {d} the dim
  bool of_nothing = true;                   ///< is it defined for rows without elements?
  bool takes_target = false;                ///< a second input: an index for each row
  bool approximate = false;                 ///< a GPU has bits of its own
  bool only_approximations_differ = false;  ///< from another one that a GPU approximates
};
std::span<const Fold> folds();

/// Extents as text: numbers, or symbols s0 and s1, which `others` and `length` are then.
struct FoldExtents {
  std::string others, length;
};
graph::Graph graph_of(const Fold& fold, bool columns, const FoldExtents& extents);

/// Rows of data whose sums depend on their order, with ties; some hold NaN, infinities, -inf alone. Row r is row
/// r % `fold_rows`, so the results of any number of rows are known from those of `fold_rows`.
inline constexpr int64_t fold_rows = 129;
reference::Array fold_data(int64_t others, int64_t length, bool columns);
reference::Array fold_targets(int64_t others, int64_t length);

/// Empty, or where `got`, results of `others` rows, differ from `expected`, those of `fold_rows`. `row_dim`: the dim
/// along which rows lie. Any NaN equals any NaN.
std::string row_difference(const reference::Array& expected, const reference::Array& got, int row_dim);

}  // namespace sinter::test
