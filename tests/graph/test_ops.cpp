// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/test_ops.h"

namespace sinter::graph {
namespace {

const OpDef& register_everything() {
  OpDef d;
  d.name = "everything";
  d.params = {{"flag", ParamKind::flag},
              {"integer", ParamKind::integer},
              {"integers", ParamKind::integers},
              {"dtype", ParamKind::dtype},
              {"mode", ParamKind::enumeration, {"nearest", "linear"}},
              {"device", ParamKind::device},
              {"number", ParamKind::number},
              {"optional", ParamKind::optional_number},
              {"extent", ParamKind::extent},
              {"extents", ParamKind::extents}};
  d.infer = [](InferContext& c) { return std::vector{c.operand(0)}; };
  return register_op(std::move(d));
}

const OpDef& register_add() {
  OpDef d;
  d.name = "test_add";
  d.min_operands = 1;
  d.max_operands = -1;
  d.infer = [](InferContext& c) { return std::vector<ValueType>{{c.operand(0).dtype, c.broadcast_operands()}}; };
  return register_op(std::move(d));
}

const OpDef& register_split() {
  OpDef d;
  d.name = "split";
  d.infer = [](InferContext& c) {
    if (c.operand(0).rank() == 0) c.fail("cannot split a 0-d tensor", "unsqueeze it");
    return std::vector{c.operand(0), ValueType{i64, {}}};
  };
  return register_op(std::move(d));
}

const OpDef& register_fill() {
  OpDef d;
  d.name = "fill";
  d.op_class = OpClass::creation;
  d.min_operands = d.max_operands = 0;
  d.params = {{"shape", ParamKind::extents}, {"dtype", ParamKind::dtype}};
  d.infer = [](InferContext& c) {
    AttributeReader r = c.attributes();
    std::vector<Expr> shape = r.extents();
    return std::vector<ValueType>{{r.dtype(), std::move(shape)}};
  };
  return register_op(std::move(d));
}

}  // namespace

const TestOps& test_ops() {
  static const TestOps ops{register_everything(), register_add(), register_split(), register_fill()};
  return ops;
}

Attributes everything_attributes(Expr extent, Scalar number, bool has_optional) {
  enum class Mode { nearest, linear };
  CallAttributes call;
  call.flag(true).integer(-7).integers({-1, 2}).dtype(bf16).enumeration(Mode::linear).device(Device::cuda(3));
  call.number(number.literal).flag(has_optional);
  if (has_optional) call.number(Number::of(true));
  call.extent(0).extents({5, 0});
  Attributes a = literal_attributes(call);
  a.scalars[0] = number;
  a.scalars[has_optional ? 2 : 1].expr = extent;
  a.scalars.back().expr = extent * Expr(2);
  return a;
}

}  // namespace sinter::graph
