// SPDX-License-Identifier: Apache-2.0
// Regions of many inputs, each of which is one input however often it is read.
#include <vector>

#include "src/capture/input_table.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

std::vector<Tensor> scalars(int64_t count) {
  std::vector<Tensor> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(full({}, static_cast<double>(i)));
  return list;
}

TEST(ManyInputs, AreFoundByTheirHandles) {
  const std::vector<Tensor> all = scalars(300);
  capture::InputTable table;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(table.find(inputs, all[i].impl()), -1);
    inputs.push_back(all[i]);
    for (size_t k = 0; k <= i; k += 1 + i / 7) EXPECT_EQ(table.find(inputs, all[k].impl()), static_cast<int32_t>(k));
  }
  // Others in their places.
  table.clear();
  inputs.assign(all.rbegin(), all.rend());
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(table.find(inputs, all[i].impl()), static_cast<int32_t>(all.size() - 1 - i));
}

TEST(ManyInputs, EachIsOneInput) {
  const std::vector<Tensor> all = scalars(40);
  auto f = compile([](const std::vector<Tensor>& t) {
    Tensor sum = t[0];
    for (size_t i = 1; i < t.size(); ++i) sum = sum + t[i] * t[i * 7 % t.size()];
    return sum;
  });
  double expected = 0;
  for (size_t i = 1; i < all.size(); ++i) expected += static_cast<double>(i * (i * 7 % all.size()));
  for (int call = 0; call < 2; ++call) EXPECT_EQ(item<double>(f(all)), expected);
  EXPECT_EQ(f.stats().compilations, 1);
}

/// The inputs of an op that is refused go again, and others take their numbers.
TEST(ManyInputs, ARefusedOpLeavesNone) {
  const std::vector<Tensor> all = scalars(20);
  const Tensor wrong = counting({2, 3}), other = counting({4}), right = counting({2});
  auto f = compile([&] {
    Tensor sum = right;
    for (const Tensor& t : all) sum = sum + t;
    try {
      sum = sum + matmul(wrong, other);
    } catch (const UserError&) {
      sum = sum + all[3];
    }
    return sum * right + full({}, 1.0) * all[19];
  });
  const Tensor expected = (right + 193) * right + 19;
  EXPECT_EQ(to_vector<float>(f()), to_vector<float>(expected));
}

}  // namespace
}  // namespace sinter::test
