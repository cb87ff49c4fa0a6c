// SPDX-License-Identifier: Apache-2.0
#include "src/ops/element_position.h"

#include <fmt/format.h>

#include "src/loop/reader.h"
#include "src/ops/checked_position.h"
#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::Expr;

struct PositionAttributes {
  IndexedWrite write;
  bool from_end;
  size_t dim;
  std::vector<Expr> shape;
};

PositionAttributes read_position_attributes(graph::AttributeReader attributes) {
  PositionAttributes a{
      attributes.enumeration<IndexedWrite>(), attributes.flag(), static_cast<size_t>(attributes.integer()), {}};
  a.shape = attributes.extents();
  return a;
}

std::vector<graph::ValueType> infer_position(graph::InferContext& context) {
  const graph::ValueType& index = context.operand(0);
  const PositionAttributes a = read_position_attributes(context.attributes());
  if (index.dtype != i32 && index.dtype != i64)
    context.fail(fmt::format("expected an index of i32 or i64, got {}", describe(index)),
                 "cast it with to(index, i64)");
  if (index.shape.size() != a.shape.size() || a.dim >= a.shape.size())
    context.fail(fmt::format("an index {} for a shape of {}", describe(index), describe(a.shape)));
  return {{i64, index.shape}};
}

loop::Value lower_position(loop::Reader& reader, std::span<const Expr> index) {
  const PositionAttributes a = read_position_attributes(reader.attributes());
  loop::Builder& b = reader.builder();
  const loop::Value loaded = reader.read(0, index);
  std::vector<Expr> at(index.begin(), index.end());
  const Expr extent = a.shape[a.dim];
  at[a.dim] = a.from_end ? b.body().to_index(b.convert(loaded, i64), extent, loop::IndexMode::check)
                         : checked_position(b, loaded, extent);
  Expr position = 0;
  for (size_t d = 0; d < at.size(); ++d) position = position * a.shape[d] + at[d];
  return b.body().index_value(position, i64);
}

reference::Array position_reference(const graph::Node& node, const reference::Array& index) {
  const PositionAttributes a = read_position_attributes(graph::AttributeReader(node.attributes));
  const Dims shape = literal_extents(a.shape);
  reference::Array result = reference::Array::zeros(i64, index.shape);
  reference::for_each_index(index.shape, [&](const Dims& at) {
    int64_t position = 0;
    for (size_t d = 0; d < at.size(); ++d)
      position = position * shape[d] + (d == a.dim ? checked_write(node, index.at(at), shape[d], a.from_end) : at[d]);
    result.set(at, scalar::constant_int(i64, position));
  });
  return result;
}

graph::CallAttributes position_attributes(IndexedWrite write, bool from_end, int64_t dim, const Dims& shape) {
  return graph::CallAttributes().enumeration(write).flag(from_end).integer(dim).extents(shape);
}

std::vector<graph::SampleCall> sample_position() {
  std::vector<graph::SampleCall> list;
  // Values in [-2.9, 2.9] are indices of three or more from either end.
  const auto add = [&](DType t, const Dims& index, bool from_end, int64_t dim, const Dims& shape) {
    list.push_back(sample_call({sample_type(t, index)},
                               position_attributes(IndexedWrite::scatter, from_end, dim, shape), from_end ? -2.9 : 0,
                               2.9));
  };
  for (const DType t : {i32, i64})
    for (const bool from_end : {false, true}) {
      add(t, {17}, from_end, 0, {5});
      add(t, {4, 7}, from_end, 0, {3, 7});
      add(t, {2, 3, 4}, from_end, 1, {2, 16, 5});
      add(t, {0, 3}, from_end, 1, {2, 3});
      add(t, {1}, from_end, 0, {1023});
    }
  return list;
}

}  // namespace

graph::Value element_positions(Composer& c, graph::Value index, IndexedWrite write, bool from_end, size_t dim,
                               std::span<const Expr> shape) {
  graph::Attributes attributes = graph::literal_attributes(
      position_attributes(write, from_end, static_cast<int64_t>(dim), Dims::filled(shape.size(), 0)));
  for (size_t d = 0; d < shape.size(); ++d) attributes.scalars[d].expr = shape[d];
  return c.call(op<"element_position">(), {index}, std::move(attributes));
}

int64_t checked_write(const graph::Node& node, const scalar::Constant& index, int64_t extent, bool from_end) {
  const int64_t given = scalar::as_int(index), i = given < 0 && from_end ? given + extent : given;
  if (i >= 0 && i < extent) return i;
  throw UserError({.op = std::string(node.op->speaks_for ? node.op->speaks_for(node) : node.op->name),
                   .what = fmt::format("index {} is out of range for a dim of extent {}", given, extent),
                   .line = node.line,
                   .context = {},
                   .fix = from_end ? "indices are in [-extent, extent); clamp them first"
                                   : "indices are in [0, extent); clamp them first"});
}

void register_element_position() {
  graph::OpDef def;
  def.name = "element_position";
  def.doc = "Row-major positions of elements whose index in one dim is data; what writes by index becomes it.";
  def.op_class = graph::OpClass::indexed;
  def.params = {{"op", graph::ParamKind::enumeration, {std::begin(indexed_write_names), std::end(indexed_write_names)}},
                {"from_end", graph::ParamKind::flag},
                {"dim", graph::ParamKind::integer},
                {"shape", graph::ParamKind::extents}};
  def.infer = infer_position;
  def.lower = lower_position;
  def.speaks_for = [](const graph::Node& node) {
    return indexed_write_names[static_cast<size_t>(
        read_position_attributes(graph::AttributeReader(node.attributes)).write)];
  };
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{position_reference(node, operands[0])};
  };
  def.sample = sample_list(sample_position);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
