#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/pointwise_*.txt: what PyTorch (CPU, eager) says about division, bits, signs, classification and
piecewise activations. Run once with torch installed:

    python3 tools/golden/pointwise.py tests/golden

The format is that of generate.py. f16 and bf16 are computed in f32 and rounded once, unless an op is about the dtype
itself; what contains a transcendental function is computed in f64 and rounded.
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from generate import DTYPES, FLOATS, NAMES, NUMBERS, attempt, bits, dtype_of, one

EXACT, SINGLE, DOUBLE = "exact", "single", "double"  # computed in the dtype itself, in f32 at least, in f64

UNARY = {  # op: (how, forms of its numbers, function)
    "frac": (EXACT, [()], torch.frac), "sign": (EXACT, [()], torch.sign), "signbit": (EXACT, [()], torch.signbit),
    "isnan": (EXACT, [()], torch.isnan), "isinf": (EXACT, [()], torch.isinf), "isfinite": (EXACT, [()], torch.isfinite),
    "isposinf": (EXACT, [()], torch.isposinf), "isneginf": (EXACT, [()], torch.isneginf),
    "nan_to_num": (EXACT, [(0.0, 100.5, -7.0), (math.inf, 1.0, -0.0)], lambda x, n, p, m: torch.nan_to_num(x, n, p, m)),
    "bitwise_not": (EXACT, [()], torch.bitwise_not), "reciprocal": (SINGLE, [()], torch.reciprocal),
    "deg2rad": (SINGLE, [()], torch.deg2rad), "rad2deg": (SINGLE, [()], torch.rad2deg),
    "leaky_relu": (SINGLE, [(0.01,), (-2.0,)], F.leaky_relu),
    "hardtanh": (EXACT, [(-1.0, 1.0), (0.0, 6.0), (-1.5, 2.5), (-300.0, 300.0)], F.hardtanh),
    "threshold": (SINGLE, [(1.0, 2.0), (0.5, 7.75)], F.threshold),
    "hardsigmoid": (SINGLE, [()], F.hardsigmoid), "hardswish": (SINGLE, [()], F.hardswish),
    "hardshrink": (SINGLE, [(0.5,), (-1.0,)], F.hardshrink), "softshrink": (SINGLE, [(0.5,), (0.0,)], F.softshrink),
    "softsign": (SINGLE, [()], F.softsign), "tanhshrink": (DOUBLE, [()], F.tanhshrink),
    "elu": (DOUBLE, [(1.0, 1.0, 1.0), (0.75, 1.0, 1 / 0.75), (1.6732632423543772, 1.0507009873554805, 1.0)], torch._C._nn.elu),
}
BINARY = {
    "floor_divide": (SINGLE, torch.floor_divide), "div_trunc": (SINGLE, lambda a, b: torch.div(a, b, rounding_mode="trunc")),
    "remainder": (SINGLE, torch.remainder), "fmod": (SINGLE, torch.fmod), "bitwise_and": (EXACT, torch.bitwise_and),
    "bitwise_or": (EXACT, torch.bitwise_or), "bitwise_xor": (EXACT, torch.bitwise_xor),
    "bitwise_left_shift": (EXACT, torch.bitwise_left_shift), "bitwise_right_shift": (EXACT, torch.bitwise_right_shift),
    "fmin": (EXACT, torch.fmin), "fmax": (EXACT, torch.fmax), "copysign": (EXACT, torch.copysign),
    "nextafter": (EXACT, torch.nextafter), "heaviside": (EXACT, torch.heaviside),
    "prelu": (SINGLE, lambda a, b: F.prelu(a[None], b)[0]), "glu": (DOUBLE, lambda a, b: F.glu(torch.stack([a, b]), 0)[0]),
}
TERNARY = {
    "lerp": [(), torch.lerp], "addcmul": [(1.0,), lambda x, a, b, v: torch.addcmul(x, a, b, value=v)],
    "addcdiv": [(1.0,), lambda x, a, b, v: torch.addcdiv(x, a, b, value=v)],
}
DIVISIONS = ("floor_divide", "div_trunc", "remainder", "fmod")
NOT_PROMOTED = ("prelu", "glu")
TENSORS_ONLY = ("fmin", "fmax", "nextafter", "heaviside")


def special_values(name):
    dtype = DTYPES[name]
    if name == "boolean":
        return torch.tensor([False, True])
    if name in FLOATS:
        info = torch.finfo(dtype)
        least = torch.nextafter(torch.tensor(0.0, dtype=dtype), torch.tensor(1.0, dtype=dtype)).double().item()
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, -9.0, 6.25, info.max, info.tiny, -least, math.inf, -math.inf, math.nan]
        return torch.tensor(values, dtype=torch.float64).to(dtype)
    info = torch.iinfo(dtype)
    values = [0, 1, 2, 3, 7, 8, 100, info.max, info.max - 1, info.max // 2 + 1]
    values += [info.min, info.min + 1, -1, -2, -7, -8] if info.min < 0 else [64, 33]
    if name == "u64":
        return torch.tensor([v - 2**64 if v >= 2**63 else v for v in values], dtype=torch.int64).view(torch.uint64)
    return torch.tensor(values, dtype=dtype)


def computed(how, function, *operands):
    dtype = operands[0].dtype
    if how == EXACT or not dtype.is_floating_point:
        return function(*operands)
    wide = torch.float64 if how == DOUBLE else torch.promote_types(dtype, torch.float32)
    return function(*(x.to(wide) for x in operands)).to(dtype)


def pairs(values):
    """Every value with every other; unsigned ones by their bits, for which indexing exists."""
    raw = values.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[values.element_size()]) if NAMES[values.dtype] in ("u16", "u32", "u64") else values
    n = len(values)
    left, right = (p.flatten() for p in torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij"))
    return raw[left].view(values.dtype), raw[right].view(values.dtype), raw[n - 1 - right].view(values.dtype)


def line(head, function, kept=None):
    result = attempt(function)
    if isinstance(result, str):
        return f"{head} {result}"
    words = bits(result).split(" ")
    if kept is not None:
        words = [word if keep else "?" for word, keep in zip(words, kept)]
    return f"{head} {NAMES[result.dtype]} {' '.join(words)}"


def division(function, left, right):
    """Only where C++ defines the quotient: not by 0, and not the smallest number by -1. PyTorch's vector kernels say that
    a remainder is NaN where the quotient overflows."""
    if left.dtype.is_floating_point:
        quotient = left.float() / right.float() if left.dtype != torch.float64 else left / right
        return (~(quotient.isinf() & left.isfinite() & (right != 0))).tolist(), right
    if left.dtype == torch.bool or NAMES[left.dtype] in ("u16", "u32", "u64"):
        return None, right
    info = torch.iinfo(left.dtype)
    kept = (right != 0) & ~((left == info.min) & (right == -1) if info.min < 0 else torch.zeros_like(left, dtype=torch.bool))
    return kept.tolist(), torch.where(kept, right, torch.ones_like(right))


def values():
    lines = []
    for name in DTYPES:
        v = special_values(name)
        lines.append(f"values {name} - {bits(v)}")
        for op, (how, forms, function) in UNARY.items():
            for numbers in forms:
                head = f"unary {name} {op} {','.join(map(repr, numbers)) or '-'}"
                lines.append(line(head, lambda: computed(how, lambda x: function(x, *numbers), v)))
        left, right, third = pairs(v)
        for op, (how, function) in BINARY.items():
            kept, divisor = division(function, left, right) if op in DIVISIONS else (None, right)
            lines.append(line(f"binary {name} {op} -", lambda: computed(how, function, left, divisor), kept))
        for op, (numbers, function) in TERNARY.items():
            head = f"ternary {name} {op} {','.join(map(repr, numbers)) or '-'}"
            lines.append(line(head, lambda: computed(SINGLE, lambda x, a, b: function(x, a, b, *numbers), left, right, third)))
        mask = torch.arange(len(v)) % 3 != 1
        for number in (True, 2, 2.75):
            lines.append(line(f"fill {name} masked_fill {number!r}", lambda: v.masked_fill(mask, number)))
    return lines


def promotion():
    lines = []
    for op, (_, function) in BINARY.items():
        if op in NOT_PROMOTED:
            continue
        for left in "dz":
            for right in "dz":
                row = [dtype_of(lambda a=a, b=b: function(one(a, left == "z"), one(b, right == "z")))
                       for a in DTYPES.values() for b in DTYPES.values()]
                lines.append(f"{op} {left}{right} " + " ".join(row))
        if op in TENSORS_ONLY:
            continue
        for kind, number in NUMBERS.items():
            for weight in "dz":
                tensors = [one(dtype, weight == "z") for dtype in DTYPES.values()]
                lines.append(f"{op} {weight}:{kind} " + " ".join(dtype_of(lambda a=a: function(a, number)) for a in tensors))
    return lines


def main():
    folder = Path(sys.argv[1])
    for name, make in (("pointwise_promotion", promotion), ("pointwise_values", values)):
        lines = make()
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
        print(f"{name}.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
