# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of log2 and log10 in src/scalar/math: the rest of log(1 + f) / f beyond a number by which f is
multiplied exactly, and for halves all of it."""
import numpy as np
import mpmath as mp

from fit import cheb_grid, fit, monomials, sample, show
from fit_all import ulp


def rest(name, base, exact):
    f = cheb_grid(-1 / 3, 1 / 3, 801)
    scale = 1 / mp.log(base)
    size = sample(lambda v: mp.log1p(v) / v * scale if abs(v) > 1e-9 else scale, f)
    y = size - exact
    show(f"{name} f32: {name}(1 + f) / f - {exact}",
         *fit(f, y, 2**24 / size, monomials(f, range(10)), iterations=800))
    # The last place of log(x) for the exponents 0, 1 and -1, the least of them.
    value = np.maximum(np.abs(size * f), 1e-9)
    for e in (1, -1):
        value = np.minimum(value, np.abs(e * float(mp.log(2) * scale) + size * f))
    w = 8 / ulp(value, 11) * np.abs(f)
    show(f"{name} half: {name}(1 + f) / f, 1/8 ulp of f16",
         *fit(f, size, w, monomials(f, range(5)), iterations=1500))


if __name__ == "__main__":
    rest("log2", 2, 1.5)
    rest("log10", 10, 0.4375)
