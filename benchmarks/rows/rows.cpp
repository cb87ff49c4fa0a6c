// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/rows/rows.h"

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
  r.push_back(row("mm_bias_gelu_4096_bf16", {{bf16, {4096, 4096}}, {bf16, {4096, 4096}}, {bf16, {4096}}},
                  [](Arguments a) { return gelu(linear(a[0], a[1], a[2]), {.approximate = Approximate::tanh}); }));
  return r;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> r = make_rows();
  return r;
}

}  // namespace sinter::benchmarks
