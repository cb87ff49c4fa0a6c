// SPDX-License-Identifier: Apache-2.0
#include "src/ops/fold_rows.h"

#include <fmt/format.h>

#include "src/ops/accumulate.h"
#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using graph::Value;

std::vector<graph::ValueType> infer_fold_rows(graph::InferContext& context) {
  const graph::ValueType &rows = context.operand(0), &source = context.operand(1);
  if ((rows.dtype != f32 && rows.dtype != f64) || source.dtype != rows.dtype || rows.rank() != 2 || source.rank() != 2)
    context.fail(fmt::format("expected two matrices of f32 or f64, got {} and {}", describe(rows), describe(source)));
  bool fits = context.same_extent(source.shape[1], rows.shape[1]);
  const Expr extents[] = {source.shape[0], source.shape[0], rows.shape[0]};
  for (size_t i = 0; i < 3; ++i) {
    const graph::ValueType& t = context.operand(2 + i);
    fits = fits && t.dtype == i64 && t.rank() == 1 && context.same_extent(t.shape[0], extents[i]);
  }
  if (!fits)
    context.fail(fmt::format("the source {}, its order {}, {} and {} do not fit {}", describe(source),
                             describe(context.operand(2)), describe(context.operand(3)), describe(context.operand(4)),
                             describe(rows)));
  return {rows};
}

reference::Array fold_rows_reference(std::span<const reference::Array> operands) {
  const auto &source = operands[1], &order = operands[2], &sorted = operands[3], &starts = operands[4];
  reference::Array result = operands[0];
  const int64_t width = result.shape[1], count = source.shape[0];
  for (int64_t row = 0; row < result.shape[0]; ++row)
    for (int64_t k = scalar::as_int(starts.at(row)); k >= 0 && k < count && scalar::as_int(sorted.at(k)) == row; ++k)
      for (int64_t i = 0; i < width; ++i) {
        const scalar::Constant both[] = {result.at(row * width + i),
                                         source.at(scalar::as_int(order.at(k)) * width + i)};
        result.set(row * width + i, scalar::evaluate(scalar::ScalarOp::add, both));
      }
  return result;
}

std::vector<graph::SampleCall> sample_fold_rows() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, int64_t rows, int64_t count, int64_t width) {
    // Values in [0, 0.9] are an order of the first source row alone, added to row 0.
    list.push_back(sample_call({sample_type(t, {rows, width}), sample_type(t, {count, width}),
                                sample_type(i64, {count}), sample_type(i64, {count}), sample_type(i64, {rows})},
                               {}, 0, 0.9));
  };
  for (const DType t : {f32, f64}) {
    add(t, 3, 5, 4);
    add(t, 1, 17, 1);
    add(t, 2, 3, 33);
    add(t, 0, 3, 2);
  }
  return list;
}

}  // namespace

Value fold_rows(Composer& c, Value rows, Value source, Value positions) {
  const Expr count = c.type(positions).shape[0];
  const Value order = c.call(op<"argsort">(), {positions}, graph::CallAttributes().flag(false));
  const Value sorted = c.call(op<"index_select">(), {positions, order}, graph::CallAttributes().integer(0));
  const Value starts = accumulate(c, graph::ReduceKind::amin, c.positions(count, i64), sorted, c.type(rows).shape[0]);
  return c.call(op<"fold_rows">(), {rows, source, order, sorted, starts});
}

void register_fold_rows() {
  graph::OpDef def;
  def.name = "fold_rows";
  def.doc = "Rows with sorted source rows added in their order; ordered sums by index become it.";
  def.op_class = graph::OpClass::call;
  def.min_operands = def.max_operands = 5;
  def.infer = infer_fold_rows;
  def.call = graph::CallRule{[](const graph::Node&, size_t, graph::OperandLayout& l) { return graph::reads_dense(l); }};
  def.reference = [](const graph::Node&, std::span<const reference::Array> operands) {
    return std::vector{fold_rows_reference(operands)};
  };
  def.sample = sample_list(sample_fold_rows);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
