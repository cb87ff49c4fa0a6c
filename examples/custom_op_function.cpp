// SPDX-License-Identifier: Apache-2.0
// An op of one's own as a function: here a prefix sum on the host. The same function could queue work of another
// library on call.stream (launch_cuda); `composite` says how CUDA computes the op meanwhile, fused with its neighbours.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <exception>
#include <numeric>

namespace sn = sinter;

int main() try {
  sn::OpDefinition d;
  d.name = "prefix_sum";
  d.type = [](sn::TypeContext& c) {
    if (c.operands()[0].dtype != sn::f32 || c.operands()[0].shape.size() != 1) c.fail("takes a vector of f32");
    return c.operands()[0];
  };
  d.reference = [](const sn::CustomCall& call) {
    const float* x = call.operands[0].as<float>();
    std::partial_sum(x, x + call.result.shape[0], call.result.as<float>());
  };
  d.launch_cpu = d.reference;
  d.composite = [](std::span<const sn::Tensor> operands, std::span<const sn::Attribute>) {
    const sn::Tensor& x = operands[0];
    const int64_t n = x.size(0);
    const sn::Tensor before = sn::tril(sn::ones({n, n}, sn::f32, x.device()));
    return sn::sum(before * x, {.dims = {1}});
  };
  const sn::CustomOp prefix_sum = sn::register_op(d);
  auto f = sn::compile([&](const sn::Tensor& x) { return prefix_sum({x * x}) / 2; });
  const sn::Tensor x = sn::to(sn::arange(6, {.dtype = sn::f32}), sn::Device::best());
  fmt::print("{}\n", sn::to_vector<float>(f(x)));
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
