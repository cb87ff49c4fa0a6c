# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of erfc in src/scalar/math."""
import numpy as np
import mpmath as mp

from fit import cheb_grid, fit, monomials, sample, show
from fit_all import ulp

K, MIDDLE = 0.5625, 0.546875


def erfc():
    # erfc(a) = exp(-a^2) y p(y - MIDDLE), y = 1 / (a + K); p varies by 5 % either way.
    y = cheb_grid(1 / (10.6 + K), 1 / (0.499 + K), 1201)
    g = sample(lambda y: mp.exp((1 / y - K) ** 2) * mp.erfc(1 / y - K) / y, y)
    show("erfc f32: exp(a^2) erfc(a) (a + K)",
         *fit(y, g, 2**24 / g, monomials(y - MIDDLE, range(13)), iterations=3000))


def erfc_half():
    for name, limit, degree in (("f16", 4.1, 6), ("bf16", 10.3, 8)):
        a = cheb_grid(1e-3, limit, 1201)
        y = sample(lambda a: mp.log(mp.erfc(a), 2), a)
        v = 2.0**y
        w = 8 / ulp(v, *{"f16": (11, -14), "bf16": (8, -126)}[name]) * v * np.log(2)
        show(f"erfc {name}: log2(erfc(a)) / a", *fit(a, y / a, w * a, monomials(a, range(degree + 1)), iterations=1500))


if __name__ == "__main__":
    erfc()
    erfc_half()
