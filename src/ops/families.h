// SPDX-License-Identifier: Apache-2.0
#pragma once

// One function per family file: it registers the family's ops. Called once, by register_all_ops().

namespace sinter::ops {

void register_arithmetic();     ///< add sub mul div neg abs
void register_extremes();       ///< minimum maximum clamp clamp_min clamp_max
void register_comparison();     ///< eq ne lt le gt ge
void register_logic();          ///< logical_not logical_and logical_or logical_xor
void register_where();          ///< where
void register_rounding();       ///< floor ceil round trunc
void register_exponential();    ///< exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc
void register_power();          ///< pow
void register_activation();     ///< relu sigmoid silu gelu
void register_trigonometric();  ///< sin cos tan asin acos atan atan2 hypot
void register_hyperbolic();     ///< sinh cosh tanh asinh acosh atanh
void register_logistic();       ///< logit softplus log_sigmoid mish
void register_cast();           ///< to

void register_reshape();  ///< reshape flatten squeeze unsqueeze
void register_permute();  ///< permute transpose flip
void register_expand();   ///< expand
void register_slice();    ///< slice select
void register_join();     ///< cat stack
void register_pad();      ///< pad

void register_reduction();  ///< sum prod amax amin mean
void register_creation();   ///< full from_extent
void register_arange();     ///< arange
void register_indexing();   ///< index_select gather

void register_image_crop();         ///< image_crop
void register_image_resize();       ///< image_resize
void register_image_crop_resize();  ///< image_crop_resize

}  // namespace sinter::ops
