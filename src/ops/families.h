// SPDX-License-Identifier: Apache-2.0
#pragma once

// One function per family file: it registers the family's ops. Called once, by register_all_ops().

namespace sinter::ops {

void register_arithmetic();     ///< add sub mul div neg abs
void register_extremes();       ///< minimum maximum fmin fmax clamp clamp_min clamp_max
void register_comparison();     ///< eq ne lt le gt ge
void register_logic();          ///< logical_not logical_and logical_or logical_xor
void register_where();          ///< where
void register_rounding();       ///< floor ceil round trunc frac
void register_exponential();    ///< exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc
void register_power();          ///< pow
void register_activation();     ///< relu sigmoid silu gelu
void register_trigonometric();  ///< sin cos tan asin acos atan atan2 hypot
void register_hyperbolic();     ///< sinh cosh tanh asinh acosh atanh
void register_logistic();       ///< logit softplus log_sigmoid mish
void register_cast();           ///< to

void register_division();        ///< div_trunc floor_divide fmod remainder reciprocal
void register_bitwise();         ///< bitwise_not bitwise_and bitwise_or bitwise_xor and the shifts
void register_sign();            ///< sign signbit copysign nextafter heaviside
void register_classification();  ///< isnan isinf isfinite isposinf isneginf nan_to_num
void register_combination();     ///< lerp addcmul addcdiv
void register_angles();          ///< deg2rad rad2deg
void register_masked_fill();     ///< masked_fill
void register_rectifiers();      ///< leaky_relu prelu hardtanh threshold
void register_hard_sigmoid();    ///< hardsigmoid hardswish
void register_elu();             ///< elu
void register_shrinkage();       ///< hardshrink softshrink tanhshrink softsign
void register_gating();          ///< glu

void register_reshape();  ///< reshape unflatten flatten squeeze unsqueeze
void register_permute();  ///< permute transpose flip
void register_expand();   ///< expand
void register_slice();    ///< slice select
void register_join();     ///< cat stack
void register_pad();      ///< pad

void register_narrow();      ///< narrow
void register_movedim();     ///< movedim
void register_strided();     ///< unfold diagonal
void register_repeat();      ///< repeat repeat_interleave
void register_roll();        ///< roll
void register_pad_modes();   ///< pad_reflect pad_replicate pad_circular
void register_triangle();    ///< tril triu
void register_view_dtype();  ///< view

void register_assign();  ///< assign clone

void register_reduction();            ///< sum prod amax amin mean
void register_reduction_logic();      ///< any all count_nonzero
void register_cumulative();           ///< cumsum cumprod logcumsumexp
void register_cumulative_extremes();  ///< cummax cummin cummax_indices cummin_indices
void register_creation();             ///< full from_extent
void register_full_like();            ///< full_like
void register_linspace();             ///< linspace
void register_eye();                  ///< eye
void register_arange();               ///< arange
void register_indexing();             ///< index_select gather
void register_element_position();     ///< element_position
void register_accumulate();           ///< accumulate
void register_scatter();              ///< scatter scatter_add
void register_index_rows();           ///< index_copy index_add
void register_index_put();            ///< index_put
void register_bincount();             ///< bincount
void register_sorting();              ///< argsort
void register_fold_rows();            ///< fold_rows
void register_one_hot();              ///< one_hot

void register_random_uniform();   ///< random_uniform rand_like
void register_random_normal();    ///< random_normal randn_like
void register_random_integers();  ///< random_integers randint_like
void register_dropout();          ///< bernoulli dropout

void register_convolution();         ///< conv1d conv2d conv3d
void register_batch_norm();          ///< batch_norm
void register_fold_composites();     ///< the families below
void register_arg_extreme();         ///< argmax argmin, and the keys that they fold
void register_extreme_key();         ///< extreme_key
void register_softmax();             ///< softmax log_softmax logsumexp
void register_variance();            ///< var std
void register_vector_norm();         ///< vector_norm
void register_layer_norm();          ///< layer_norm rms_norm
void register_channel_norm();        ///< group_norm instance_norm batch_norm_training
void register_regression_losses();   ///< mse_loss l1_loss smooth_l1_loss huber_loss
void register_probability_losses();  ///< binary_cross_entropy binary_cross_entropy_with_logits kl_div
void register_class_losses();        ///< nll_loss cross_entropy
void register_windows();             ///< window_fold windows window_counts
void register_pooling();             ///< max_pool avg_pool
void register_adaptive_pooling();    ///< adaptive_avg_pool adaptive_max_pool and their windows
void register_embedding();           ///< embedding
void register_gemm();                ///< gemm
void register_linalg();              ///< matmul bmm linear addmm

void register_image_crop();         ///< image_crop
void register_image_resize();       ///< image_resize
void register_image_crop_resize();  ///< image_crop_resize

}  // namespace sinter::ops
