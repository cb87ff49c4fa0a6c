// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/rows/rows.h"

#include <cmath>

namespace sinter::benchmarks {
namespace {

using Arguments = const std::vector<Tensor>&;
using Results = std::vector<Tensor>;

Results results_of(Tensor t) { return {std::move(t)}; }
Results results_of(Results r) { return r; }

/// f returns a tensor or Results.
template <class F>
Row row(std::string name, std::vector<Argument> arguments, F f) {
  auto compiled = compile(std::move(f), {.name = name});
  return {std::move(name), std::move(arguments), [compiled](Arguments a) mutable { return results_of(compiled(a)); },
          [compiled](Arguments a) mutable { return compiled.explain(a); }};
}

/// One step of AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization") as PyTorch writes it; the tenth
/// step of lr 1e-3, betas 0.9 and 0.999, eps 1e-8, weight decay 0.01.
Results adamw(Arguments a) {
  constexpr double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01, steps = 10;
  const double correction1 = 1 - std::pow(beta1, steps), correction2 = std::sqrt(1 - std::pow(beta2, steps));
  const Tensor &param = a[0], &grad = a[1];
  Tensor m = a[2] + (grad - a[2]) * (1 - beta1);
  Tensor v = a[3] * beta2 + grad * grad * (1 - beta2);
  Tensor p = param * (1 - lr * decay) - m * (lr / correction1) / (sqrt(v) / correction2 + eps);
  return {std::move(p), std::move(m), std::move(v)};
}

Results eight_outputs(Arguments a) {
  const Tensor& x = a[0];
  return {x + 1, x * 2, relu(x), abs(x), neg(x), x * x, sigmoid(x), tanh(x)};
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
  r.push_back(row("adamw_2^27_f32", std::vector<Argument>(4, {f32, {2 * n}}), adamw));
  r.push_back(row("broadcast_mask_256x512x1021_f16",
                  {{boolean, {256, 512, 1021}}, {f16, {256, 1, 1021}}, {f16, {1, 512, 1021}}, {f16, {256, 512, 1}}},
                  [](Arguments a) { return where(a[0], a[1] * a[2] + a[3], 0); }));
  r.push_back(row("multi_output_8_f32", {{f32, {n / 4}}}, eight_outputs));
  return r;
}

}  // namespace

const std::vector<Row>& rows() {
  static const std::vector<Row> r = make_rows();
  return r;
}

}  // namespace sinter::benchmarks
