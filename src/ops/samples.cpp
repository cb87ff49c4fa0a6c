// SPDX-License-Identifier: Apache-2.0
#include "src/ops/samples.h"

namespace sinter::ops {

graph::ValueType sample_type(DType dtype, const Dims& shape) {
  graph::ValueType type{dtype, {}};
  for (int64_t d : shape) type.shape.emplace_back(d);
  return type;
}

graph::SampleCall sample_call(std::vector<graph::ValueType> operands, const graph::CallAttributes& attributes,
                              double low, double high) {
  graph::SampleCall call;
  call.operands = std::move(operands);
  call.attributes = graph::literal_attributes(attributes);
  call.low = low;
  call.high = high;
  return call;
}

std::function<std::optional<graph::SampleCall>(int)> sample_list(
    std::function<std::vector<graph::SampleCall>()> make_list) {
  return [make = std::move(make_list)](int variant) -> std::optional<graph::SampleCall> {
    auto list = make();
    if (variant < 0 || static_cast<size_t>(variant) >= list.size()) return std::nullopt;
    return std::move(list[static_cast<size_t>(variant)]);
  };
}

}  // namespace sinter::ops
