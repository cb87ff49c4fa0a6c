// SPDX-License-Identifier: Apache-2.0
// PyTorch's convolutions and batch norms (tests/golden/convolution.txt): values, dtypes, strides and refusals.
#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "src/scalar/scalar_ops.h"
#include "tests/ops/golden.h"

namespace sinter {
namespace {

/// As tools/golden/convolution.py has them.
Tensor values(int64_t seed, const Dims& shape, DType dtype = f32) {
  std::vector<double> v(static_cast<size_t>(shape.product()));
  for (size_t n = 0; n < v.size(); ++n) {
    const auto i = static_cast<int64_t>(n);
    v[n] = static_cast<double>((i * 37 + seed * 11 + i / 7) % 64 - 32) / 16;
  }
  return to(from(v, shape), dtype);
}

Tensor channels_last(const Tensor& t) { return permute(permute(t, {0, 2, 3, 1}) + 0, {0, 3, 1, 2}); }

struct Operands {
  DType dtype = f32;
  bool bias = true, last = false;
};

Tensor conv(const Dims& x, const Dims& w, const ConvOptions& options = {}, const Operands& o = {}) {
  const Tensor a = o.last ? channels_last(values(1, x, o.dtype)) : values(1, x, o.dtype), b = values(2, w, o.dtype);
  const Tensor c = o.bias ? values(3, {w[0]}, o.dtype) : Tensor();
  auto f = compile([&](const Tensor& image) {
    if (w.size() == 3) return conv1d(image, b, c, options);
    return w.size() == 4 ? conv2d(image, b, c, options) : conv3d(image, b, c, options);
  });
  return f(a);
}

Tensor norm(const Dims& shape, DType dtype, DType parameters, bool weight, bool bias, double eps = 1e-5) {
  const auto p = [&](int64_t seed) { return values(seed, {shape[1]}, parameters); };
  const Tensor mean = p(2), var = abs(p(3)) + 0.5;
  const BatchNormOptions options{.weight = weight ? p(4) : Tensor(), .bias = bias ? p(5) : Tensor(), .eps = eps};
  auto f = compile([&](const Tensor& x) { return batch_norm(x, mean, var, options); });
  return f(values(1, shape, dtype));
}

using Cases = std::map<std::string, std::function<Tensor()>>;

Cases convolutions() {
  return {
      {"conv1d", [] { return conv({2, 3, 9}, {4, 3, 3}, {.stride = {2}, .padding = {1}}); }},
      {"conv1d_unbatched", [] { return conv({3, 9}, {4, 3, 2}, {.dilation = {3}}, {.bias = false}); }},
      {"conv1d_uneven", [] { return conv({1, 2, 5}, {2, 2, 3}, {.padding = {2, 0}}); }},
      {"conv2d", [] { return conv({2, 3, 5, 6}, {4, 3, 3, 2}, {.stride = {2, 1}, .padding = {1, 0}}); }},
      {"conv2d_depthwise", [] { return conv({1, 4, 5, 4}, {8, 1, 3, 3}, {.padding = {1}, .groups = 4}); }},
      {"conv2d_uneven", [] { return conv({1, 2, 4, 5}, {3, 2, 2, 3}, {.padding = {1, 0, 2, 1}}); }},
      {"conv2d_channels_last", [] { return conv({2, 4, 5, 3}, {3, 4, 3, 3}, {.padding = {1}}, {.last = true}); }},
      {"conv2d_f16", [] { return conv({1, 3, 4, 4}, {2, 3, 3, 3}, {.padding = {1}}, {.dtype = f16}); }},
      {"conv2d_bf16",
       [] { return conv({1, 3, 4, 4}, {2, 3, 3, 3}, {.padding = {1}}, {.dtype = bf16, .bias = false}); }},
      {"conv2d_i32", [] { return conv({1, 3, 4, 4}, {2, 3, 3, 3}, {}, {.dtype = i32, .bias = false}); }},
      {"conv2d_empty", [] { return conv({0, 3, 4, 4}, {2, 3, 3, 3}); }},
      {"conv2d_kernel_too_large", [] { return conv({1, 3, 2, 4}, {2, 3, 3, 3}); }},
      {"conv2d_groups", [] { return conv({1, 4, 4, 4}, {6, 1, 3, 3}, {.groups = 4}); }},
      {"conv3d",
       [] {
         return conv({1, 2, 3, 4, 3}, {2, 2, 2, 3, 2}, {.stride = {1, 2, 1}, .padding = {0, 1, 1}}, {.dtype = f64});
       }},
  };
}

Cases norms() {
  return {
      {"norm", [] { return norm({2, 3, 4, 2}, f32, f32, true, true); }},
      {"norm_bare", [] { return norm({3, 5}, f32, f32, false, false, 0.25); }},
      {"norm_weight", [] { return norm({2, 3, 4}, f64, f64, true, false); }},
      {"norm_f16", [] { return norm({2, 3, 4}, f16, f32, true, true); }},
      {"norm_bf16", [] { return norm({2, 3, 4}, bf16, f32, false, true); }},
  };
}

struct Tolerance {
  int64_t ulps = 0;
  double absolute = 0;  ///< also good enough: what is left where terms cancel
};

double value_of(DType dtype, uint64_t bits) { return scalar::as_double(scalar::load_element(&bits, dtype)); }

void expect_golden(const Tensor& got, const std::vector<std::string>& words, const Tolerance& tolerance) {
  ASSERT_EQ(got.dtype().name(), words[2]);
  ASSERT_EQ(got.shape(), Dims(std::span<const int64_t>(golden::integers(words[3]))));
  ASSERT_EQ(static_cast<size_t>(got.numel()), words.size() - 4);
  if (got.numel() > 0) {
    EXPECT_EQ(got.strides(), Dims(std::span<const int64_t>(golden::integers(words[1]))));
  }
  const auto size = static_cast<size_t>(got.dtype().bytes());
  std::vector<std::byte> bytes(static_cast<size_t>(got.numel()) * size);
  copy_to_host(got, bytes.data(), got.dtype(), SourceLine::current());
  for (size_t i = 0; i + 4 < words.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    const uint64_t expected = golden::bits(words[i + 4]);
    const double distance = std::fabs(value_of(got.dtype(), expected) - value_of(got.dtype(), bits));
    EXPECT_TRUE(golden::close(got.dtype(), expected, bits, tolerance.ulps, true) || distance <= tolerance.absolute)
        << "element " << i << " is " << std::hex << bits << ", expected " << words[i + 4];
  }
}

void expect_goldens(const Cases& cases, const Tolerance& tolerance) {
  size_t found = 0;
  for (const auto& words : golden::read("convolution")) {
    const auto c = cases.find(words[0]);
    if (c == cases.end()) continue;
    ++found;
    SCOPED_TRACE(words[0]);
    if (words[1] == "-") {
      EXPECT_THROW(c->second(), UserError);
    } else {
      expect_golden(c->second(), words, tolerance);
    }
  }
  EXPECT_EQ(found, cases.size());
}

// Sums of these products are exact in f32, and so is the bias on top; what is rounded is rounded once.
TEST(ConvolutionGolden, GivesWhatPyTorchGives) { expect_goldens(convolutions(), {}); }
// PyTorch multiplies with the reciprocal of the deviation and adds a shift made of mean, scale and bias: a few
// roundings of terms of up to 4.
TEST(BatchNormGolden, GivesWhatPyTorchGives) { expect_goldens(norms(), {.ulps = 8, .absolute = 4 * 0x1p-23}); }

}  // namespace
}  // namespace sinter
