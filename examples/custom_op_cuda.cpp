// SPDX-License-Identifier: Apache-2.0
// An op of one's own as CUDA text: a threshold per row, between ops that are fused around it. Without a GPU its
// reference runs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <exception>

namespace sn = sinter;

namespace {

constexpr const char* text = R"(
extern "C" __global__ void threshold(const float* x, const float* limit, float* y, long long columns) {
  long long row = blockIdx.x;
  for (long long c = threadIdx.x; c < columns; c += blockDim.x) {
    float v = x[row * columns + c];
    y[row * columns + c] = v > limit[row] ? v : 0.0f;
  }
}
)";

sn::OpDefinition threshold() {
  sn::OpDefinition d;
  d.name = "row_threshold";
  d.min_operands = d.max_operands = 2;
  d.type = [](sn::TypeContext& c) {
    const auto &x = c.operands()[0], &limit = c.operands()[1];
    if (x.dtype != sn::f32 || limit.dtype != sn::f32 || x.shape.size() != 2 || limit.shape.size() != 1)
      c.fail("takes f32 [rows,columns] and f32 [rows]");
    if (!c.same(x.shape[0], limit.shape[0])) c.fail("there is not one limit a row");
    return x;
  };
  d.reference = [](const sn::CustomCall& call) {
    const int64_t rows = call.result.shape[0], columns = call.result.shape[1];
    const float *x = call.operands[0].as<float>(), *limit = call.operands[1].as<float>();
    for (int64_t i = 0; i < rows * columns; ++i) call.result.as<float>()[i] = x[i] > limit[i / columns] ? x[i] : 0;
  };
  d.cuda = sn::CudaKernel{text, "threshold", [](const sn::CustomCall& call) {
                            sn::CudaLaunch l;
                            l.grid[0] = call.result.shape[0];
                            l.arguments = {call.result.shape[1]};
                            return l;
                          }};
  return d;
}

}  // namespace

int main() try {
  const sn::CustomOp op = sn::register_op(threshold());
  auto f = sn::compile([&](const sn::Tensor& x) { return op({x * 2, sn::mean(x, {.dims = {1}})}) + 1; });
  const sn::Tensor x = sn::to(sn::from<float>({1, 2, 3, 4, 8, 6}, {2, 3}), sn::Device::best());
  fmt::print("{}\n{}", sn::to_vector<float>(f(x)), f.explain(x).text());
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
