# SPDX-License-Identifier: Apache-2.0
"""Fits every polynomial of src/scalar/math and prints its coefficients with the largest weighted error.

Weights turn an error of the polynomial into units of what is allowed: ulp of f32, or 1/8 ulp of f16 or bf16 (below 1 is
within the definition's bound, before rounding errors).
"""
import numpy as np
import mpmath as mp

from fit import cheb_grid, fit, fit_rational, monomials, sample, show

PRECISION = {"f16": 11, "bf16": 8}
LEAST_EXPONENT = {"f16": -14, "bf16": -126}


def ulp(v, precision, least_exponent=-126):
    return 2.0 ** (np.maximum(np.floor(np.log2(v)), least_exponent) - (precision - 1))


def exp():
    r = cheb_grid(-0.3466 * 1.001, 0.3466 * 1.001, 801)
    q = sample(lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > 1e-9 else mp.mpf(1) / 2 + r / 6, r)
    show("exp f32: (exp(r) - 1 - r) / r^2, absolute", *fit(r, q, r**2, monomials(r, range(5))))
    show("exp_extended: (exp(r) - 1 - r) / r^2, 2^-24", *fit(r, q, r**2 * 2**24, monomials(r, range(6))))
    r = cheb_grid(-0.5003, 0.5003, 2001)
    y = 2**r
    show("exp f16: 2^r, 1/8 ulp", *fit(r, y, np.where(r < 0, 2.0**14, 2.0**13), monomials(r, range(4))))
    for degree in (3, 4, 6):
        show(f"2^r of degree {degree}, relative", *fit(r, y, 1 / y, monomials(r, range(degree + 1))))


def sigmoid():
    r = cheb_grid(-0.5003, 0.5003, 2001)
    y = 2**r
    w = np.zeros_like(r)
    for n in range(-11, 24):  # an error counts as it does for the worst n
        e = y * 2.0**n
        s = 1 / (1 + e)
        w = np.maximum(w, e / (1 + e) * s / ulp(s, 11, -14) * 8 / y)
    show("sigmoid half: 2^r, 1/8 ulp of f16", *fit(r, y, w, monomials(r, range(4)), iterations=3000))


def tanh():
    for name, limit, p, q in (("f16", 5.0, 2, 2), ("bf16", 4.0, 1, 2)):
        x = cheb_grid(1e-4, limit, 1501)
        w = 8 / ulp(np.tanh(x), PRECISION[name]) * x
        # The value at the limit stands for everything above it, up to 1.
        y = np.append(np.tanh(x) / x, 1 / limit)
        x, w = np.append(x, limit), np.append(w, w[-1])
        z = x * x
        a, b, error = fit_rational(x, y, w, monomials(z, range(p + 1)), monomials(z, range(1, q + 1)), 200)
        show(f"tanh {name}: numerator, denominator from degree 1; 1/8 ulp", list(a) + list(b), error)


def erf():
    x = cheb_grid(1e-4, 1.001, 601)
    y = sample(lambda x: mp.erf(x) / x - 1, x)
    w = x / ulp((y + 1) * x, 24)
    show("erf f32 near: erf(x) / x - 1 in x^2, ulp", *fit(x, y, w, monomials(x * x, range(7)), iterations=1500))
    x = cheb_grid(0.999, 4.0, 801)
    y = sample(lambda x: mp.log(mp.erfc(x), 2) / x, x)
    w = 2.0 ** (y * x) * np.log(2) * 2**24 * x
    show("erf f32 far: log2 erfc(x) / x, ulp", *fit(x, y, w, monomials(x, range(6)), iterations=1500))
    for name, limit, degree in (("f16", 2.76, 7), ("bf16", 2.4, 5)):
        x = cheb_grid(1e-4, limit, 801)
        f = sample(mp.erf, x)
        w = 8 / ulp(f, PRECISION[name]) * x
        y = np.append(f / x, 1 / limit)
        x, w = np.append(x, limit), np.append(w, w[-1])
        show(f"erf {name}: erf(x) / x in x^2, 1/8 ulp",
             *fit(x, y, w, monomials(x * x, range(degree + 1)), iterations=1500))


def gelu():
    def log2_tail(a):
        return mp.log(mp.erfc(a / mp.sqrt(2)) / 2, 2)

    a = cheb_grid(1e-3, 13, 1500)
    y = sample(log2_tail, a) + 1
    w = 2.0**24 * np.log(2) / (1 + np.abs(y) / 1.5)  # the product's rounding grows with the exponent anyway
    show("gelu f32: (log2 Q(a) + 1) / a", *fit(a, y / a, w * a, monomials(a, range(15)), iterations=800))
    # f16: beyond 6 the tail only has to vanish.
    a = np.concatenate([cheb_grid(1e-3, 6.0, 601), cheb_grid(6.05, 13.0, 400)])
    y = sample(log2_tail, a) + 1
    tail = a * 2.0 ** (y - 1)
    w = np.maximum(8 / ulp(tail, 11, -14) * tail * np.log(2), 0.5)
    show("gelu f16: 1/8 ulp", *fit(a, y / a, w * a, monomials(a, range(6)), iterations=1500))
    a = cheb_grid(1e-3, 13, 1200)
    y = sample(log2_tail, a) + 1
    tail = a * 2.0 ** (y - 1)
    w = 8 / ulp(tail, 8, -126) * tail * np.log(2)
    show("gelu bf16: 1/8 ulp", *fit(a, y / a, w * a, monomials(a, range(8)), iterations=1500))


def rsqrt():
    m = cheb_grid(0.9218752421364769, 1.052256061059646, 801)  # x y^2 over all mantissas, magic 0x5f360000
    show("rsqrt: m^(-1/2), relative", *fit(m, m**-0.5, m**0.5, monomials(m, range(3))))


def log():
    f = cheb_grid(-1 / 3, 1 / 3, 801)
    size = np.abs(np.log1p(f))
    y = sample(lambda f: (mp.log1p(f) - f) / f**2 if abs(f) > 1e-9 else -mp.mpf(1) / 2 + f / 3, f)
    show("log f32: (log(1 + f) - f) / f^2, relative 2^-24",
         *fit(f, y, f**2 / size * 2**24, monomials(f, range(9))))
    y = sample(lambda f: mp.log1p(f) / f if abs(f) > 1e-9 else 1 - f / 2, f)
    for name, degree in (("f16", 4), ("bf16", 3)):
        w = 8 / ulp(np.maximum(size, 1e-9), PRECISION[name]) * np.abs(f)
        show(f"log {name}: log(1 + f) / f, 1/8 ulp", *fit(f, y, w, monomials(f, range(degree + 1)), iterations=1000))


def pow():
    limit = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * mp.mpf("1.0001")) ** 2)
    z = cheb_grid(0, limit, 401)

    def rest(z):
        s = mp.sqrt(z)
        return (mp.atanh(s) / s - 1 - z / 3) / z**2 if z > 1e-6 else mp.mpf(1) / 5 + z / 7

    show("pow f32: (atanh(s) / s - 1 - z / 3) / z^2 in z = s^2, 2^-34",
         *fit(z, sample(rest, z), z**2 * 2.0**34, monomials(z, range(3))))
    f = cheb_grid(-1 / 3, 1 / 3, 801)
    y = sample(lambda f: mp.log1p(f) / f / mp.log(2) / 2 if abs(f) > 1e-9 else (1 - f / 2) / mp.log(2) / 2, f)
    show("pow half: log2(1 + f) / 2f, relative", *fit(f, y, 1 / y, monomials(f, range(7)), iterations=800))


def reciprocal():
    """The magic number and the constants of the two Newton steps y (k - d y)."""
    d = np.linspace(1, 4, 80001)[:-1].astype(np.float32)
    best = None
    for magic in range(0x7EE00000, 0x7F000000, 0x400):
        y = (np.int32(magic) - d.view(np.int32)).view(np.float32).astype(float)
        m = d * y
        k = m.min() + m.max()
        error = max(abs(k * k / 4 - 1), abs(m.min() * m.max() - 1))
        if best is None or error < best[0]:
            best = (error, magic, k)
    print(f"reciprocal: magic {best[1]:#x}, first constant {best[2]:.7g}, second {2 + best[0] ** 2 / 2:.9g}, error {best[0]:.3g}")


if __name__ == "__main__":
    for family in (exp, sigmoid, tanh, erf, gelu, rsqrt, log, pow, reciprocal):
        family()
