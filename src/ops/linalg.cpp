// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/linalg.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/gemm.h"
#include "src/ops/product_reference.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// What alpha and beta select. Structural: each form is other code.
enum class AddmmForm : uint8_t { plain, scaled, product };

graph::Number scale(double v) {
  constexpr double exact = 0x1p53;
  return v == std::trunc(v) && std::fabs(v) < exact ? graph::Number::of(static_cast<int64_t>(v)) : graph::Number::of(v);
}

graph::CallAttributes addmm_attributes(const AddmmOptions& o) {
  const AddmmForm form = o.beta == 0                   ? AddmmForm::product
                         : o.beta == 1 && o.alpha == 1 ? AddmmForm::plain
                                                       : AddmmForm::scaled;
  return graph::CallAttributes().enumeration(form).number(scale(o.beta)).number(scale(o.alpha));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor matmul(Operand a, Operand b) { return ops::dispatch(ops::op<"matmul">(), {&a, &b}); }
Tensor bmm(Operand a, Operand b) { return ops::dispatch(ops::op<"bmm">(), {&a, &b}); }
Tensor linear(Operand x, Operand weight) { return ops::dispatch(ops::op<"linear">(), {&x, &weight}); }
Tensor linear(Operand x, Operand weight, Operand bias) {
  return ops::dispatch(ops::op<"linear">(), {&x, &weight, &bias});
}
Tensor addmm(Operand c, Operand a, Operand b, AddmmOptions options) {
  return ops::dispatch(ops::op<"addmm">(), {&c, &a, &b}, ops::addmm_attributes(options));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::CallAttributes;
using graph::Expr;
using graph::Graph;
using graph::InferContext;
using graph::Node;
using graph::Value;
using graph::ValueType;
using reference::Array;
using Types = std::vector<ValueType>;
using Values = std::vector<Value>;
using Arrays = std::span<const Array>;

Types infer_matmul(InferContext& context) {
  require_one_dtype(context);
  return {{context.operand(0).dtype, product_shape(context, context.operand(0), context.operand(1))}};
}

Types infer_bmm(InferContext& context) {
  require_one_dtype(context);
  const ValueType &a = context.operand(0), &b = context.operand(1);
  if (a.rank() != 3 || b.rank() != 3)
    context.fail(
        fmt::format("takes two batches of matrices [n,i,k] and [n,k,j], not {} and {}", describe(a), describe(b)),
        "matmul() takes every rank and broadcasts");
  if (!context.same_extent(a.shape[0], b.shape[0]))
    context.fail(fmt::format("{} and {} have batches of {} and {}", describe(a), describe(b), a.shape[0].text(),
                             b.shape[0].text()),
                 "matmul() broadcasts a batch of 1");
  return {{a.dtype, product_shape(context, a, b)}};
}

/// The weight as the right factor, for the shape rule.
ValueType transposed_weight(InferContext& context) {
  ValueType w = context.operand(1);
  if (w.rank() != 1 && w.rank() != 2)
    context.fail(fmt::format("the weight {} is no [out,in] and no [in]", describe(w)), "matmul() takes every rank");
  if (w.rank() == 2) std::swap(w.shape[0], w.shape[1]);
  return w;
}

Types infer_linear(InferContext& context) {
  require_one_dtype(context);
  const ValueType &x = context.operand(0), &w = context.operand(1);
  const ValueType right = transposed_weight(context);
  if (x.rank() > 0 && !context.same_extent(x.shape.back(), right.shape[0]))
    context.fail(fmt::format("{} has {} features, but the weight {} takes {}", describe(x), x.shape.back().text(),
                             describe(w), right.shape[0].text()),
                 "the weight is [out,in], as in PyTorch");
  std::vector<Expr> shape = product_shape(context, x, right);
  if (context.operand_count() == 3) {
    const ValueType& bias = context.operand(2);
    const Expr out = right.rank() == 2 ? right.shape[1] : Expr(1);
    if (bias.rank() >= right.rank() ||
        (bias.rank() == 1 && !bias.shape[0].is_constant(1) && !context.same_extent(bias.shape[0], out)))
      context.fail(fmt::format("the bias {} does not fit {} outputs", describe(bias), out.text()),
                   "give one element an output, or one");
  }
  return {{x.dtype, std::move(shape)}};
}

Types infer_addmm(InferContext& context) {
  require_one_dtype(context);
  const ValueType &c = context.operand(0), &a = context.operand(1), &b = context.operand(2);
  if (a.rank() != 2 || b.rank() != 2)
    context.fail(fmt::format("multiplies two matrices, not {} and {}", describe(a), describe(b)),
                 "add(c, matmul(a, b)) takes every rank");
  graph::AttributeReader attributes = context.attributes();
  (void)attributes.enumeration<AddmmForm>();
  for (int i = 0; i < 2; ++i)
    if (attributes.number().literal.kind == graph::Number::Kind::floating && !c.dtype.is_floating())
      context.fail(fmt::format("alpha and beta must be whole numbers for {}", c.dtype.name()), "convert: to(x, f32)");
  std::vector<Expr> shape = product_shape(context, a, b);
  const size_t missing = 2 - std::min<size_t>(c.shape.size(), 2);
  bool fits = c.rank() <= 2;
  for (size_t d = 0; fits && d < c.shape.size(); ++d)
    fits = c.shape[d].is_constant(1) || context.same_extent(c.shape[d], shape[missing + d]);
  if (!fits)
    context.fail(fmt::format("{} does not broadcast to the product's {}", describe(c), describe(shape)),
                 "its dims must be those of the product or 1");
  return {{c.dtype, std::move(shape)}};
}

/// a @ b + term, rounded once; a row goes to the gemm as its bias.
Value biased(Graph& g, Value a, Value b, Value term, SourceLine line) {
  const DType dtype = g.type(a).dtype;
  const ValueType t = g.type(term);
  if (t.rank() == 1 && t.shape[0] == g.type(b).shape.back()) return add_gemm(g, a, b, term, dtype, line);
  const DType wide = dtype.is_floating() ? scalar::compute_type(dtype) : dtype;
  const Value product = add_gemm(g, a, b, {}, wide, line);
  const Value sum =
      add_op(g, "add", {product, add_conversion(g, term, wide, line)}, CallAttributes().flag(false).flag(false), line);
  return add_conversion(g, sum, dtype, line);
}

Value squeezed(Graph& g, Value v, int64_t dim, SourceLine line) {
  return add_op(g, "squeeze", {v}, CallAttributes().integers({dim}), line);
}

Values decompose_matmul(Graph& g, const Node& node) {
  Value a = node.operands[0], b = node.operands[1];
  const SourceLine line = node.line;
  const bool row = g.type(a).rank() == 1, column = g.type(b).rank() == 1;
  if (row) a = add_op(g, "unsqueeze", {a}, CallAttributes().integer(0), line);
  if (column) b = add_op(g, "unsqueeze", {b}, CallAttributes().integer(1), line);
  Value v = add_gemm(g, a, b, {}, g.type(a).dtype, line);
  if (column) v = squeezed(g, v, -1, line);
  if (row) v = squeezed(g, v, column ? -1 : -2, line);
  return {v};
}

Values decompose_linear(Graph& g, const Node& node) {
  Value x = node.operands[0], w = node.operands[1];
  const std::vector<Value> operands = node.operands;
  const SourceLine line = node.line;
  const DType dtype = g.type(x).dtype;
  const bool row = g.type(x).rank() == 1, column = g.type(w).rank() == 1;
  if (row) x = add_op(g, "unsqueeze", {x}, CallAttributes().integer(0), line);
  w = column ? add_op(g, "unsqueeze", {w}, CallAttributes().integer(1), line)
             : add_op(g, "transpose", {w}, CallAttributes().integer(0).integer(1), line);
  Value v = operands.size() > 2 ? biased(g, x, w, operands[2], line) : add_gemm(g, x, w, {}, dtype, line);
  if (column) v = squeezed(g, v, -1, line);
  if (row) v = squeezed(g, v, column ? -1 : -2, line);
  return {v};
}

/// x times a number attribute, promoted or not.
Value scaled(Graph& g, Value x, const graph::Scalar& number, SourceLine line) {
  graph::Attributes attributes;
  attributes.words = {0, 1};
  attributes.scalars = {number};
  return {g.add(registered_op("mul"), {x}, std::move(attributes), line), 0};
}

Values decompose_addmm(Graph& g, const Node& node) {
  const Value c = node.operands[0], a = node.operands[1], b = node.operands[2];
  const SourceLine line = node.line;
  const graph::Attributes attributes = node.attributes;
  graph::AttributeReader reader(attributes);
  const auto form = reader.enumeration<AddmmForm>();
  if (form == AddmmForm::plain) return {biased(g, a, b, c, line)};
  const graph::Scalar beta = reader.number(), alpha = reader.number();
  const DType dtype = g.type(a).dtype, wide = dtype.is_floating() ? scalar::compute_type(dtype) : dtype;
  Value v = scaled(g, add_gemm(g, a, b, {}, wide, line), alpha, line);
  if (form == AddmmForm::scaled) {
    const Value term = scaled(g, add_conversion(g, c, wide, line), beta, line);
    v = add_op(g, "add", {term, v}, CallAttributes().flag(false).flag(false), line);
  }
  return {add_conversion(g, v, dtype, line)};
}

Dims literal_shape(const Node& node) {
  Dims shape;
  for (Expr e : node.results[0].shape) shape.push_back(e.constant().value());
  return shape;
}

/// A 1-d array as a row or a column.
Array as_matrix(const Array& x, bool column) {
  if (x.shape.size() != 1) return x;
  return reshaped(x, column ? Dims{x.shape[0], 1} : Dims{1, x.shape[0]});
}

std::vector<Array> reference_matmul(const Node& node, Arrays operands) {
  const Array product = accumulated_product(as_matrix(operands[0], false), as_matrix(operands[1], true));
  return {reshaped(rounded_to(product, node.results[0].dtype), literal_shape(node))};
}

std::vector<Array> reference_linear(const Node& node, Arrays operands) {
  const Array right = operands[1].shape.size() == 1 ? as_matrix(operands[1], true) : transposed(operands[1]);
  Array product = accumulated_product(as_matrix(operands[0], false), right);
  if (operands.size() > 2) product = sum_of(product, operands[2]);
  return {reshaped(rounded_to(product, node.results[0].dtype), literal_shape(node))};
}

std::vector<Array> reference_addmm(const Node& node, Arrays operands) {
  graph::AttributeReader reader(node.attributes);
  const auto form = reader.enumeration<AddmmForm>();
  const DType dtype = operands[0].dtype, wide = accumulator_of(dtype);
  Array product = accumulated_product(operands[1], operands[2]);
  if (form == AddmmForm::plain) return {rounded_to(sum_of(product, operands[0]), dtype)};
  const scalar::Constant beta = graph::constant_of(reader.number().literal, wide),
                         alpha = graph::constant_of(reader.number().literal, wide);
  const auto times = [](Array x, const scalar::Constant& factor) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const scalar::Constant factors[] = {x.at(i), factor};
      x.set(i, scalar::evaluate(scalar::ScalarOp::mul, factors));
    }
    return x;
  };
  product = times(std::move(product), alpha);
  if (form == AddmmForm::scaled) product = sum_of(product, times(rounded_to(operands[0], wide), beta));
  return {rounded_to(product, dtype)};
}

using Shapes = std::vector<Dims>;

graph::SampleCall sample(DType t, const Shapes& shapes, const CallAttributes& attributes = {}) {
  std::vector<ValueType> types;
  for (const Dims& s : shapes) types.push_back(sample_type(t, s));
  return sample_call(std::move(types), attributes);
}

std::vector<graph::SampleCall> samples_of(const Shapes& usual, const std::vector<Shapes>& more,
                                          const CallAttributes& attributes = {}) {
  std::vector<graph::SampleCall> list;
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) list.push_back(sample(t, usual, attributes));
  for (const Shapes& shapes : more)
    for (const DType t : {f32, bf16}) list.push_back(sample(t, shapes, attributes));
  return list;
}

std::vector<graph::SampleCall> sample_addmm() {
  std::vector<graph::SampleCall> list =
      samples_of({{3}, {4, 5}, {5, 3}}, {{{4, 3}, {4, 5}, {5, 3}}, {{4, 1}, {4, 0}, {0, 3}}, {{}, {2, 33}, {33, 2}}},
                 addmm_attributes({}));
  for (const AddmmOptions& o : {AddmmOptions{0.5, 3}, AddmmOptions{0, 0.25}, AddmmOptions{2, 1}})
    for (const DType t : {f32, f16, f64}) list.push_back(sample(t, {{3}, {4, 5}, {5, 3}}, addmm_attributes(o)));
  list.push_back(sample(i8, {{4, 3}, {4, 5}, {5, 3}}, addmm_attributes({3, -7})));
  return list;
}

void register_product(std::string_view name, std::string_view doc, int most, Types (*infer)(InferContext&),
                      Values (*decompose)(Graph&, const Node&), std::vector<Array> (*reference)(const Node&, Arrays),
                      std::vector<graph::SampleCall> (*samples)(), std::vector<graph::Param> params = {}) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::call;
  def.min_operands = params.empty() ? 2 : most;
  def.max_operands = most;
  def.params = std::move(params);
  def.infer = infer;
  def.decompose = decompose;
  def.reference = reference;
  def.sample = sample_list(samples);
  graph::register_op(std::move(def));
}

}  // namespace

void register_linalg() {
  register_product("matmul", "Product over the last dim of a and the last but one of b; batches broadcast.", 2,
                   infer_matmul, decompose_matmul, reference_matmul, [] {
                     return samples_of({{3, 5}, {5, 2}}, {{{7}, {7}},
                                                          {{3, 17}, {17}},
                                                          {{17}, {17, 3}},
                                                          {{2, 3, 5}, {5, 4}},
                                                          {{3, 5}, {2, 5, 4}},
                                                          {{3, 1, 2, 5}, {2, 5, 2}},
                                                          {{2, 3, 4}, {4}},
                                                          {{4}, {2, 4, 3}},
                                                          {{3, 0}, {0, 2}},
                                                          {{0, 3}, {3, 2}}});
                   });
  register_product(
      "bmm", "Products of the matrices of two batches of equal size.", 2, infer_bmm, decompose_matmul, reference_matmul,
      [] { return samples_of({{2, 3, 5}, {2, 5, 2}}, {{{1, 16, 3}, {1, 3, 1}}, {{0, 2, 3}, {0, 3, 2}}}); });
  register_product("linear", "x @ weight transposed, plus a bias.", 3, infer_linear, decompose_linear, reference_linear,
                   [] {
                     return samples_of({{4, 5}, {3, 5}, {3}}, {{{4, 5}, {3, 5}},
                                                               {{2, 4, 5}, {3, 5}, {3}},
                                                               {{5}, {3, 5}, {3}},
                                                               {{4, 5}, {5}, {}},
                                                               {{4, 5}, {3, 5}, {1}},
                                                               {{5}, {5}}});
                   });
  register_product("addmm", "beta * c + alpha * (a @ b), rounded once.", 3, infer_addmm, decompose_addmm,
                   reference_addmm, sample_addmm,
                   {{"form", graph::ParamKind::enumeration, {"plain", "scaled", "product"}},
                    {"beta", graph::ParamKind::number},
                    {"alpha", graph::ParamKind::number}});
}

}  // namespace sinter::ops
