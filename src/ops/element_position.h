// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/compose.h"

namespace sinter::ops {

/// Ops that write at indices which are data: whose words the errors of element_position are.
enum class IndexedWrite : uint8_t { scatter, scatter_add, index_copy, index_add, index_put, bincount };
inline constexpr std::string_view indexed_write_names[] = {"scatter",   "scatter_add", "index_copy",
                                                           "index_add", "index_put",   "bincount"};

/// For each element of an index (any integer dtype of 32 or 64 bits) its row-major position in `shape`, of the same
/// rank: that of the element's own index, with the index's value in dim `dim`. Values outside [0, extent) are errors;
/// with `from_end` negative ones count from the end.
graph::Value element_positions(Composer& c, graph::Value index, IndexedWrite write, bool from_end, size_t dim,
                               std::span<const graph::Expr> shape);

/// The checked index as an integer in [0, extent), for references.
int64_t checked_write(const graph::Node& node, const scalar::Constant& index, int64_t extent, bool from_end);

}  // namespace sinter::ops
