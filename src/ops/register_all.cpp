// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "src/ops/families.h"
#include "src/ops/ops.h"

namespace sinter::ops {

namespace {

/// Views, and ops that copy elements elsewhere.
void register_moves() {
  register_reshape();
  register_permute();
  register_expand();
  register_slice();
  register_join();
  register_pad();
  register_narrow();
  register_movedim();
  register_strided();
  register_repeat();
  register_roll();
  register_pad_modes();
  register_triangle();
  register_view_dtype();
  register_assign();
}

}  // namespace

void register_all_ops() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_arithmetic();
    register_extremes();
    register_comparison();
    register_logic();
    register_where();
    register_rounding();
    register_exponential();
    register_power();
    register_activation();
    register_trigonometric();
    register_hyperbolic();
    register_logistic();
    register_cast();
    register_division();
    register_bitwise();
    register_sign();
    register_classification();
    register_combination();
    register_angles();
    register_masked_fill();
    register_rectifiers();
    register_hard_sigmoid();
    register_elu();
    register_shrinkage();
    register_gating();
    register_moves();
    register_reduction();
    register_reduction_logic();
    register_fold_composites();
    register_cumulative();
    register_cumulative_extremes();
    register_creation();
    register_full_like();
    register_linspace();
    register_eye();
    register_arange();
    register_indexing();
    register_one_hot();
    register_element_position();
    register_accumulate();
    register_scatter();
    register_index_rows();
    register_index_put();
    register_bincount();
    register_sorting();
    register_fold_rows();
    register_random_uniform();
    register_random_normal();
    register_random_integers();
    register_dropout();
    register_convolution();
    register_batch_norm();
    register_gemm();
    register_linalg();
    register_image_crop();
    register_image_resize();
    register_image_crop_resize();
  });
}

}  // namespace sinter::ops
