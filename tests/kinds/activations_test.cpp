// SPDX-License-Identifier: Apache-2.0
// Activations of several ops: slopes of channels and gates of halves stand where they belong.
#include <gtest/gtest.h>

#include "tests/kinds/everywhere.h"

namespace sinter::test {
namespace {

Tensor numbered(const Dims& shape) { return reshape(arange(shape.product()), shape); }

TEST(Slopes, AreThoseOfTheChannel) {
  const std::vector<Dims> shapes = {{}, {5}, {4, 3}, {2, 3, 5}, {2, 3, 4, 2}};
  for (const Dims& shape : shapes) {
    SCOPED_TRACE(shape.text());
    const int64_t channels = shape.size() < 2 ? 1 : shape[1];
    const Tensor x = to(numbered(shape), f32) * 0.5 - 7;
    const Tensor slopes = to(arange(channels), f32) * 0.25 - 1;
    int64_t inner = 1;
    for (size_t d = 2; d < shape.size(); ++d) inner *= shape[d];
    const Tensor channel = remainder(floor_divide(numbered(shape), inner), channels);
    const Tensor expected = where(x > 0, x, x * (to(channel, f32) * 0.25 - 1));
    const auto runs = everywhere([](const Tensors& in) -> Tensors { return {prelu(in[0], in[1])}; }, {x, slopes});
    expect_everywhere(runs, 0, expected);
  }
}

TEST(Gates, AreTheSecondHalves) {
  const Dims shape = {4, 2, 6};
  const Tensor x = to(numbered(shape), f32) * 0.25 - 6;
  for (const int64_t dim : {0, 1, 2, -1, -3}) {
    SCOPED_TRACE(dim);
    const int64_t half = shape[static_cast<size_t>(dim < 0 ? dim + 3 : dim)] / 2;
    const Tensor expected = slice(x, dim, 0, half) * sigmoid(slice(x, dim, half));
    const auto runs = everywhere([&](const Tensors& in) -> Tensors { return {glu(in[0], dim)}; }, {x});
    expect_everywhere(runs, 0, expected);
  }
}

}  // namespace
}  // namespace sinter::test
