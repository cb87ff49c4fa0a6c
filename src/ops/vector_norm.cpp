// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/reductions.h>

#include <cmath>
#include <limits>

#include "src/ops/compose.h"
#include "src/ops/describe.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/reduction.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/transcendental.h"

namespace sinter::ops {
namespace {

/// What the exponent selects; each form is other code.
enum class NormForm : uint8_t { general, zero, one, two, largest, smallest };

NormForm form_of(double p) {
  if (std::isinf(p)) return p > 0 ? NormForm::largest : NormForm::smallest;
  return p == 0 ? NormForm::zero : p == 1 ? NormForm::one : p == 2 ? NormForm::two : NormForm::general;
}

/// The inverse of p is a number of its own, so that a promoted p gives the literal's bits.
graph::CallAttributes norm_attributes(const NormOptions& options) {
  const NormForm form = form_of(options.p);
  graph::CallAttributes attributes = reduce_attributes({options.dims, options.keepdim}).enumeration(form);
  attributes.flag(form == NormForm::general && options.p < 0).flag(form == NormForm::general);
  if (form == NormForm::general) attributes.number(graph::Number::of(options.p));
  attributes.flag(form == NormForm::general);
  if (form == NormForm::general) attributes.number(graph::Number::of(1 / options.p));
  return attributes;
}

struct NormAttributes {
  Dims dims;
  bool keepdim;
  NormForm form;
  bool negative;
  const graph::Scalar *p = nullptr, *inverse = nullptr;
};

NormAttributes read_norm(graph::AttributeReader attributes) {
  NormAttributes a{attributes.integers(), attributes.flag(), attributes.enumeration<NormForm>(), attributes.flag()};
  if (attributes.flag()) a.p = &attributes.number();
  if (attributes.flag()) a.inverse = &attributes.number();
  return a;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor vector_norm(Operand x, NormOptions options) {
  return ops::dispatch(ops::op<"vector_norm">(), {&x}, ops::norm_attributes(options));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

std::vector<graph::ValueType> infer_norm(graph::InferContext& context) {
  require_floating(context, 0);
  const Reduced r = reduce_shape(context);
  const NormAttributes a = read_norm(context.attributes());
  if (a.form == NormForm::general && (a.p == nullptr || a.inverse == nullptr))
    context.fail("a general norm without its exponent and the inverse of that");
  const bool of_nothing = is_empty(r.extents) && !is_empty(r.shape);
  if (of_nothing && (a.negative || a.form == NormForm::largest || a.form == NormForm::smallest))
    context.fail(
        fmt::format("{} over dims of extent 0 has no norm of a negative or infinite p", describe(context.operand(0))),
        "reduce dims that are not empty, or check numel() first");
  return {{context.operand(0).dtype, r.shape}};
}

Value decomposed_norm(Composer& c, Value x, const NormAttributes& a) {
  switch (a.form) {
    case NormForm::zero:
      return c.fold<"sum">(c.to(c.binary<"ne">(x, 0.0), c.type(x).dtype), a.dims, a.keepdim);
    case NormForm::one:
      return c.fold<"sum">(c.unary<"abs">(x), a.dims, a.keepdim);
    case NormForm::two:
      return c.unary<"sqrt">(c.fold<"sum">(c.square(x), a.dims, a.keepdim));
    case NormForm::largest:
      return c.fold<"amax">(c.unary<"abs">(x), a.dims, a.keepdim);
    case NormForm::smallest:
      return c.fold<"amin">(c.unary<"abs">(x), a.dims, a.keepdim);
    case NormForm::general:
      break;
  }
  return c.power(c.fold<"sum">(c.power(c.unary<"abs">(x), *a.p), a.dims, a.keepdim), *a.inverse);
}

std::vector<Value> decompose_norm(Graph& g, const Node& node) {
  Composer c(g, node.line);
  const DType dtype = node.results[0].dtype;
  const NormAttributes a = read_norm(graph::AttributeReader(node.attributes));
  return {c.to(decomposed_norm(c, c.to(node.operands[0], scalar::compute_type(dtype)), a), dtype)};
}

template <class T>
T power_of(T x, T p) {
  loop::Body body;
  loop::Builder b(body);
  const loop::Value v = pow_value(b, body.constant(constant_from(x)), body.constant(constant_from(p)), dtype_of<T>);
  return number_from<T>({body[v.id].type, body[v.id].bits});
}

template <class T>
T norm_of(std::span<const T> row, const NormAttributes& a) {
  std::vector<T> values(row.begin(), row.end());
  for (T& v : values) {
    if (a.form == NormForm::zero) v = v != 0;
    if (a.form == NormForm::two) v *= v;
    v = std::fabs(v);
    if (a.form == NormForm::general) v = power_of(v, static_cast<T>(a.p->literal.as_double()));
  }
  if (a.form == NormForm::largest) return fold_row<T>(graph::ReduceKind::amax, values);
  if (a.form == NormForm::smallest) return fold_row<T>(graph::ReduceKind::amin, values);
  const T sum = sum_row<T>(values);
  if (a.form == NormForm::two) return std::sqrt(sum);
  return a.form == NormForm::general ? power_of(sum, static_cast<T>(a.inverse->literal.as_double())) : sum;
}

std::vector<Array> reference_norm(const Node& node, std::span<const Array> operands) {
  const DType dtype = node.results[0].dtype;
  const Array wide = converted(operands[0], scalar::compute_type(dtype));
  const NormAttributes a = read_norm(graph::AttributeReader(node.attributes));
  Dims dims;
  for (int d : reduced_dims(a.dims, static_cast<int>(wide.shape.size()))) dims.push_back(d);
  const auto norm = [&a]<class T>(std::span<const T> row) { return norm_of(row, a); };
  return {converted(fold_rows(wide, dims, result_shape(node), norm), dtype)};
}

std::vector<graph::SampleCall> sample_norm() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const NormOptions& options, double low, double high) {
    list.push_back(sample_call({sample_type(t, shape)}, norm_attributes(options), low, high));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    for (const double p : {0.0, 1.0, 2.0, 3.0, -1.5, inf, -inf}) add(t, {7, 17}, {.p = p, .dims = {1}}, 0, 3);
    add(t, {2, 1024}, {.dims = {-1}, .keepdim = true}, 0, 300);
  }
  add(f32, {17, 7}, {.dims = {0}}, -4, 4);
  add(f32, {2, 16, 3}, {.p = 0.5, .dims = {0, 2}}, 0, 4);
  add(f32, {}, {}, 0, 4);
  add(f32, {0, 3}, {.p = 1, .dims = {0}}, 0, 4);
  add(f32, {3, 0}, {.p = 2.5}, 0, 4);
  return list;
}

}  // namespace

void register_vector_norm() {
  using graph::ParamKind;
  graph::OpDef def;
  def.name = "vector_norm";
  def.doc = "sum(|x|^p)^(1/p) over dims; p = 0 counts what is not 0, infinities give the largest and smallest |x|.";
  def.op_class = graph::OpClass::reduction;
  def.params = reduce_params();
  def.params.push_back({"form", ParamKind::enumeration, {"general", "zero", "one", "two", "largest", "smallest"}});
  def.params.push_back({"negative", ParamKind::flag});
  def.params.push_back({"p", ParamKind::optional_number});
  def.params.push_back({"inverse", ParamKind::optional_number});
  def.infer = infer_norm;
  def.decompose = decompose_norm;
  def.reference = reference_norm;
  def.sample = sample_list(sample_norm);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
