// SPDX-License-Identifier: Apache-2.0
#include "tests/support/convolution_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "src/tensor/impl.h"

namespace sinter::test {
namespace {

/// -2 ... 2, and never a pattern that repeats with an extent.
Tensor small_integers(const Dims& shape, DType dtype, int64_t seed) {
  std::vector<float> values(static_cast<size_t>(shape.product()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((static_cast<int64_t>(i) * 7 + seed * 3 + static_cast<int64_t>(i) / 11) % 5 - 2);
  return to(from(values, shape), dtype);
}

Dims identity(size_t rank) {
  Dims dims = Dims::filled(rank, 0);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

/// The same values with the channel innermost in memory.
Tensor in_channels_last_memory(const Tensor& t) {
  const size_t rank = t.shape().size();
  Dims order = identity(rank), back = identity(rank);
  for (size_t d = 1; d < rank; ++d) {
    order[d] = d + 1 < rank ? static_cast<int64_t>(d + 1) : 1;
    back[d] = d == 1 ? static_cast<int64_t>(rank - 1) : static_cast<int64_t>(d - 1);
  }
  return permute(permute(t, order) + 0, back);  // the sum is memory of its own
}

/// The same values, reversed dims in memory and every second element of it.
Tensor in_strided_memory(const Tensor& t) {
  Dims order = identity(t.shape().size());
  std::reverse(order.begin(), order.end());
  const Tensor wide = repeat_interleave(permute(t, order), 2, 0) + 0;
  return permute(slice(wide, 0, 0, std::nullopt, 2), order);
}

bool may_be_channels_last(const Tensor& t) { return t.rank() == 4 || t.rank() == 5; }

/// Every dtype's values are doubles, and zeros of either sign are equal: a sum of nothing but products with zeros has
/// the sign of what a library begins with.
std::string elements_differ(const Tensor& expected, const Tensor& got) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
    return fmt::format("is {}, expected {}", got.text(), expected.text());
  const auto a = to_vector<double>(to(expected, f64)), b = to_vector<double>(to(got, f64));
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return fmt::format("element {} is {}, expected {}", i, b[i], a[i]);
  return {};
}

}  // namespace

std::string ConvolutionCase::text() const {
  return fmt::format("x {} w {} stride {} padding {} dilation {} groups {}{}{}{}{}", x.text(), w.text(),
                     options.stride.text(), options.padding.text(), options.dilation.text(), options.groups,
                     bias ? " bias" : "", x_channels_last ? " channels-last" : "", w_strided ? " strided weight" : "",
                     rectified ? " relu" : "");
}

std::vector<ConvolutionCase> convolution_cases() {
  std::vector<ConvolutionCase> cases;
  const Dims extents{5, 7, 6}, kernels{2, 3, 1};
  for (size_t spatial = 1; spatial <= 3; ++spatial)
    for (int64_t stride = 1; stride <= 3; ++stride)
      for (int64_t dilation = 1; dilation <= 2; ++dilation)
        for (int64_t groups : {1, 2, 4}) {
          const size_t n = cases.size();
          ConvolutionCase c;
          const int64_t batch = std::array<int64_t, 5>{2, -1, 1, 0, 3}[n % 5];
          if (batch >= 0) c.x.push_back(batch);
          c.x.push_back(4);
          c.w = {groups == 4 ? 8 : 6, 4 / groups};
          c.options = {.stride = {}, .padding = {}, .dilation = {}, .groups = groups};
          for (size_t d = 0; d < spatial; ++d) {
            c.x.push_back(extents[d]);
            c.w.push_back(kernels[(d + n) % 3]);
            c.options.stride.push_back((stride + static_cast<int64_t>(d) - 1) % 3 + 1);
            c.options.dilation.push_back(dilation);
            const auto even = static_cast<int64_t>(n % 3);
            c.options.padding.push_back(even);
            c.options.padding.push_back(n % 2 == 0 ? even : (even + static_cast<int64_t>(d) + 1) % 3);
          }
          c.bias = n % 2 == 0;
          c.x_channels_last = spatial > 1 && batch >= 0 && n % 3 != 0;
          c.w_strided = n % 4 == 1;
          c.rectified = n % 5 == 2;
          cases.push_back(c);
        }
  return cases;
}

std::vector<Tensor> convolution_operands(const ConvolutionCase& c, DType dtype, Device device) {
  Tensor x = small_integers(c.x, dtype, 1), w = small_integers(c.w, dtype, 2);
  std::vector<Tensor> operands{to(x, device), to(w, device)};
  if (c.x_channels_last) operands[0] = in_channels_last_memory(operands[0]);
  if (c.w_strided) operands[1] = in_strided_memory(operands[1]);
  if (c.bias) operands.push_back(to(small_integers({c.w[0]}, dtype, 3), device));
  return operands;
}

Tensor convolve(const ConvolutionCase& c, const std::vector<Tensor>& o) {
  const auto apply = [&](auto with_bias, auto without) {
    Tensor y = c.bias ? with_bias() : without();
    return c.rectified ? relu(std::move(y)) : y;
  };
  if (c.spatial() == 1)
    return apply([&] { return conv1d(o[0], o[1], o[2], c.options); }, [&] { return conv1d(o[0], o[1], c.options); });
  if (c.spatial() == 2)
    return apply([&] { return conv2d(o[0], o[1], o[2], c.options); }, [&] { return conv2d(o[0], o[1], c.options); });
  return apply([&] { return conv3d(o[0], o[1], o[2], c.options); }, [&] { return conv3d(o[0], o[1], c.options); });
}

std::string difference_on(const ConvolutionCase& c, DType dtype, Device device, bool compiled) {
  const auto program = [&](const std::vector<Tensor>& in) { return convolve(c, in); };
  const Tensor expected = compile(program, {.backend = "reference"})(convolution_operands(c, dtype, Device::cpu()));
  const std::vector<Tensor> operands = convolution_operands(c, dtype, device);
  const Tensor got = compiled ? compile(program)(operands) : program(operands);
  if (std::string d = elements_differ(expected, got); !d.empty()) return d;
  const tensor::TensorImpl& t = *got.impl();
  const bool last = c.x_channels_last && may_be_channels_last(operands[0]);
  const bool right = last ? tensor::is_channels_last(t.shape, t.strides) : tensor::is_contiguous(t.shape, t.strides);
  return right || got.numel() == 0 ? "" : fmt::format("has strides {}", t.strides.text());
}

}  // namespace sinter::test
