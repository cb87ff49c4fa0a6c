// SPDX-License-Identifier: Apache-2.0
#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <cstdio>

namespace sn = sinter;

constexpr const char* cuda_text = R"(
extern "C" __global__ void median3(const float* x, float* y, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i > 0 ? i - 1 : 0], b = x[i], c = x[i + 1 < n ? i + 1 : n - 1];
  y[i] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}
)";

/// The median of each element and its neighbours: what Sinter has no op for.
sn::OpDefinition median3() {
  sn::OpDefinition d;
  d.name = "median3";
  d.type = [](sn::TypeContext& context) {
    const sn::TensorType& x = context.operands()[0];
    if (x.dtype != sn::f32 || x.shape.size() != 1) context.fail("takes f32 of one dim");
    return x;
  };
  d.reference = [](const sn::CustomCall& call) {  // the meaning, and what runs on the CPU
    const int64_t n = call.result.shape[0];
    const auto* x = call.operands[0].as<float>();
    for (int64_t i = 0; i < n; ++i) {
      const float a = x[std::max<int64_t>(i - 1, 0)], b = x[i], c = x[std::min(i + 1, n - 1)];
      call.result.as<float>()[i] = std::max(std::min(a, b), std::min(std::max(a, b), c));
    }
  };
  d.cuda = sn::CudaKernel{cuda_text, "median3", [](const sn::CustomCall& call) {
                            const int64_t n = call.result.shape[0];
                            return sn::CudaLaunch{.grid = {(n + 255) / 256, 1, 1}, .arguments = {n}};
                          }};
  return d;
}

int main() {
  const sn::CustomOp median = sn::register_op(median3());
  auto smooth = sn::compile([&](sn::Tensor x) { return median({x * 2 + 1}) / 2; }, {.name = "smooth"});

  const sn::Tensor x = sn::to(sn::from<float>({1, 2, 90, 3, 4, 5}), sn::Device::best());
  for (const float v : sn::to_vector<float>(smooth(x))) std::printf("%g ", v);
  std::printf("\nkernels around it: %zu\n", smooth.explain(x).kernels().size());

  try {
    (void)median({sn::zeros({2, 2})});
  } catch (const sn::UserError& error) {
    std::printf("%s\n", error.what());
  }
}
