// SPDX-License-Identifier: Apache-2.0
#include "src/ops/gemm.h"

#include <fmt/format.h>
#include <sinter/pointwise.h>

#include <algorithm>
#include <utility>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/product_reference.h"
#include "src/ops/samples.h"
#include "src/reference/interpret.h"

namespace sinter::ops {

using graph::CallAttributes;
using graph::Expr;
using graph::Graph;
using graph::Value;
using graph::ValueType;

graph::Attributes gemm_attributes(Epilogue epilogue, DType dtype) {
  return graph::literal_attributes(CallAttributes().enumeration(epilogue).dtype(dtype));
}

Value add_op(Graph& g, std::string_view op, std::vector<Value> operands, const CallAttributes& attributes,
             SourceLine line) {
  return {g.add(registered_op(op), std::move(operands), graph::literal_attributes(attributes), line), 0};
}

Value add_conversion(Graph& g, Value v, DType dtype, SourceLine line) {
  return g.type(v).dtype == dtype ? v : add_op(g, "to", {v}, CallAttributes().dtype(dtype), line);
}

Value add_gemm(Graph& g, Value a, Value b, std::optional<Value> bias, DType dtype, SourceLine line) {
  std::vector<Value> operands{a, b};
  if (bias) operands.push_back(*bias);
  return {g.add(registered_op("gemm"), std::move(operands), gemm_attributes(Epilogue::none, dtype), line), 0};
}

void require_one_dtype(graph::InferContext& context) {
  const DType dtype = context.operand(0).dtype;
  for (size_t i = 0; i < context.operand_count(); ++i) {
    const DType t = context.operand(i).dtype;
    if (t.is_boolean()) context.fail("takes no booleans", "convert them: to(x, f32)");
    if (t != dtype)
      context.fail(fmt::format("the dtypes differ: {} and {}", dtype.name(), t.name()),
                   fmt::format("convert one of them: to(x, {})", dtype.name()));
  }
}

namespace {

/// The extent that two batch dims broadcast to.
Expr broadcast(graph::InferContext& context, const ValueType& a, const ValueType& b, Expr x, Expr y) {
  if (x.is_constant(1)) return y;
  if (!y.is_constant(1) && !context.same_extent(x, y))
    context.fail(fmt::format("the batches of {} and {} do not broadcast: {} against {}", describe(a), describe(b),
                             x.text(), y.text()),
                 "dims before the last two must agree or be 1");
  return x;
}

}  // namespace

std::vector<Expr> product_shape(graph::InferContext& context, const ValueType& a, const ValueType& b) {
  if (a.rank() == 0 || b.rank() == 0)
    context.fail(fmt::format("{} and {}: a 0-d tensor has no dim to sum over", describe(a), describe(b)),
                 "multiply elementwise: a * b");
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const Expr inner = column ? b.shape[0] : b.shape[b.shape.size() - 2];
  if (!context.same_extent(a.shape.back(), inner))
    context.fail(fmt::format("{} and {} do not multiply: the inner extents are {} and {}", describe(a), describe(b),
                             a.shape.back().text(), inner.text()),
                 "transpose one of them, or make the inner extents agree");
  const size_t x = row ? 0 : a.shape.size() - 2, y = column ? 0 : b.shape.size() - 2;
  std::vector<Expr> shape(std::max(x, y));
  for (size_t d = 0; d < shape.size(); ++d) {
    const size_t from_last = shape.size() - d;
    const Expr of_a = from_last <= x ? a.shape[x - from_last] : Expr(1);
    const Expr of_b = from_last <= y ? b.shape[y - from_last] : Expr(1);
    shape[d] = broadcast(context, a, b, of_a, of_b);
  }
  if (!row) shape.push_back(a.shape[x]);
  if (!column) shape.push_back(b.shape.back());
  return shape;
}

namespace {

std::vector<ValueType> infer_gemm(graph::InferContext& context) {
  require_one_dtype(context);
  const ValueType &a = context.operand(0), &b = context.operand(1);
  if (a.rank() < 2 || b.rank() < 2) context.fail("takes matrices and batches of them");
  std::vector<Expr> shape = product_shape(context, a, b);
  if (context.operand_count() > 2) {
    const ValueType& bias = context.operand(2);
    if (bias.rank() != 1 || !context.same_extent(bias.shape[0], shape.back()))
      context.fail(fmt::format("the bias {} is no row of the result", describe(bias)));
  }
  graph::AttributeReader attributes = context.attributes();
  (void)attributes.enumeration<Epilogue>();
  const DType dtype = attributes.dtype();
  if (dtype != a.dtype && !(a.dtype.is_floating() && dtype == scalar::compute_type(a.dtype)))
    context.fail(fmt::format("gives no {} of {}", dtype.name(), a.dtype.name()));
  return {{dtype, std::move(shape)}};
}

Value with_epilogue(Graph& g, Value v, Epilogue epilogue, SourceLine line) {
  if (epilogue == Epilogue::relu) return add_op(g, "relu", {v}, {}, line);
  if (epilogue == Epilogue::gelu_tanh)
    return add_op(g, "gelu", {v}, CallAttributes().enumeration(Approximate::tanh), line);
  return v;
}

/// [.., i, 1, k] * [.., 1, j, k], summed over k. Integers are multiplied in their own dtype, which wraps like the sum.
std::vector<Value> decompose_gemm(Graph& g, const graph::Node& node) {
  const SourceLine line = node.line;
  graph::AttributeReader attributes(node.attributes);
  const auto epilogue = attributes.enumeration<Epilogue>();
  const DType result = attributes.dtype(), dtype = g.type(node.operands[0]).dtype;
  const DType factor = dtype.is_floating() ? scalar::compute_type(dtype) : dtype;
  const std::vector<Value> operands = node.operands;
  Value a = add_conversion(g, operands[0], factor, line), b = add_conversion(g, operands[1], factor, line);
  a = add_op(g, "unsqueeze", {a}, CallAttributes().integer(-2), line);
  b = add_op(g, "transpose", {b}, CallAttributes().integer(-2).integer(-1), line);
  b = add_op(g, "unsqueeze", {b}, CallAttributes().integer(-3), line);
  const Value products = add_op(g, "mul", {a, b}, CallAttributes().flag(false).flag(false), line);
  Value v = add_op(g, "sum", {products}, CallAttributes().integers({-1}).flag(false), line);
  if (operands.size() > 2) {
    const Value bias = add_conversion(g, operands[2], g.type(v).dtype, line);
    v = add_op(g, "add", {v, bias}, CallAttributes().flag(false).flag(false), line);
  }
  return {add_conversion(g, with_epilogue(g, v, epilogue, line), result, line)};
}

reference::Array applied(Epilogue epilogue, reference::Array x) {
  if (epilogue == Epilogue::none) return x;
  Graph g;
  const Value v = g.add_input({x.dtype, {x.shape.begin(), x.shape.end()}});
  g.add_output(with_epilogue(g, v, epilogue, {}));
  return reference::interpret(g, {&x, 1})[0];
}

std::vector<reference::Array> product_reference(const graph::Node& node, std::span<const reference::Array> operands) {
  graph::AttributeReader attributes(node.attributes);
  const auto epilogue = attributes.enumeration<Epilogue>();
  reference::Array product = accumulated_product(operands[0], operands[1]);
  if (operands.size() > 2) product = sum_of(product, operands[2]);
  return {rounded_to(applied(epilogue, std::move(product)), attributes.dtype())};
}

std::vector<graph::SampleCall> gemm_samples() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const std::vector<Dims>& shapes, Epilogue epilogue, DType result) {
    graph::SampleCall call;
    for (const Dims& s : shapes) call.operands.push_back(sample_type(t, s));
    call.attributes = gemm_attributes(epilogue, result);
    list.push_back(std::move(call));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add(t, {{5, 7}, {7, 3}}, Epilogue::none, t);
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {{3, 17}, {17, 4}, {4}}, Epilogue::none, t);
    add(t, {{3, 17}, {17, 4}, {4}}, Epilogue::relu, t);
    if (t != f64) add(t, {{2, 3, 16}, {16, 4}}, Epilogue::gelu_tanh, t);  // nothing asks for it
    add(t, {{3, 1, 2, 5}, {2, 5, 2}}, Epilogue::none, scalar::compute_type(t));
  }
  add(f32, {{1, 1}, {1, 1}}, Epilogue::none, f32);
  // Few terms, which are written out.
  add(f32, {{2, 5, 3}, {3, 3}, {3}}, Epilogue::relu, f32);
  add(bf16, {{6, 4}, {2, 4, 3}}, Epilogue::none, bf16);
  add(i64, {{4, 2}, {2, 3}}, Epilogue::none, i64);
  add(f32, {{3, 0}, {0, 4}, {4}}, Epilogue::relu, f32);
  add(f32, {{0, 3}, {3, 4}}, Epilogue::none, f32);
  add(f32, {{1, 1500}, {1500, 2}}, Epilogue::none, f32);
  return list;
}

}  // namespace

void register_gemm() {
  graph::OpDef def;
  def.name = "gemm";
  def.doc = "What every matrix product becomes: a @ b, plus a bias, through an activation, rounded once.";
  def.op_class = graph::OpClass::call;
  def.min_operands = 2;
  def.max_operands = 3;
  def.params = {{"epilogue", graph::ParamKind::enumeration, {"none", "relu", "gelu_tanh"}},
                {"dtype", graph::ParamKind::dtype}};
  def.infer = infer_gemm;
  def.decompose = decompose_gemm;
  def.reference = product_reference;
  def.sample = sample_list(gemm_samples);
  def.call = graph::CallRule{[](const graph::Node&, size_t operand, graph::OperandLayout& layout) {
    return operand < 2 ? graph::reads_matrices(layout) : graph::reads_dense(layout);
  }};
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
