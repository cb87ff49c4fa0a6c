// SPDX-License-Identifier: Apache-2.0
#include "src/ops/families.h"

namespace sinter::ops {

void register_fold_composites() {
  register_arg_extreme();
  register_softmax();
  register_variance();
  register_vector_norm();
  register_layer_norm();
  register_channel_norm();
  register_regression_losses();
  register_probability_losses();
  register_class_losses();
  register_windows();
  register_pooling();
  register_adaptive_pooling();
  register_embedding();
}

}  // namespace sinter::ops
