// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

// With SINTER_VECTOR_ORACLE the platform's double precision functions are taken from glibc's vector library (2.35 or
// later), which is within 4 ulp of f64, so that a sweep over all f32 takes seconds. Link with -lmvec.

#ifdef SINTER_VECTOR_ORACLE
#define SINTER_VECTOR_FUNCTION(name) extern "C" __attribute__((simd("notinbranch"))) double name(double) noexcept;
SINTER_VECTOR_FUNCTION(exp)
SINTER_VECTOR_FUNCTION(exp2)
SINTER_VECTOR_FUNCTION(expm1)
SINTER_VECTOR_FUNCTION(log)
SINTER_VECTOR_FUNCTION(log2)
SINTER_VECTOR_FUNCTION(log10)
SINTER_VECTOR_FUNCTION(log1p)
SINTER_VECTOR_FUNCTION(sin)
SINTER_VECTOR_FUNCTION(cos)
SINTER_VECTOR_FUNCTION(tan)
SINTER_VECTOR_FUNCTION(asin)
SINTER_VECTOR_FUNCTION(acos)
SINTER_VECTOR_FUNCTION(atan)
SINTER_VECTOR_FUNCTION(sinh)
SINTER_VECTOR_FUNCTION(cosh)
SINTER_VECTOR_FUNCTION(tanh)
SINTER_VECTOR_FUNCTION(asinh)
SINTER_VECTOR_FUNCTION(acosh)
SINTER_VECTOR_FUNCTION(atanh)
SINTER_VECTOR_FUNCTION(erf)
SINTER_VECTOR_FUNCTION(erfc)
#undef SINTER_VECTOR_FUNCTION
#endif
