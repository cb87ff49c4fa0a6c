// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>
#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

// Pointwise ops. Arguments are tensors or numbers, at least one of them a tensor; shapes broadcast as in NumPy. Dtypes
// promote as in PyTorch: tensors with dimensions before 0-d tensors before numbers, unless the weaker one is of a
// higher category (boolean < integer < floating); u16, u32 and u64 mix with floating dtypes only. Narrow integers wrap
// after every op, f16 and bf16 are computed in f32 and rounded once. A number beside an f16 or bf16 tensor enters
// arithmetic in f32; comparisons round it first.
//
// All of them throw UserError for shapes that do not broadcast and for dtypes that the op refuses.

#pragma GCC visibility push(default)
namespace sinter {

// Arithmetic. Of booleans, add is or and mul is and; sub and neg refuse them.
Tensor add(Operand a, Operand b);
Tensor sub(Operand a, Operand b);
Tensor mul(Operand a, Operand b);

enum class RoundingMode : uint8_t {
  none,   ///< true division: integers and booleans give f32
  trunc,  ///< towards zero, in the common dtype
  floor,  ///< down, in the common dtype
};
struct DivOptions {
  RoundingMode rounding_mode = RoundingMode::none;
};
/// An integer quotient by 0 has all bits set. trunc and floor refuse booleans.
Tensor div(Operand a, Operand b, DivOptions options = {});
Tensor floor_divide(Operand a, Operand b);  ///< div with RoundingMode::floor
Tensor fmod(Operand a, Operand b);          ///< with the sign of a; of an integer by 0 it is a
Tensor remainder(Operand a, Operand b);     ///< with the sign of b; of an integer by 0 it is a
Tensor reciprocal(Operand x);               ///< integers and booleans give f32
Tensor neg(Operand x);
Tensor abs(Operand x);
Tensor operator+(Operand a, Operand b);
Tensor operator-(Operand a, Operand b);
Tensor operator*(Operand a, Operand b);
Tensor operator/(Operand a, Operand b);
Tensor operator-(Operand x);
/// x + value * a * b; `value` is a number. f16 and bf16 are rounded once, integers wrap, booleans are refused.
Tensor addcmul(Operand x, Operand a, Operand b, Operand value = 1);
/// x + value * a / b; `value` is a number. Floating dtypes; f16 and bf16 are rounded once.
Tensor addcdiv(Operand x, Operand a, Operand b, Operand value = 1);
/// start + weight * (end - start), from the nearer end. All of one floating dtype.
Tensor lerp(Operand start, Operand end, Operand weight);
Tensor deg2rad(Operand x);  ///< integers and booleans give f32
Tensor rad2deg(Operand x);  ///< integers and booleans give f32

// Signs. -0 is negative. NaN counts as positive: its sign bit depends on the machine that computed it.
Tensor sign(Operand x);                            ///< 1, 0 or -1, of NaN 0; booleans stay
Tensor signbit(Operand x);                         ///< boolean
Tensor copysign(Operand magnitude, Operand sign);  ///< integers and booleans give f32
Tensor nextafter(Operand x, Operand towards);      ///< the neighbour in the common floating dtype
Tensor heaviside(Operand x, Operand at_zero);      ///< 0 below zero and for NaN, 1 above; arguments of one dtype

// Extremes. A NaN in any argument gives NaN, and -0 is below +0.
Tensor minimum(Operand a, Operand b);
Tensor maximum(Operand a, Operand b);
Tensor fmin(Operand a, Operand b);  ///< beside NaN the other argument
Tensor fmax(Operand a, Operand b);
Tensor clamp(Operand x, Operand min, Operand max);  ///< minimum(maximum(x, min), max): max wins where min > max
Tensor clamp_min(Operand x, Operand min);
Tensor clamp_max(Operand x, Operand max);

// Comparisons give boolean and are false with NaN, but for ne, which is true.
Tensor eq(Operand a, Operand b);
Tensor ne(Operand a, Operand b);
Tensor lt(Operand a, Operand b);
Tensor le(Operand a, Operand b);
Tensor gt(Operand a, Operand b);
Tensor ge(Operand a, Operand b);
Tensor operator==(Operand a, Operand b);
Tensor operator!=(Operand a, Operand b);
Tensor operator<(Operand a, Operand b);
Tensor operator<=(Operand a, Operand b);
Tensor operator>(Operand a, Operand b);
Tensor operator>=(Operand a, Operand b);

// Logic on truth values (x != 0; NaN is true); the result is boolean. C++'s ! && || are not overloaded: they could not
// keep their short-circuit meaning.
Tensor logical_not(Operand x);
Tensor logical_and(Operand a, Operand b);
Tensor logical_or(Operand a, Operand b);
Tensor logical_xor(Operand a, Operand b);
/// a where the boolean tensor `condition` holds, else b.
Tensor where(Operand condition, Operand a, Operand b);
/// x with a number or the element of a 0-d tensor, converted to the dtype of x, where the boolean mask holds. The
/// number must fit into the dtype.
Tensor masked_fill(Operand x, Operand mask, Operand value);

// Kinds of floating values, as boolean; integers and booleans are finite.
Tensor isnan(Operand x);
Tensor isinf(Operand x);
Tensor isfinite(Operand x);
Tensor isposinf(Operand x);
Tensor isneginf(Operand x);

struct NanToNumOptions {
  double nan = 0;
  std::optional<double> posinf = {};  ///< the largest value of the dtype unless given
  std::optional<double> neginf = {};  ///< the smallest value of the dtype unless given
};
/// Numbers in place of NaN and the infinities; integers and booleans stay as they are.
Tensor nan_to_num(Operand x, NanToNumOptions options = {});

// Rounding to integers; integer dtypes stay as they are.
Tensor floor(Operand x);
Tensor ceil(Operand x);
Tensor round(Operand x);  ///< half to even
Tensor trunc(Operand x);
Tensor frac(Operand x);  ///< x - trunc(x); floating dtypes

// Exponentials and powers. Integers and booleans give f32. Within 1 ulp in f32; f16 and bf16 are rounded from a value
// with an error of at most 1/8 ulp of theirs.
Tensor exp(Operand x);
Tensor exp2(Operand x);   ///< 2^x, exact for whole x
Tensor expm1(Operand x);  ///< exp(x) - 1, accurate near 0
Tensor log(Operand x);
Tensor log2(Operand x);  ///< exact for powers of two
Tensor log10(Operand x);
Tensor log1p(Operand x);  ///< log(1 + x), accurate near 0
Tensor sqrt(Operand x);   ///< correctly rounded
Tensor rsqrt(Operand x);
Tensor erf(Operand x);
Tensor erfc(Operand x);  ///< 1 - erf(x), accurate for large x
/// base to the power of exponent. The exponents 0, 1, 2, 3, -1, -2, 0.5 and -0.5, given as a number, are products,
/// quotients and square roots. Integers stay integers (and wrap) with an integer exponent, which as a number must not
/// be negative.
Tensor pow(Operand base, Operand exponent);
Tensor square(Operand x);

// Trigonometric functions, of radians, hyperbolic ones and their inverses. Dtypes and accuracy as above, atan2 within
// 2 ulp in f32. Any finite argument is reduced exactly; sin, cos and tan of infinities are NaN.
Tensor sin(Operand x);
Tensor cos(Operand x);
Tensor tan(Operand x);
Tensor asin(Operand x);  ///< NaN for |x| > 1
Tensor acos(Operand x);  ///< NaN for |x| > 1
Tensor atan(Operand x);
Tensor atan2(Operand y, Operand x);  ///< the angle of the point (x, y) in [-pi, pi]; signed zeros as in C
Tensor hypot(Operand x, Operand y);  ///< sqrt(x^2 + y^2) without overflow on the way; floating dtypes
Tensor sinh(Operand x);
Tensor cosh(Operand x);
Tensor tanh(Operand x);
Tensor asinh(Operand x);
Tensor acosh(Operand x);  ///< NaN for x < 1
Tensor atanh(Operand x);  ///< NaN for |x| > 1

struct LogitOptions {
  std::optional<double> eps = {};  ///< limits x to [eps, 1 - eps]; negative: not
};
/// log(x / (1 - x)); NaN outside of [0, 1]. Integers and booleans give f32.
Tensor logit(Operand x, LogitOptions options = {});

struct SoftplusOptions {
  double beta = 1;
  double threshold = 20;
};
/// log(1 + exp(beta x)) / beta, and x itself where beta x > threshold. Floating dtypes.
Tensor softplus(Operand x, SoftplusOptions options = {});
Tensor log_sigmoid(Operand x);  ///< log(sigmoid(x)); floating dtypes
Tensor mish(Operand x);         ///< x tanh(log(1 + exp(x))), rounded once; floating dtypes

// Activations. silu and gelu take floating dtypes.
Tensor relu(Operand x);
Tensor sigmoid(Operand x);
Tensor silu(Operand x);  ///< x * sigmoid(x), rounded once

enum class Approximate : uint8_t {
  none,  ///< x / 2 * (1 + erf(x / sqrt(2)))
  tanh,  ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
};
struct GeluOptions {
  Approximate approximate = Approximate::none;
};
Tensor gelu(Operand x, GeluOptions options = {});

/// Converts to a dtype. Floating to integer drops the fraction and saturates, NaN gives 0; integers wrap; boolean is
/// x != 0; narrower floats round half to even.
Tensor to(Operand x, DType dtype);

}  // namespace sinter
#pragma GCC visibility pop
