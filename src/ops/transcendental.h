// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "src/loop/builder.h"

// Transcendental functions in the definition that the result's dtype asks for: `half` for f16 and bf16, `f32`, and the
// platform's for f64. Values are of the compute type of `result`.

namespace sinter::ops {

using Function = loop::Value(loop::Builder&, loop::Value, DType);

/// Registers a function of one argument, of which integers and booleans give f32, and its approximation if there is
/// one. Samples are in [low, high].
void register_function(std::string_view name, std::string_view doc, Function* function, double low, double high,
                       Function* approximation = nullptr);

loop::Value exp_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log_value(loop::Builder& b, loop::Value x, DType result);
loop::Value tanh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value erf_value(loop::Builder& b, loop::Value x, DType result);
loop::Value sigmoid_value(loop::Builder& b, loop::Value x, DType result);
loop::Value rsqrt_value(loop::Builder& b, loop::Value x, DType result);
loop::Value gelu_value(loop::Builder& b, loop::Value x, DType result);
loop::Value exp2_value(loop::Builder& b, loop::Value x, DType result);
loop::Value expm1_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log2_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log10_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log1p_value(loop::Builder& b, loop::Value x, DType result);
loop::Value sin_value(loop::Builder& b, loop::Value x, DType result);
loop::Value cos_value(loop::Builder& b, loop::Value x, DType result);
loop::Value tan_value(loop::Builder& b, loop::Value x, DType result);
loop::Value asin_value(loop::Builder& b, loop::Value x, DType result);
loop::Value acos_value(loop::Builder& b, loop::Value x, DType result);
loop::Value atan_value(loop::Builder& b, loop::Value x, DType result);
loop::Value sinh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value cosh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value asinh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value acosh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value atanh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value erfc_value(loop::Builder& b, loop::Value x, DType result);
loop::Value logit_value(loop::Builder& b, loop::Value x, DType result);
loop::Value softplus_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log_sigmoid_value(loop::Builder& b, loop::Value x, DType result);
loop::Value mish_value(loop::Builder& b, loop::Value x, DType result);
loop::Value atan2_value(loop::Builder& b, loop::Value y, loop::Value x, DType result);
loop::Value hypot_value(loop::Builder& b, loop::Value x, loop::Value y, DType result);
loop::Value pow_value(loop::Builder& b, loop::Value x, loop::Value y, DType result);

// By what hardware approximates; for f64 the same as the above.
loop::Value exp_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value exp2_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log2_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log10_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value tanh_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value sigmoid_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value gelu_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value rsqrt_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value reciprocal_approx_value(loop::Builder& b, loop::Value x, DType result);
loop::Value pow_approx_value(loop::Builder& b, loop::Value x, loop::Value y, DType result);
/// x / y
loop::Value quotient_approx_value(loop::Builder& b, loop::Value x, loop::Value y, DType result);

}  // namespace sinter::ops
