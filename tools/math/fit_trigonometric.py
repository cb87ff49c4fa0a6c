# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of the trigonometric functions and their inverses in src/scalar/math.

`rest` of a function g is (g(x) - x) / x^3 as a polynomial in x^2. Errors are shown in 2^-24 of the result for f32, in
2^-14 (the least 1/8 ulp of f16) for half.
"""
import mpmath as mp

from fit import cheb_grid, fit, monomials, sample, show

HALF_PI = float(mp.pi / 2)


def odd_rest(name, g, third, limit, f32_terms, half_terms):
    """g(x) = x + x^3 p(x^2); `third` is g's coefficient of x^3."""
    x = cheb_grid(1e-3, limit, 801)
    z = x * x
    y = sample(lambda v: (g(v) - v) / v**3 if v > 1e-2 else mp.mpf(third) + mp.mpf(0), x)
    size = sample(g, x)
    show(f"{name} f32: rest", *fit(x, y, x**3 / size * 2**24, monomials(z, range(f32_terms)), iterations=600))
    show(f"{name} half: rest", *fit(x, y, x**3 / size * 2**14, monomials(z, range(half_terms)), iterations=600))


def cos():
    x = cheb_grid(1e-2, HALF_PI / 2 * 1.001, 801)
    z = x * x
    y = sample(lambda v: (mp.cos(v) - 1 + v * v / 2) / v**4, x)
    show("cos f32: (cos(r) - 1 + z/2) / z^2", *fit(x, y, z**2 * 2**24, monomials(z, range(3)), iterations=600))
    y = sample(lambda v: (mp.cos(v) - 1) / v**2, x)
    show("cos half: (cos(r) - 1) / z", *fit(x, y, z * 2**14, monomials(z, range(3)), iterations=600))


if __name__ == "__main__":
    odd_rest("sin", mp.sin, -1 / mp.mpf(6), HALF_PI / 2 * 1.001, 3, 2)
    cos()
    odd_rest("tan", mp.tan, 1 / mp.mpf(3), HALF_PI / 2 * 1.001, 7, 4)
    odd_rest("asin", mp.asin, 1 / mp.mpf(6), 0.5001, 5, 3)
    odd_rest("atan", mp.atan, -1 / mp.mpf(3), 1.0, 9, 5)
