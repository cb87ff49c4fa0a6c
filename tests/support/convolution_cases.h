// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/sinter.h>

#include <string>
#include <vector>

namespace sinter::test {

/// One convolution: shapes, options, and how its operands lie in memory.
struct ConvolutionCase {
  ConvOptions options;
  Dims x, w;  ///< x without batch where its rank is that of w less one
  bool bias = false;
  bool x_channels_last = false;  ///< memory; ranks 4 and 5
  bool w_strided = false;        ///< every second element of wider memory, transposed
  bool rectified = false;        ///< relu of it

  size_t spatial() const { return w.size() - 2; }
  std::string text() const;
};

/// Every combination of spatial dims 1 to 3, strides 1 to 3, dilations 1 and 2, and groups 1, 2 and one a channel, with
/// every batch (none, 0, 1, 2), padding (none, even, uneven), memory and bias in turn beside them.
std::vector<ConvolutionCase> convolution_cases();

/// Operands x, w and, with a bias, b: small integers, of which no sum is rounded in any floating dtype. Results must
/// have equal bits in every order of evaluation.
std::vector<Tensor> convolution_operands(const ConvolutionCase& c, DType dtype, Device device);
Tensor convolve(const ConvolutionCase& c, const std::vector<Tensor>& operands);

/// Computes the case on the device, op by op or compiled, and by the reference: what differs in words, or empty.
/// Checks the strides as well.
std::string difference_on(const ConvolutionCase& c, DType dtype, Device device, bool compiled);

}  // namespace sinter::test
