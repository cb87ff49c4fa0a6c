// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "src/loop/canonical_fold.h"
#include "tests/fuzz/compare.h"
#include "tests/support/op_cases.h"

namespace sinter::fuzz {
namespace {

using Random = std::mt19937_64;

/// Elements before and after an input; a multiple of 64 bytes for every dtype.
constexpr int64_t slack = 1 << 16;

enum class Style : uint8_t { usual, whole, unit, wide };

/// `finite`: a NaN among hundreds would be all that a fold of them shows, whatever else it does wrong.
double floating_value(Style style, bool finite, Random& random) {
  const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5};
  if (random() % 24 == 0) {
    const double s = specials[random() % std::size(specials)];
    return finite && !std::isfinite(s) ? 0.25 : s;
  }
  const double unit = std::uniform_real_distribution<double>(0, 1)(random);
  switch (style) {
    case Style::usual:
      return 8 * unit - 4;
    case Style::whole:
      return std::trunc(40 * unit - 20);
    case Style::unit:
      return unit;
    case Style::wide:
      return std::ldexp(2 * unit - 1, static_cast<int>(random() % 24));
  }
  return 0;
}

scalar::Constant element(DType dtype, Style style, bool finite, Random& random) {
  const DType compute = scalar::compute_type(dtype);
  if (dtype.is_boolean()) return scalar::constant_bool((random() & 1) != 0);
  if (dtype.is_floating())
    return reference::rounded(scalar::constant_of(compute, floating_value(style, finite, random)), dtype);
  const int64_t range = style == Style::whole ? 40 : 9;
  const auto v = style == Style::wide ? static_cast<int64_t>(random())
                                      : static_cast<int64_t>(random() % static_cast<uint64_t>(range)) -
                                            (dtype.is_signed() ? range / 2 : 0);
  return reference::rounded(scalar::constant_int(compute, v), dtype);
}

Input make_input(DType dtype, const Dims& shape, const Dims& strides, int64_t offset, int misaligned, Random& random) {
  const uint64_t first_draw = Random(random)();  // of a copy: the data stay what they were otherwise
  int64_t last = offset;
  for (size_t d = 0; d < shape.size(); ++d) last += std::max<int64_t>(strides[d], 0) * (shape[d] - 1);
  const int64_t begin = slack + misaligned, size = shape.product() == 0 ? 0 : last + 1;
  const Tensor block = tensor::empty({begin + size + slack}, dtype, Device::cpu());
  auto* bytes = static_cast<std::byte*>(block.impl()->data());
  // Not zero, and no common element: 0x35 is a small normal value of every dtype.
  std::memset(bytes, dtype.is_boolean() ? 1 : 0x35, static_cast<size_t>((begin + size + slack) * dtype.bytes()));
  const auto style = static_cast<Style>(random() % 4);
  const bool finite = size > loop::reduction_partials && first_draw % 4 != 0;
  for (int64_t i = 0; i < size; ++i)
    scalar::store_element(bytes + (begin + i) * dtype.bytes(), dtype, element(dtype, style, finite, random));
  Input input{tensor::make_tensor(block.impl()->storage, dtype, shape, strides, begin),
              reference::Array::zeros(dtype, shape)};
  int64_t position = 0;
  reference::for_each_index(shape, [&](const Dims& index) {
    int64_t at = begin + offset;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    input.dense.set(position++, scalar::load_element(bytes + at * dtype.bytes(), dtype));
  });
  return input;
}

/// All memory around a tensor.
Tensor block_of(const tensor::TensorImpl& t) {
  const auto elements = static_cast<int64_t>(t.storage->bytes) / t.dtype.bytes();
  return tensor::make_tensor(t.storage, t.dtype, {elements}, {1});
}

}  // namespace

std::vector<Input> make_inputs(const graph::Graph& graph, std::span<const int64_t> symbols, uint64_t seed,
                               int misaligned) {
  std::vector<Input> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const graph::ValueType& type = graph.type(graph.inputs()[i]);
    const graph::Layout& layout = graph.input_layout(i);
    Dims strides;
    for (graph::Expr e : layout.strides) strides.push_back(value_of(e, symbols));
    Random random(seed * 1000003 + i);
    inputs.push_back(
        make_input(type.dtype, shape_of(type, symbols), strides, value_of(layout.offset, symbols), misaligned, random));
  }
  return inputs;
}

Tensor to_device(const Input& input, Device device, bool written) {
  if (device.is_cpu() && !written) return input.tensor;
  const tensor::TensorImpl& t = *input.tensor.impl();
  const Tensor copy = tensor::copy_to_device(block_of(t), device);
  return tensor::make_tensor(copy.impl()->storage, t.dtype, t.shape, t.strides, t.offset);
}

std::string difference_in_place(const Input& input, const Tensor& tensor, int64_t offset,
                                const reference::Array& elements, const NanBits& ignored) {
  const tensor::TensorImpl& t = *tensor.impl();
  const Tensor is = tensor::copy_to_device(block_of(t), Device::cpu());
  const Tensor was = tensor::copy_to_device(block_of(*input.tensor.impl()), Device::cpu());
  const auto written = [&](const Tensor& block) {
    return tensor::make_tensor(block.impl()->storage, t.dtype, t.shape, t.strides, t.offset + offset);
  };
  reference::Array got = reference::Array::zeros(t.dtype, t.shape);
  if (!got.data.empty()) tensor::read_elements(*written(is).impl(), got.data.data());
  if (const std::string d = difference(elements, got, ignored); !d.empty()) return d;
  tensor::write_elements(*written(was).impl(), got.data.data());
  const bool kept = std::memcmp(was.impl()->data(), is.impl()->data(), was.impl()->storage->bytes) == 0;
  return kept ? "" : "memory beside the elements was written";
}

}  // namespace sinter::fuzz
