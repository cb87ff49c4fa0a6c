// SPDX-License-Identifier: Apache-2.0
#include <sinter/tensor.h>

#include "src/tensor/impl.h"

namespace sinter {

Tensor to(const Tensor& x, Device device, SourceLine line) {
  if (!x.defined()) throw UserError({"to", "the tensor is undefined", line, {}, {}});
  if (x.device() == device) return x;
  tensor::computed(x, "to", line);
  return tensor::copy_to_device(x, device);
}

}  // namespace sinter
