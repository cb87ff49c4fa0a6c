# SPDX-License-Identifier: Apache-2.0
"""Weighted minimax fits for the expansions in src/scalar/math.

A fit is sum_k c_k * basis_k(x) ~ target(x), minimising max |error(x)| * weight(x) over a grid by Lawson's iteration
(least squares whose weights follow the error). Coefficients are then rounded to f32 one at a time, the first basis
function first, and the remaining ones are fitted again around the rounded ones.

Needs numpy and mpmath. fit_all.py holds the fits themselves.
"""
import numpy as np
import mpmath as mp

mp.mp.dps = 50


def cheb_grid(lo, hi, n=2001):
    k = np.arange(n)
    return 0.5 * (lo + hi) + 0.5 * (hi - lo) * np.cos(np.pi * (n - 1 - k) / (n - 1))


def sample(f, xs):
    """f evaluated in 50 digits, rounded to double."""
    return np.array([float(f(mp.mpf(float(x)))) for x in xs])


def lawson(a, y, w, iterations=400):
    """min over c of max |w * (a c - y)|."""
    lam = np.full(len(y), 1.0 / len(y))
    scale = np.maximum(np.abs(a * w[:, None]).max(axis=0), 1e-300)
    best, best_c = np.inf, None
    for _ in range(iterations):
        s = np.sqrt(lam) * w
        c, *_ = np.linalg.lstsq((a / scale) * s[:, None], y * s, rcond=None)
        c = c / scale
        e = np.abs((a @ c - y) * w)
        if e.max() < best:
            best, best_c = e.max(), c
        lam = lam * (e + 1e-3 * e.max())
        lam /= lam.sum()
    return best_c, best


def fit(xs, y, w, basis, iterations=400):
    """(coefficients rounded to f32, largest weighted error). basis: arrays over xs."""
    fixed = {}
    n = len(basis)
    a = np.stack(basis, axis=1)
    while True:
        free = [k for k in range(n) if k not in fixed]
        rest = y - sum(fixed[k] * a[:, k] for k in fixed) if fixed else y
        if not free:
            break
        c, _ = lawson(a[:, free], rest, w, iterations)
        k = free[0]
        fixed[k] = float(np.float32(c[0]))
    c = [fixed[k] for k in range(n)]
    return c, np.abs((a @ np.array(c) - y) * w).max()


def monomials(x, degrees):
    return [x ** d for d in degrees]


def show(name, c, err):
    print(f"// {name}: {err:.3g}")
    print("  " + ", ".join(f"{np.float32(v)!r}".replace("np.float32(", "").rstrip(")") + "f" for v in c))


def fit_rational(xs, y, w, p_basis, q_basis, rounds=60):
    """P / (1 + Q) ~ y, minimising max |error| * weight: Lawson's iteration on the equation multiplied by the last
    denominator. Not rounded; returns (p, q, error)."""
    a = np.stack(p_basis + [-y * b for b in q_basis], axis=1)
    n = len(p_basis)
    lam = np.full(len(y), 1.0 / len(y))
    den = np.ones(len(y))
    best = (np.inf, None, None)
    for _ in range(rounds * 10):  # the denominator settles long before the weights
        s = np.sqrt(lam) * w / den
        m = a * s[:, None]
        scale = np.maximum(np.abs(m).max(axis=0), 1e-300)
        c, *_ = np.linalg.lstsq(m / scale, y * s, rcond=None)
        c = c / scale
        p, q = c[:n], c[n:]
        den = 1 + sum(k * b for k, b in zip(q, q_basis))
        e = np.abs((sum(k * b for k, b in zip(p, p_basis)) / den - y) * w)
        if den.min() > 0 and e.max() < best[0]:
            best = (e.max(), p, q)
        lam = lam * (e + 1e-3 * e.max())
        lam /= lam.sum()
    return best[1], best[2], best[0]
