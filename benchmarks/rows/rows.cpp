// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/rows/rows.h"

#include <memory>

namespace sinter::benchmarks {
namespace {

template <class F>
Row row(std::string name, std::vector<Argument> arguments, F f) {
  auto compiled = compile(std::move(f), {.name = name});
  return {std::move(name), std::move(arguments),
          [compiled](const std::vector<Tensor>& a) mutable { return compiled(a); },
          [compiled](const std::vector<Tensor>& a) mutable { return compiled.explain(a); }};
}

using Arguments = const std::vector<Tensor>&;

/// relu(batch_norm(conv2d(x))) with frozen weights w, mean, var, weight, bias: those of the first call stay.
Row frozen_layer() {
  const Dims image{64, 256, 56, 56}, last{256 * 56 * 56, 1, 56 * 256, 256};
  std::vector<Argument> arguments{{f16, image, last}, {f16, {256, 256, 3, 3}, {256 * 9, 1, 3 * 256, 256}}};
  arguments.resize(6, {f16, {256}});
  auto weights = std::make_shared<std::vector<Tensor>>();
  const auto layer = [weights](const Tensor& x) {
    const std::vector<Tensor>& w = *weights;
    return relu(batch_norm(conv2d(x, w[0], {.padding = {1}}), w[1], w[2], w[3], w[4]));
  };
  auto compiled = compile(layer, {.name = "conv_bn_relu"});
  const auto freeze_first = [weights](Arguments a) {
    for (size_t i = weights->size() + 1; i < a.size(); ++i) weights->push_back(freeze(a[i] + 0));
  };
  return {"conv_bn_relu_64x256x56_f16", std::move(arguments),
          [=](Arguments a) mutable {
            freeze_first(a);
            return compiled(a[0]);
          },
          [=](Arguments a) mutable { return compiled.explain(a[0]); }};
}

std::vector<Row> make_rows() {
  const Tensor mean = from<float>({0.485f, 0.456f, 0.406f}), deviation = from<float>({0.229f, 0.224f, 0.225f});
  const auto relu_chain = [](Arguments a) { return relu(a[0] + 1) * 2; };
  const int64_t n = int64_t{1} << 26;
  std::vector<Row> r;
  r.push_back(row("pointwise_relu_f32_64M", {{f32, {n}}}, relu_chain));
  r.push_back(row("pointwise_relu_f16_64M", {{f16, {n}}}, relu_chain));
  r.push_back(row("preproc_u8hwc_to_f16chw_32x1080p", {{u8, {32, 1080, 1920, 3}}}, [mean, deviation](Arguments a) {
    return to(permute((to(a[0], f32) / 255 - mean) / deviation, {0, 3, 1, 2}), f16);
  }));
  r.push_back(row("transpose_add_8192_f16", {{f16, {8192, 8192}}, {f16, {8192, 8192}}},
                  [](Arguments a) { return transpose(a[0], 0, 1) + a[1]; }));
  r.push_back(row("nchw_f32_to_nhwc_bf16_scale", {{f32, {64, 256, 56, 56}}},
                  [](Arguments a) { return to(permute(a[0] * 0.5f, {0, 2, 3, 1}), bf16); }));
  r.push_back(row("swiglu_8192x14336_bf16", {{bf16, {8192, 14336}}, {bf16, {8192, 14336}}},
                  [](Arguments a) { return silu(a[0]) * a[1]; }));
  r.push_back(row("chain20_16k_f32", {{f32, {16384}}, {f32, {16384}}}, [](Arguments a) {
    Tensor x = a[0];
    for (int i = 0; i < 10; ++i) x = sigmoid(x * 1.01f + a[1]) - 0.5f;
    return x;
  }));
  r.push_back(row("preproc_resize224_norm_32x1080p", {{u8, {32, 1080, 1920, 3}}}, [mean, deviation](Arguments a) {
    Tensor x = image::resize(to(a[0], f32), {224, 224}) / 255;
    return to(permute(clamp((std::move(x) - mean) / deviation, -3, 3), {0, 3, 1, 2}), f16);
  }));
  r.push_back(row("sum_all_f32_64M", {{f32, {n}}}, [](Arguments a) { return sum(a[0] * a[0]); }));
  r.push_back(
      row("colsum_65536x4096_bf16", {{bf16, {65536, 4096}}}, [](Arguments a) { return sum(a[0], {.dims = {0}}); }));
  r.push_back(frozen_layer());
  return r;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> r = make_rows();
  return r;
}

}  // namespace sinter::benchmarks
