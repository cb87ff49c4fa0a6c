// SPDX-License-Identifier: Apache-2.0
#include "src/reference/elementwise.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

#include "src/graph/registry.h"
#include "src/loop/reader.h"

namespace sinter::reference {
namespace {

using graph::Expr;
using scalar::Constant;

/// Reads of one element of the result: all values are constants.
class ElementReader final : public loop::Reader {
 public:
  ElementReader(const graph::Node& node, std::span<const Array> operands)
      : node_(node), operands_(operands), builder_(body_) {
    for (const Array& a : operands) types_.push_back({a.dtype, {a.shape.begin(), a.shape.end()}});
  }

  Constant constant(loop::Value v) const {
    const loop::Instruction& in = body_[v.id];
    if (in.kind != loop::InstructionKind::constant)
      throw CompileError(fmt::format("internal: {} is not an elementwise function", node_.op->name));
    return {in.type, in.bits};
  }

  loop::Builder& builder() override { return builder_; }
  const graph::Node& node() const override { return node_; }
  const graph::ValueType& operand_type(size_t operand) const override { return types_[operand]; }
  loop::Value read(size_t operand, std::span<const Expr> index) override {
    Dims at;
    for (Expr e : index) at.push_back(e.constant().value());
    return body_.constant(operands_[operand].at(at));
  }
  loop::Value read_broadcast(size_t operand, std::span<const Expr> index) override {
    Dims at;
    for (Expr e : index) at.push_back(e.constant().value());
    return body_.constant(broadcast_element(operands_[operand], at));
  }
  loop::Value read_masked(size_t operand, std::span<const Expr> index, loop::Value mask, loop::Value fill) override {
    return constant(mask).bits != 0 ? read(operand, index) : fill;
  }
  loop::Value number(const graph::Scalar& number, DType type) override {
    if (number.symbol >= 0) throw CompileError("internal: the reference needs literal numbers");
    return body_.constant(graph::constant_of(number.literal, scalar::compute_type(type)));
  }

 private:
  const graph::Node& node_;
  std::span<const Array> operands_;
  std::vector<graph::ValueType> types_;
  loop::Body body_;
  loop::Builder builder_;
};

}  // namespace

Dims broadcast_shape(std::span<const Array> arrays) {
  size_t rank = 0;
  for (const Array& a : arrays) rank = std::max(rank, a.shape.size());
  Dims shape = Dims::filled(rank, 1);
  for (const Array& a : arrays)
    for (size_t d = 0; d < a.shape.size(); ++d) {
      int64_t& extent = shape[rank - a.shape.size() + d];
      if (extent == 1) extent = a.shape[d];
      if (a.shape[d] != 1 && a.shape[d] != extent)
        throw CompileError(fmt::format("internal: {} does not broadcast to {}", a.shape.text(), shape.text()));
    }
  return shape;
}

Constant broadcast_element(const Array& array, const Dims& index) {
  Dims own;
  const size_t dropped = index.size() - array.shape.size();
  for (size_t d = 0; d < array.shape.size(); ++d) own.push_back(array.shape[d] == 1 ? 0 : index[dropped + d]);
  return array.at(own);
}

Array map_elements(DType result, DType operating, std::span<const Array> operands,
                   const std::function<Constant(std::span<const Constant>)>& f) {
  const DType compute = scalar::compute_type(operating);
  Array out = Array::zeros(result, broadcast_shape(operands));
  std::vector<Constant> values(operands.size());
  int64_t next = 0;
  for_each_index(out.shape, [&](const Dims& index) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Constant element = broadcast_element(operands[i], index);
      values[i] = scalar::evaluate(scalar::ScalarOp::convert, {&element, 1}, compute);
    }
    out.set(next++, rounded(f(values), result));
  });
  return out;
}

std::vector<Array> elementwise(const graph::Node& node, std::span<const Array> operands) {
  const graph::ValueType& type = node.results.at(0);
  Dims shape;
  for (Expr e : type.shape) shape.push_back(e.constant().value());
  Array out = Array::zeros(type.dtype, shape);
  int64_t next = 0;
  for_each_index(shape, [&](const Dims& index) {
    ElementReader reader(node, operands);
    const std::vector<Expr> at(index.begin(), index.end());
    out.set(next++, rounded(reader.constant(node.op->lower(reader, at)), type.dtype));
  });
  return {std::move(out)};
}

}  // namespace sinter::reference
