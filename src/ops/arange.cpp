// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>

#include <cmath>

#include "src/loop/reader.h"
#include "src/ops/convert.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/move_elements.h"
#include "src/ops/number_range.h"
#include "src/ops/promotion.h"
#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

using graph::Number;

graph::CallAttributes arange_attributes(Number start, Number step, int64_t length, DType dtype, Device device) {
  return graph::CallAttributes().number(start).number(step).extent(length).dtype(dtype).device(device);
}

bool is_floating(const Number& n) { return n.kind == Number::Kind::floating; }

std::string text(const Number& n) {
  return is_floating(n) ? fmt::format("{}", n.as_double()) : fmt::format("{}", n.bits);
}

[[noreturn]] void refuse_range(SourceLine line, const Number& start, const Number& end, const Number& step,
                               std::string fix) {
  throw UserError({.op = "arange",
                   .what = fmt::format("no step of {} leads from {} to {}", text(step), text(start), text(end)),
                   .line = line,
                   .context = {},
                   .fix = std::move(fix)});
}

/// ceil((end - start) / step), exactly for integers.
int64_t arange_length(const Number& start, const Number& end, const Number& step, SourceLine line) {
  const double a = start.as_double(), z = end.as_double(), s = step.as_double();
  if (!(s != 0) || !std::isfinite(a) || !std::isfinite(z) || !std::isfinite(s))
    refuse_range(line, start, end, step, "give finite numbers and a step other than 0");
  if ((s > 0 && z < a) || (s < 0 && z > a)) refuse_range(line, start, end, step, "change the sign of the step");
  if (is_floating(start) || is_floating(end) || is_floating(step)) {
    const double length = std::ceil((z - a) / s);
    if (length >= 9.2e18) refuse_range(line, start, end, step, "take a larger step");
    return static_cast<int64_t>(length);
  }
  const auto distance = s > 0 ? static_cast<uint64_t>(end.bits) - static_cast<uint64_t>(start.bits)
                              : static_cast<uint64_t>(start.bits) - static_cast<uint64_t>(end.bits);
  const uint64_t stride = s > 0 ? static_cast<uint64_t>(step.bits) : uint64_t{0} - static_cast<uint64_t>(step.bits);
  return static_cast<int64_t>(distance / stride + (distance % stride != 0));
}

Tensor arange_call(const Operand& start, const Operand& end, const Operand& step, const ArangeOptions& options) {
  for (const Operand* o : {&start, &end, &step}) require_number(*o, "arange");
  const Number a = number_of(start), z = number_of(end), s = number_of(step);
  const bool floating = is_floating(a) || is_floating(z) || is_floating(s);
  const int64_t length = arange_length(a, z, s, end.line());
  return dispatch_creation(
      op<"arange">(), arange_attributes(a, s, length, options.dtype.value_or(floating ? f32 : i64), options.device),
      end.line());
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor arange(Operand start, Operand end, Operand step, ArangeOptions options) {
  return ops::arange_call(start, end, step, options);
}
Tensor arange(Operand start, Operand end, ArangeOptions options) { return ops::arange_call(start, end, 1, options); }
Tensor arange(Operand end, ArangeOptions options) { return ops::arange_call(0, end, 1, options); }

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_arange(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  attributes.number();
  attributes.number();
  const graph::Expr length = attributes.extent();
  const DType dtype = attributes.dtype();
  if (dtype.is_boolean()) context.fail("boolean has no steps; expected an integer or floating dtype");
  return {{dtype, {length}}};
}

/// Integers step in i64, whatever the kind of the numbers, as in PyTorch.
DType stepping_type(DType dtype) { return dtype.is_floating() ? scalar::compute_type(dtype) : i64; }

loop::Value lower_arange(loop::Reader& reader, std::span<const graph::Expr> index) {
  loop::Builder& b = reader.builder();
  graph::AttributeReader attributes = reader.attributes();
  const graph::Scalar &start = attributes.number(), &step = attributes.number();
  const DType dtype = reader.result_type().dtype, t = stepping_type(dtype);
  const loop::Value i = b.convert(b.body().index_value(index[0], i64), t);
  const loop::Value v = b.add(reader.number(start, t), b.mul(i, reader.number(step, t)));
  return convert_value(b, v, t, dtype);
}

Source source_of_arange(const ReferenceContext& context, const Dims& index) {
  using scalar::ScalarOp;
  graph::AttributeReader attributes = context.attributes();
  const graph::Scalar &start = attributes.number(), &step = attributes.number();
  const DType dtype = context.node.results[0].dtype, t = stepping_type(dtype);
  const graph::Scalar position{Number::of(index[0]), -1, {}, false};
  const scalar::Constant product[] = {literal_number(position, t), literal_number(step, t)};
  const scalar::Constant sum[] = {literal_number(start, t), scalar::evaluate(ScalarOp::mul, product)};
  return {-1, {}, convert_element(scalar::evaluate(ScalarOp::add, sum), t, dtype)};
}

std::vector<graph::SampleCall> sample_arange() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](Number start, Number step, int64_t length, DType dtype) {
    list.push_back(sample_call({}, arange_attributes(start, step, length, dtype, Device::cpu())));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add(Number::of(1), Number::of(2), 17, t);
  for (const DType t : {f16, bf16, f32, f64}) add(Number::of(-0.5), Number::of(0.1), 16, t);
  for (const int64_t length : {0, 1, 7, 1023}) add(Number::of(5), Number::of(-3), length, i64);
  add(Number::of(0), Number::of(int64_t{1500000000}), 9, i64);
  add(Number::of(0.5), Number::of(1.5), 7, i32);
  return list;
}

}  // namespace

void register_arange() {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = "arange";
  def.doc = "start, start + step, ...; integers are computed in i64.";
  def.op_class = graph::OpClass::creation;
  def.min_operands = def.max_operands = 0;
  def.params = {{"start", Kind::number},
                {"step", Kind::number},
                {"length", Kind::extent},
                {"dtype", Kind::dtype},
                {"device", Kind::device}};
  def.infer = infer_arange;
  def.lower = lower_arange;
  def.reference = [](const graph::Node& node, std::span<const reference::Array> operands) {
    return std::vector{move_elements(node, operands, source_of_arange)};
  };
  def.sample = sample_list(sample_arange);
  graph::register_op(std::move(def));
}

}  // namespace sinter::ops
