// SPDX-License-Identifier: Apache-2.0
// A view that is a result shares its operand's memory, with the strides of PyTorch, and is itself an operand like any
// other, also where its elements overlap.
#include <functional>

#include "tests/capture/support.h"

namespace sinter::test {
namespace {

struct Shared {
  const char* name;
  std::function<Tensor(const Tensor& x)> call;  ///< x is f32 [4,5,6]
  int64_t offset;
  Dims strides;
};

TEST(ViewMemory, IsTheOperands) {
  const std::vector<Shared> views = {
      {"narrow", [](const Tensor& x) { return narrow(x, 1, 2, 3); }, 12, {30, 6, 1}},
      {"narrow from the end", [](const Tensor& x) { return narrow(x, 2, -2, 2); }, 4, {30, 6, 1}},
      {"slice with a step", [](const Tensor& x) { return slice(x, 0, 1, std::nullopt, 2); }, 30, {60, 6, 1}},
      {"split", [](const Tensor& x) { return split(x, 2)[1]; }, 60, {30, 6, 1}},
      {"chunk", [](const Tensor& x) { return chunk(x, 3, 2)[2]; }, 4, {30, 6, 1}},
      {"unbind", [](const Tensor& x) { return unbind(x, 1)[4]; }, 24, {30, 1}},
      {"unfold", [](const Tensor& x) { return unfold(x, 1, 3, 2); }, 0, {30, 12, 1, 6}},
      {"unfold, overlapping", [](const Tensor& x) { return unfold(x, 2, 4, 1); }, 0, {30, 6, 1, 1}},
      {"diagonal", [](const Tensor& x) { return diagonal(x, 1, 0, 2); }, 1, {6, 31}},
      {"diagonal below", [](const Tensor& x) { return diagonal(x, -1, 0, 1); }, 30, {1, 36}},
      {"movedim", [](const Tensor& x) { return movedim(x, {0}, {-1}); }, 0, {6, 1, 30}},
      {"swapaxes", [](const Tensor& x) { return swapaxes(x, 0, 2); }, 0, {1, 6, 30}},
      {"unflatten", [](const Tensor& x) { return unflatten(x, 2, {2, -1}); }, 0, {30, 6, 3, 1}},
      {"broadcast_to", [](const Tensor& x) { return broadcast_to(x, {2, 4, 5, 6}); }, 0, {0, 30, 6, 1}},
      {"meshgrid",
       [](const Tensor& x) {
         const Tensor row = select(select(x, 0, 1), 0, 0);
         return meshgrid({row, row})[0];
       },
       30,
       {1, 0}},
  };
  const Tensor x = counting({4, 5, 6});
  const auto* base = static_cast<const float*>(x.data_ptr());
  for (const Shared& v : views)
    for (const bool compiled : {false, true}) {
      SCOPED_TRACE(v.name);
      auto f = compile([&](const Tensor& t) { return v.call(t); });
      const Tensor y = compiled ? f(x) : v.call(x);
      EXPECT_EQ(static_cast<const float*>(y.data_ptr()), base + v.offset);
      EXPECT_EQ(y.strides(), v.strides);
      // As an operand it is read where it stands; computed from x, in one kernel with its reader.
      auto fused = compile([&](const Tensor& t) { return v.call(t * 1) + 1; });
      EXPECT_EQ(to_vector<float>(y + 1), to_vector<float>(fused(x)));
    }
}

TEST(ViewMemory, OfViewsOfViewsInOneFunction) {
  auto f = compile([](const Tensor& x) { return diagonal(unfold(narrow(x, 0, 1, 3), 1, 3, 1), 0, 1, 3); });
  const Tensor x = counting({4, 5, 6}), y = f(x);
  EXPECT_EQ(static_cast<const float*>(y.data_ptr()), static_cast<const float*>(x.data_ptr()) + 30);
  EXPECT_EQ(y.strides(), (Dims{30, 1, 12}));
}

}  // namespace
}  // namespace sinter::test
