// SPDX-License-Identifier: Apache-2.0
#include <sinter/freeze.h>

#include "src/tensor/impl.h"

namespace sinter {

Tensor freeze(const Tensor& t, SourceLine line) {
  const tensor::TensorImpl& c = tensor::computed(t, "freeze", line);
  Tensor frozen = tensor::make_tensor(c.storage, c.dtype, c.shape, c.strides, c.offset);
  frozen.impl()->frozen = true;
  return frozen;
}

}  // namespace sinter
