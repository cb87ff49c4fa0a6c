// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

// Transcendental functions in the definition that the result's dtype asks for: `half` for f16 and bf16, `f32`, and the
// platform's for f64. Values are of the compute type of `result`.

namespace sinter::ops {

loop::Value exp_value(loop::Builder& b, loop::Value x, DType result);
loop::Value log_value(loop::Builder& b, loop::Value x, DType result);
loop::Value tanh_value(loop::Builder& b, loop::Value x, DType result);
loop::Value erf_value(loop::Builder& b, loop::Value x, DType result);
loop::Value sigmoid_value(loop::Builder& b, loop::Value x, DType result);
loop::Value rsqrt_value(loop::Builder& b, loop::Value x, DType result);
loop::Value gelu_value(loop::Builder& b, loop::Value x, DType result);
loop::Value pow_value(loop::Builder& b, loop::Value x, loop::Value y, DType result);

}  // namespace sinter::ops
