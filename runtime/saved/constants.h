// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/saved/file.h"
#include "src/tensor/impl.h"

namespace sinter::saved {

/// A copy with the same strides: the elements between the lowest and the highest address that they reach.
Tensor copy_reach(const Tensor& source, Device device);
/// The same as plain data.
Constant read_constant(const Tensor& source);
Tensor make_constant(const Constant& c, Device device);

}  // namespace sinter::saved
