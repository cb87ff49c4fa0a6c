#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/scans.txt: what PyTorch (CPU, eager) says about scans. Run once with torch installed:

    python3 tools/golden/scans.py tests/golden

A line is an op, its dim, its operand and its result, as in composites.txt:

    cumsum 1 | f32 2,3 <elements> | f32 2,3 <elements>

Floating operands of sums, products and logarithms are widened to f64, and the result is rounded to their dtype, so that a
golden value has no error of its own. '-' instead of a result stands for a refusal.
"""

import math
import sys
from pathlib import Path

import torch

from composites import case, rows
from generate import DTYPES, FLOATS

INF, NAN = math.inf, math.nan


def special(dtype):
    return torch.tensor([[-INF, -INF, 1, 3, 3, -0.0], [0.0, -0.0, NAN, 2, NAN, INF], [INF, -INF, 0, 1, INF, 2]],
                        dtype=torch.float64).to(dtype)


def small(dtype):
    if dtype == torch.bool:
        return torch.tensor([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0]], dtype=dtype)
    return torch.tensor([[3, 1, 3, 0], [0, 0, 0, 7], [1, 2, 5, 5]], dtype=torch.int64).to(dtype)


def extremes(dtype, x, dims):
    lines = []
    for dim in dims:
        for name, function in (("cummax", torch.cummax), ("cummin", torch.cummin)):
            lines.append(case(name, (dim,), (x,), lambda v, d=dim, f=function: f(v, d).values, dtype))
            lines.append(case(f"{name}_indices", (dim,), (x,), lambda v, d=dim, f=function: f(v, d).indices))
    return lines


def named(op, x, dim):
    return case(op, (dim,), (x,), lambda v: getattr(v, op)(dim))


def scans():
    lines = []
    unsigned = ("u16", "u32", "u64")  # PyTorch has no extremes of these
    for name, dtype in DTYPES.items():
        x = rows(dtype) if name in FLOATS else small(dtype)
        lines += [named(op, x, dim) for dim in (0, -1) for op in ("cumsum", "cumprod")]
        if name not in unsigned:
            lines += extremes(dtype, x, (0, 1, -1))
    for name in FLOATS:
        dtype = DTYPES[name]
        for x in (rows(dtype, 3, 40, -1.5, 1.5), special(dtype)):
            lines += [named(op, x, dim) for dim in (0, 1, -2) for op in ("cumsum", "cumprod", "logcumsumexp")]
            lines += extremes(dtype, x, (0, 1))
    for op in ("cumsum", "cumprod", "logcumsumexp"):
        lines += [named(op, torch.full(shape, 1.5), -1) for shape in ((), (0,), (2, 0), (0, 2))]
        lines.append(named(op, rows(torch.float32), 2))
    lines.append(named("logcumsumexp", small(torch.int32), 0))
    return lines


def main():
    torch.manual_seed(5)
    lines = scans()
    (Path(sys.argv[1]) / "scans.txt").write_text("\n".join(lines) + "\n")
    print(f"scans.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
