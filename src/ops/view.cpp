// SPDX-License-Identifier: Apache-2.0
#include "src/ops/view.h"

#include "src/loop/reader.h"
#include "src/ops/extents.h"
#include "src/ops/samples.h"

namespace sinter::ops {

graph::OpDef view_op(const View& view) {
  graph::OpDef def;
  def.name = view.name;
  def.doc = view.doc;
  def.op_class = view.op_class;
  def.params = view.params;
  def.infer = view.infer;
  def.lower = [source = view.source](loop::Reader& reader, std::span<const Expr> index) {
    return reader.read(0, source({reader.operand_type(0), reader.result_type(), reader.attributes()}, index));
  };
  def.reference = [source = view.reference](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, [&](const ReferenceContext& context, const Dims& index) {
      return Source{0, source(context, index)};
    })};
  };
  def.sample = sample_list(view.samples);
  return def;
}

size_t normalised_dim(int64_t dim, size_t rank) {
  return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
}

Expr divisor(Expr extent) { return simplify_extent(max(extent, 1)); }

}  // namespace sinter::ops
