// SPDX-License-Identifier: Apache-2.0
#include "src/reference/array.h"

#include <fmt/format.h>
#include <sinter/error.h>

namespace sinter::reference {

Array Array::zeros(DType dtype, const Dims& shape) {
  const auto bytes = static_cast<size_t>(shape.product()) * static_cast<size_t>(dtype.bytes());
  return {dtype, shape, std::vector<std::byte>(bytes)};
}

Array Array::of(DType dtype, const Dims& shape, std::span<const double> values) {
  if (static_cast<int64_t>(values.size()) != shape.product())
    throw CompileError(fmt::format("internal: {} values for an array of shape {}", values.size(), shape.text()));
  Array a = zeros(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i)
    a.set(static_cast<int64_t>(i), rounded(scalar::constant_of(scalar::compute_type(dtype), values[i]), dtype));
  return a;
}

scalar::Constant Array::at(int64_t i) const { return scalar::load_element(data.data() + byte(i), dtype); }

void Array::set(int64_t i, const scalar::Constant& value) {
  scalar::store_element(data.data() + byte(i), dtype, value);
}

size_t Array::byte(int64_t i) const {
  if (i < 0 || i >= size()) throw CompileError(fmt::format("internal: element {} of an array of {}", i, size()));
  return static_cast<size_t>(i) * static_cast<size_t>(dtype.bytes());
}

int64_t Array::offset(const Dims& index) const {
  int64_t at = 0;
  bool inside = index.size() == shape.size();
  for (size_t d = 0; d < shape.size() && inside; ++d) {
    inside = index[d] >= 0 && index[d] < shape[d];
    at = at * shape[d] + index[d];
  }
  if (!inside)
    throw CompileError(fmt::format("internal: index {} of an array of shape {}", index.text(), shape.text()));
  return at;
}

scalar::Constant rounded(const scalar::Constant& value, DType dtype) {
  return scalar::evaluate(scalar::ScalarOp::round_to, {&value, 1}, dtype);
}

}  // namespace sinter::reference
