// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/exec/library/onednn/library.h"

namespace sinter::exec::onednn {

/// What convolutions need of the library besides Library.
#if DNNL_VERSION_MAJOR >= 3
#define SINTER_ONEDNN_CONVOLUTION(X)           \
  X(memory_desc_create_with_tag)               \
  X(convolution_forward_primitive_desc_create) \
  X(memory_desc_equal)                         \
  X(reorder_primitive_desc_create)
#else
#define SINTER_ONEDNN_CONVOLUTION(X)       \
  X(memory_desc_init_by_tag)               \
  X(dilated_convolution_forward_desc_init) \
  X(memory_desc_equal)                     \
  X(reorder_primitive_desc_create)
#endif

struct ConvolutionFunctions {
#define SINTER_MEMBER(name) decltype(&::dnnl_##name) name = nullptr;
  SINTER_ONEDNN_CONVOLUTION(SINTER_MEMBER)
#undef SINTER_MEMBER
};

/// Throws DeviceError if the library, which is there, lacks one.
const ConvolutionFunctions& convolution_functions();

}  // namespace sinter::exec::onednn
