// SPDX-License-Identifier: Apache-2.0
// Independent small results of one function are one launch, whose programs find their part.
#include "tests/capture/support.h"
#include "tests/capture_cuda/emulator.h"

namespace sinter::test {
namespace {

TEST(SmallGroupsOnCuda, AreOneLaunch) {
  use_emulator();
  const auto work = [](Tensor a, Tensor b, Tensor c, Tensor d) -> std::vector<Tensor> {
    return {a * 2 + 1, to(b, f16) - 3, relu(c - 40), permute(d, {1, 0}) * 0.5};
  };
  const std::vector<Tensor> t = {counting({1000}), counting({3, 5}), counting({77}), counting({33, 17})};
  auto f = compile(work), apart = compile(work, {.fusion = Fusion::vertical}),
       reference = compile(work, {.backend = "reference"});
  const auto on = [](const Tensor& x) { return to(x, Device::cuda(0)); };
  EXPECT_EQ(f.explain(on(t[0]), on(t[1]), on(t[2]), on(t[3])).kernels().size(), 1u);
  EXPECT_EQ(apart.explain(on(t[0]), on(t[1]), on(t[2]), on(t[3])).kernels().size(), 4u);
  const auto got = f(on(t[0]), on(t[1]), on(t[2]), on(t[3])), expected = reference(t[0], t[1], t[2], t[3]);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(bits<float>(to(got[i], f32)), bits<float>(to(expected[i], f32))) << i;
}

}  // namespace
}  // namespace sinter::test
