// SPDX-License-Identifier: Apache-2.0
#include "src/ops/random_pair.h"

#include "src/ops/dispatch.h"
#include "src/ops/host_operand.h"

namespace sinter::ops {

NumberPair::NumberPair(graph::AttributeReader& attributes) {
  for (graph::Scalar* number : {&first, &second}) {
    if (!attributes.flag()) continue;
    *number = attributes.number();
    given = true;
  }
}

Tensor draw(const graph::OpDef& op, std::string_view function, const Dims& shape, DType dtype, Device device,
            SourceLine line) {
  const Draw next = next_draw(device, function, line);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(next.after)).extents(shape).dtype(dtype).flag(false).flag(false);
  return dispatch_draw(op, next, attributes, line);
}

Tensor draw_between(const graph::OpDef& op, std::string_view function, const graph::Number& first,
                    const graph::Number& second, const Dims& shape, DType dtype, Device device, SourceLine line) {
  const Draw next = next_draw(device, function, line);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(next.after)).extents(shape).dtype(dtype);
  attributes.flag(true).number(first).flag(true).number(second);
  return dispatch_draw(op, next, attributes, line);
}

Tensor draw_like(const graph::OpDef& op, std::string_view function, Operand& x, std::optional<DType> dtype) {
  const Draw next = next_draw(require_tensor(x, function).device(), function, x.line());
  Operand state(next.state);
  graph::CallAttributes attributes;
  attributes.varying(graph::Number::of(next.after)).flag(dtype.has_value()).dtype(dtype.value_or(f32));
  return dispatch(op, {&x, &state}, attributes.flag(false).flag(false));
}

std::vector<graph::SampleCall> pair_samples(const std::array<std::array<double, 2>, 2>& pairs) {
  using graph::Number;
  std::vector<graph::SampleCall> list;
  const auto begin = [](int64_t draw, const Dims& shape, DType dtype) {
    return graph::CallAttributes().number(Number::of(draw)).extents(shape).dtype(dtype);
  };
  const auto add = [&](graph::CallAttributes call, const std::array<double, 2>& pair) {
    list.push_back(random_sample(call.flag(true).number(Number::of(pair[0])).flag(true).number(Number::of(pair[1]))));
  };
  for (const DType t : {f16, bf16, f32, f64}) {
    list.push_back(random_sample(begin(3, {1023}, t).flag(false).flag(false)));
    add(begin(-1, {3, 17}, t), pairs[0]);
    add(begin(5, {7}, t), pairs[1]);
  }
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{16, 1, 17}, Dims{2, 0, 3}, Dims{65537}})
    list.push_back(random_sample(begin(int64_t{1} << 40, shape, f32).flag(false).flag(false)));
  return list;
}

}  // namespace sinter::ops
