// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/compose.h"
#include "src/ops/move_elements.h"

// What every op that writes by index becomes: rows of a source written to rows of a tensor, at positions that are data.

namespace sinter::ops {

struct RowWrites {
  graph::Value self;       ///< [rows, rest...]
  graph::Value positions;  ///< i64 [count], each in [0, rows)
  graph::Value source;     ///< [count, rest...], of the dtype of self
};

/// The last source row of a position replaces the row.
graph::Value put_rows(Composer& c, const RowWrites& w);
/// Source rows are added to the row: integers wrap, of booleans one true is enough, floating ones come in the order of
/// the source.
graph::Value add_rows(Composer& c, const RowWrites& w);

/// A value as a node's result of its own.
graph::Value copied(Composer& c, graph::Value v);
/// v with `dim` moved to the front, and back.
graph::Value to_front(Composer& c, graph::Value v, size_t dim);
graph::Value from_front(Composer& c, graph::Value v, size_t dim);

/// For references: a tensor whose elements are replaced or added to, in the compute type; rounded at the end.
class ElementWriter {
 public:
  ElementWriter(const reference::Array& self, bool add);
  const Dims& shape() const { return result_.shape; }
  void write(const Dims& at, const scalar::Constant& value);
  reference::Array result() const;

 private:
  reference::Array result_;
  bool add_;
  std::vector<scalar::Constant> values_;
};

}  // namespace sinter::ops
