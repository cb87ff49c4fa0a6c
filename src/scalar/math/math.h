// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transcendental functions, each defined once as an expansion into primitive scalar ops, so that every back end
// gives the same bits. An expansion is a template over a builder of those ops (HostBuilder shows the interface):
//   name_f32(b, x)            accurate: within 1 ulp unless its comment says otherwise
//   name_half(b, x, result)   for a result of type f16 or bf16: within 1/8 ulp of it, before rounding
//   name_approx(b, x)         by what hardware approximates (hardware.h): bounds in docs/accuracy.md, not the same bits
//                             on every device; inside of softmax and its like, and under Math::fast
// Comments give the largest measured error, in ulp of the result type (f32: over all 2^32 inputs; half: all inputs of
// 16 bits and every seventh f32), and the machine instructions on sm_90 (those of the main path, without constants kept
// in registers; a branch to rare cases counts as one).

#include "src/scalar/math/asin.h"
#include "src/scalar/math/asinh.h"
#include "src/scalar/math/atan.h"
#include "src/scalar/math/erf.h"
#include "src/scalar/math/erfc.h"
#include "src/scalar/math/exp.h"
#include "src/scalar/math/exp2.h"
#include "src/scalar/math/expm1.h"
#include "src/scalar/math/gelu.h"
#include "src/scalar/math/hypot.h"
#include "src/scalar/math/log.h"
#include "src/scalar/math/log1p.h"
#include "src/scalar/math/log2.h"
#include "src/scalar/math/logit.h"
#include "src/scalar/math/mish.h"
#include "src/scalar/math/pow.h"
#include "src/scalar/math/rsqrt.h"
#include "src/scalar/math/sigmoid.h"
#include "src/scalar/math/sin.h"
#include "src/scalar/math/sinh.h"
#include "src/scalar/math/softplus.h"
#include "src/scalar/math/tan.h"
#include "src/scalar/math/tanh.h"
