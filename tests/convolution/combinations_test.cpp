// SPDX-License-Identifier: Apache-2.0
// Every combination of parameters gives the reference's bits for integers that no order of evaluation rounds, and the
// strides that PyTorch's results have.
#include <gtest/gtest.h>

#include "tests/capture_cuda/emulator.h"
#include "tests/support/convolution_cases.h"

namespace sinter::test {
namespace {

void expect_no_difference(DType dtype, Device device, bool compiled, size_t first, size_t step) {
  const std::vector<ConvolutionCase> cases = convolution_cases();
  for (size_t i = first; i < cases.size(); i += step) {
    const std::string d = difference_on(cases[i], dtype, device, compiled);
    EXPECT_EQ(d, "") << "case " << i << ": " << cases[i].text();
  }
}

TEST(Convolution, CasesCoverWhatTheySay) {
  const auto cases = convolution_cases();
  ASSERT_EQ(cases.size(), 54u);
  int bias = 0, last = 0, strided = 0, unbatched = 0, empty = 0, uneven = 0, rectified = 0;
  for (const ConvolutionCase& c : cases) {
    bias += c.bias;
    last += c.x_channels_last;
    strided += c.w_strided;
    rectified += c.rectified;
    unbatched += c.x.size() < c.w.size();
    empty += c.x[0] == 0;
    for (size_t d = 0; d < c.spatial(); ++d) uneven += c.options.padding[2 * d] != c.options.padding[2 * d + 1];
  }
  for (const int count : {bias, last, strided, unbatched, empty, uneven, rectified}) EXPECT_GT(count, 5);
}

TEST(Convolution, CompiledF32GivesTheReferenceBits) { expect_no_difference(f32, Device::cpu(), true, 0, 1); }
TEST(Convolution, CompiledF16GivesTheReferenceBits) { expect_no_difference(f16, Device::cpu(), true, 0, 3); }
TEST(Convolution, CompiledBf16GivesTheReferenceBits) { expect_no_difference(bf16, Device::cpu(), true, 1, 3); }
TEST(Convolution, GeneratedF64GivesTheReferenceBits) { expect_no_difference(f64, Device::cpu(), true, 0, 1); }
TEST(Convolution, GeneratedIntegersGiveTheReferenceBits) { expect_no_difference(i16, Device::cpu(), true, 2, 5); }
TEST(Convolution, OpByOpF32GivesTheReferenceBits) { expect_no_difference(f32, Device::cpu(), false, 0, 1); }

TEST(Convolution, TheEmulatorGivesTheReferenceBits) {
  use_emulator();
  expect_no_difference(f32, Device::cuda(0), true, 3, 8);
  expect_no_difference(bf16, Device::cuda(0), true, 7, 9);
}

}  // namespace
}  // namespace sinter::test
