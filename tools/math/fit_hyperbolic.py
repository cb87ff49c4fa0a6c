# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of the hyperbolic functions and their inverses in src/scalar/math (see fit_trigonometric.py)."""
import mpmath as mp

from fit import cheb_grid, fit, monomials, sample, show
from fit_trigonometric import odd_rest

HALF_LN2 = float(mp.log(2) / 2) * 1.001


def cosh():
    x = cheb_grid(1e-2, HALF_LN2, 801)
    z = x * x
    y = sample(lambda v: (mp.cosh(v) - 1) / v**2, x)
    show("cosh f32: (cosh(r) - 1) / z", *fit(x, y, z * 2**24, monomials(z, range(3)), iterations=600))
    show("cosh half: (cosh(r) - 1) / z", *fit(x, y, z * 2**14, monomials(z, range(2)), iterations=600))


if __name__ == "__main__":
    odd_rest("sinh", mp.sinh, 1 / mp.mpf(6), HALF_LN2, 3, 2)
    cosh()
    odd_rest("asinh", mp.asinh, -1 / mp.mpf(6), 0.5001, 6, 3)
    odd_rest("atanh", mp.atanh, 1 / mp.mpf(3), 0.5001, 6, 3)
