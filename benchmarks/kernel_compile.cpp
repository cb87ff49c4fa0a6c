// SPDX-License-Identifier: Apache-2.0
// What it takes to make the kernels of the benchmark's reductions, norms and scans for a GPU that need not be here:
// graph to CUDA text, and NVRTC. Nothing is cached, nothing runs. The goal is what a user waits for at a first call.
//
//   bench_kernel_compile [--json] [rounds]
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/harness/rounds.h"
#include "src/compiler/pipeline.h"
#include "src/graph/graph.h"
#include "src/ops/ops.h"

namespace {

using namespace sinter;
using benchmarks::Figure;
using benchmarks::Samples;

struct Row {
  const char* name;
  const char* body;  ///< graph text
};

constexpr Row rows[] = {
    {"sum_all_f32_64M",
     "%0 f32 [67108864] = input\n %1 f32 [67108864] = mul(%0, %0) lhs=none, rhs=none\n"
     "%2 f32 [] = sum(%1) dims=[], keepdim=false\n return %2"},
    {"colsum_65536x4096_bf16",
     "%0 bf16 [65536,4096] = input\n %1 bf16 [4096] = sum(%0) dims=[0], keepdim=false\n return %1"},
    {"softmax_32768x4096_bf16", "%0 bf16 [32768,4096] = input\n %1 bf16 [32768,4096] = softmax(%0) dim=1\n return %1"},
    {"softmax_8192x131072_bf16",
     "%0 bf16 [8192,131072] = input\n %1 bf16 [8192,131072] = softmax(%0) dim=1\n return %1"},
    {"softmax_8192x8192_f16", "%0 f16 [8192,8192] = input\n %1 f16 [8192,8192] = softmax(%0) dim=1\n return %1"},
    {"layernorm_16384x4096_bf16",
     "%0 bf16 [16384,4096] = input\n %1 bf16 [4096] = input\n %2 bf16 [4096] = input\n %3 bf16 [16384,4096] = "
     "layer_norm(%0, %1, %2) weight=true, bias=true, normalized_shape=[4096], eps=1e-05\n return %3"},
    {"layernorm_16384x6007_bf16",
     "%0 bf16 [16384,6007] = input\n %1 bf16 [6007] = input\n %2 bf16 [6007] = input\n %3 bf16 [16384,6007] = "
     "layer_norm(%0, %1, %2) weight=true, bias=true, normalized_shape=[6007], eps=1e-05\n return %3"},
    {"rmsnorm_131072x128_bf16",
     "%0 bf16 [131072,128] = input\n %1 bf16 [128] = input\n %2 bf16 [131072,128] = rms_norm(%0, %1) weight=true, "
     "bias=false, normalized_shape=[128], eps=1e-06\n return %2"},
    {"cross_entropy_8192x50257_bf16",
     "%0 bf16 [8192,50257] = input\n %1 i64 [8192] = input\n %2 bf16 [] = cross_entropy(%0, %1) reduction=mean, "
     "weight=false, ignore_index=-100, smoothing=false, kept=1.0, spread=0.0\n return %2"},
    {"mean_var_amax_argmax_8192x16384_f32",
     "%0 f32 [8192,16384] = input\n %1 f32 [8192] = mean(%0) dims=[1], keepdim=false\n"
     "%2 f32 [8192] = var(%0) dims=[1], keepdim=false, correction=1.0\n"
     "%3 f32 [8192] = amax(%0) dims=[1], keepdim=false\n %4 i64 [8192] = argmax(%0) dims=[1], keepdim=false\n"
     "return %1, %2, %3, %4"},
    {"cumsum_rows_8192x16384_f32", "%0 f32 [8192,16384] = input\n %1 f32 [8192,16384] = cumsum(%0) dim=1\n return %1"},
    {"cumsum_1d_2^28_f32", "%0 f32 [268435456] = input\n %1 f32 [268435456] = cumsum(%0) dim=0\n return %1"},
};

device::Properties h200() {
  device::Properties p;
  p.architecture = "sm_90a";
  p.multiprocessors = 132;
  return p;
}

void measure(int rounds, bool as_json) {
  constexpr double goal_ms = 200;
  ops::register_all_ops();
  std::vector<Figure> figures;
  for (const Row& r : rows) {
    const graph::Graph g = graph::parse(fmt::format("graph \"row\" on cuda:0 {{\n{}\n}}", r.body));
    Samples all, nvrtc;
    size_t kernels = 0;
    for (int i = 0; i < rounds + 1; ++i) {  // the first one loads NVRTC
      const compiler::Generated made = compiler::run_pipeline(g, {.libraries = false}, h200());
      kernels = made.images.size();
      if (i == 0) continue;
      all.values.push_back(made.times.passes_ms + made.times.text_ms + made.times.machine_ms);
      nvrtc.values.push_back(made.times.machine_ms);
    }
    figures.push_back(benchmarks::figure(fmt::format("{}, {} kernels", r.name, kernels), "ms", all, goal_ms));
    figures.push_back(benchmarks::figure(fmt::format("{}, NVRTC alone", r.name), "ms", nvrtc));
  }
  benchmarks::report(figures, as_json);
}

}  // namespace

int main(int argc, char** argv) { return sinter::benchmarks::run_rounds(argc, argv, 3, measure); }
