// SPDX-License-Identifier: Apache-2.0
#include <sinter/pooling.h>

#include <fmt/format.h>

#include "src/ops/describe.h"
#include "src/ops/families.h"
#include "src/ops/float_operand.h"
#include "src/ops/move_elements.h"
#include "src/ops/refusals.h"
#include "src/ops/row_reference.h"
#include "src/ops/samples.h"
#include "src/ops/window.h"

namespace sinter::ops {
namespace {

/// One number for each of n dims, of as many or of one for all.
Dims for_each_dim(std::string_view op, const Operand& x, const Dims& given, size_t n) {
  if (given.size() == n) return given;
  if (given.size() != 1)
    refuse(op, x.line(), fmt::format("{} for {} dims", given.text(), n), "give one number a dim, or one for all");
  return Dims::filled(n, given[0]);
}

Windows windows_of(std::string_view op, const Operand& x, size_t n, const Dims& kernel, const Dims& stride,
                   const Dims& padding, const Dims& dilation, bool ceil) {
  return {for_each_dim(op, x, kernel, n), for_each_dim(op, x, stride.empty() ? kernel : stride, n),
          for_each_dim(op, x, padding, n), for_each_dim(op, x, dilation, n), ceil};
}

Tensor max_pool(std::string_view name, Operand& x, size_t n, const Dims& kernel, const MaxPoolOptions& o) {
  return dispatch(op<"max_pool">(), {&x},
                  window_attributes(windows_of(name, x, n, kernel, o.stride, o.padding, o.dilation, o.ceil_mode)));
}

graph::CallAttributes avg_attributes(const Windows& w, bool count_include_pad, int64_t divisor) {
  return window_attributes(w).flag(count_include_pad).integer(divisor);
}

Tensor avg_pool(std::string_view name, Operand& x, size_t n, const Dims& kernel, const AvgPoolOptions& o) {
  const Windows w = windows_of(name, x, n, kernel, o.stride, o.padding, {1}, o.ceil_mode);
  return dispatch(op<"avg_pool">(), {&x}, avg_attributes(w, o.count_include_pad, o.divisor_override));
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor max_pool1d(Operand x, const Dims& kernel, const MaxPoolOptions& options) {
  return ops::max_pool("max_pool1d", x, 1, kernel, options);
}
Tensor max_pool2d(Operand x, const Dims& kernel, const MaxPoolOptions& options) {
  return ops::max_pool("max_pool2d", x, 2, kernel, options);
}
Tensor max_pool3d(Operand x, const Dims& kernel, const MaxPoolOptions& options) {
  return ops::max_pool("max_pool3d", x, 3, kernel, options);
}
Tensor avg_pool1d(Operand x, const Dims& kernel, const AvgPoolOptions& options) {
  return ops::avg_pool("avg_pool1d", x, 1, kernel, options);
}
Tensor avg_pool2d(Operand x, const Dims& kernel, const AvgPoolOptions& options) {
  return ops::avg_pool("avg_pool2d", x, 2, kernel, options);
}
Tensor avg_pool3d(Operand x, const Dims& kernel, const AvgPoolOptions& options) {
  return ops::avg_pool("avg_pool3d", x, 3, kernel, options);
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using graph::Graph;
using graph::Node;
using graph::Value;
using reference::Array;

std::vector<graph::ValueType> infer_max(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const graph::ValueType& x = context.operand(0);
  if (x.dtype.is_boolean()) context.fail("boolean has no order", "cast with to(t, u8)");
  return {{x.dtype, windowed_shape(context, read_windows(attributes))}};
}

std::vector<graph::ValueType> infer_avg(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  require_floating(context, 0);
  return {{context.operand(0).dtype, windowed_shape(context, read_windows(attributes))}};
}

std::vector<Value> decompose_max(Graph& g, const Node& node) {
  Composer c(g, node.line);
  graph::AttributeReader attributes(node.attributes);
  return {fold_windows(c, node.operands[0], read_windows(attributes), true)};
}

std::vector<Value> decompose_avg(Graph& g, const Node& node) {
  Composer c(g, node.line);
  graph::AttributeReader attributes(node.attributes);
  const Windows w = read_windows(attributes);
  const bool with_padding = attributes.flag();
  const int64_t divisor = attributes.integer();
  const DType dtype = node.results[0].dtype;
  const Value x = c.to(node.operands[0], scalar::compute_type(dtype)), sum = fold_windows(c, x, w, false);
  if (divisor != 0) return {c.to(c.binary<"div">(sum, c.literal(graph::Number::of(divisor))), dtype)};
  return {c.to(c.binary<"div">(sum, window_counts(c, c.type(x), w, with_padding)), dtype)};
}

/// f(elements of the window that are in x, elements between it and the padding's end) for each window.
template <class F>
Array fold_each_window(const Node& node, const Array& x, const Windows& w, const F& f) {
  Array result = Array::zeros(x.dtype, result_shape(node));
  const size_t leading = x.shape.size() - w.rank();
  reference::for_each_index(result.shape, [&](const Dims& index) {
    std::vector<scalar::Constant> values;
    int64_t inside = 0, padded = 0;
    reference::for_each_index(w.kernel, [&](const Dims& tap) {
      Dims at = index;
      bool is_inside = true, is_padded = true;
      for (size_t d = 0; d < w.rank(); ++d) {
        int64_t& i = at[leading + d];
        i = i * w.stride[d] - w.padding[d] + tap[d] * w.dilation[d];
        is_inside = is_inside && i >= 0 && i < x.shape[leading + d];
        is_padded = is_padded && i < x.shape[leading + d] + w.padding[d];
      }
      inside += is_inside;
      padded += is_padded;
      values.push_back(is_inside ? x.at(at) : f.fill(x.dtype));
    });
    result.set(index, f(values, inside, padded));
  });
  return result;
}

struct LargestOfWindow {
  scalar::Constant fill(DType t) const {
    return scalar::reduction_identity(scalar::ReduceKind::amax, scalar::compute_type(t));
  }
  scalar::Constant operator()(const std::vector<scalar::Constant>& v, int64_t, int64_t) const {
    return reference::fold(scalar::ReduceKind::amax, v[0].dtype, v);
  }
};

struct MeanOfWindow {
  bool with_padding;
  int64_t divisor;
  scalar::Constant fill(DType t) const { return scalar::constant_of(t, 0); }
  scalar::Constant operator()(const std::vector<scalar::Constant>& v, int64_t inside, int64_t padded) const {
    const int64_t count = divisor != 0 ? divisor : with_padding ? padded : inside;
    const scalar::Constant quotient[] = {reference::fold(scalar::ReduceKind::sum, v[0].dtype, v),
                                         scalar::constant_of(v[0].dtype, static_cast<double>(count))};
    return scalar::evaluate(scalar::ScalarOp::div, quotient);
  }
};

std::vector<Array> reference_max(const Node& node, std::span<const Array> operands) {
  graph::AttributeReader attributes(node.attributes);
  return {fold_each_window(node, operands[0], read_windows(attributes), LargestOfWindow{})};
}

std::vector<Array> reference_avg(const Node& node, std::span<const Array> operands) {
  graph::AttributeReader attributes(node.attributes);
  const Windows w = read_windows(attributes);
  const bool with_padding = attributes.flag();
  const MeanOfWindow mean{with_padding, attributes.integer()};
  const Array wide = converted(operands[0], scalar::compute_type(operands[0].dtype));
  return {converted(fold_each_window(node, wide, w, mean), operands[0].dtype)};
}

std::vector<graph::SampleCall> sample_max() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Windows& w) {
    list.push_back(sample_call({sample_type(t, shape)}, window_attributes(w)));
  };
  for (const DType t : all_dtypes)
    if (!t.is_boolean()) add(t, {2, 3, 9, 10}, {{3, 2}, {2, 2}, {1, 1}, {1, 1}, false});
  add(f32, {3, 17}, {{3}, {2}, {0}, {2}, true});
  add(f32, {2, 5, 6, 7}, {{2, 2, 2}, {2, 1, 2}, {1, 0, 1}, {1, 1, 1}, true});
  add(f32, {2, 20, 21}, {{9, 8}, {4, 3}, {4, 2}, {1, 1}, true});
  add(f32, {0, 3, 5}, {{2}, {2}, {0}, {1}, false});
  return list;
}

std::vector<graph::SampleCall> sample_avg() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Windows& w, bool with_padding, int64_t divisor) {
    list.push_back(sample_call({sample_type(t, shape)}, avg_attributes(w, with_padding, divisor), 0, 4));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    add(t, {2, 3, 9, 10}, {{3, 2}, {2, 2}, {1, 1}, {1, 1}, false}, true, 0);
    add(t, {2, 9, 10}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}, true}, false, 0);
  }
  add(f32, {3, 17}, {{4}, {4}, {2}, {1}, true}, true, 0);
  add(f32, {2, 5, 6, 7}, {{2, 2, 2}, {2, 1, 2}, {1, 0, 1}, {1, 1, 1}, true}, false, 3);
  add(f32, {2, 20, 21}, {{9, 8}, {4, 3}, {4, 2}, {1, 1}, true}, false, 0);
  add(f32, {0, 3, 5}, {{2}, {2}, {0}, {1}, false}, true, 0);
  return list;
}

graph::OpDef pooling_op(std::string_view name, std::string_view doc) {
  graph::OpDef def;
  def.name = name;
  def.doc = doc;
  def.op_class = graph::OpClass::reduction;
  def.params = window_params();
  return def;
}

}  // namespace

void register_pooling() {
  using graph::ParamKind;
  graph::OpDef max = pooling_op("max_pool", "The largest element of each window over the last dims; NaN wins.");
  max.infer = infer_max;
  max.decompose = decompose_max;
  max.reference = reference_max;
  max.sample = sample_list(sample_max);
  graph::register_op(std::move(max));
  graph::OpDef avg = pooling_op("avg_pool", "The mean of each window over the last dims.");
  avg.params.push_back({"count_include_pad", ParamKind::flag});
  avg.params.push_back({"divisor_override", ParamKind::integer});
  avg.infer = infer_avg;
  avg.decompose = decompose_avg;
  avg.reference = reference_avg;
  avg.sample = sample_list(sample_avg);
  graph::register_op(std::move(avg));
}

}  // namespace sinter::ops
