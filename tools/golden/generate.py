#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/*.txt: what PyTorch (CPU, eager) says about promotion and values. Run once with torch installed:

    python3 tools/golden/generate.py tests/golden

Elements are hexadecimal bits of their dtype. '-' stands for a refusal, '?' for what PyTorch has not implemented.
Square roots, powers and transcendental functions are computed in f64 and rounded, so that a golden value has no error of its own.
"""

import math
import struct
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

DTYPES = {
    "boolean": torch.bool, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "f16": torch.float16,
    "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
FLOATS = ("f16", "bf16", "f32", "f64")
NUMBERS = {"boolean": True, "integer": 3, "floating": 0.5}

BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.true_divide, "minimum": torch.minimum,
    "maximum": torch.maximum, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt,
    "ge": torch.ge, "logical_and": torch.logical_and, "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor, "pow": torch.pow,
}
UNARY = {
    "neg": torch.neg, "abs": torch.abs, "floor": torch.floor, "ceil": torch.ceil, "round": torch.round,
    "trunc": torch.trunc, "relu": torch.relu, "logical_not": torch.logical_not,
}
# gelu by erfc, which keeps its digits for negative x; PyTorch's own formula cancels there, also in f64.
ROUNDED = {
    "sqrt": torch.sqrt, "exp": torch.exp, "log": torch.log, "tanh": torch.tanh, "erf": torch.erf, "sigmoid": torch.sigmoid,
    "rsqrt": torch.rsqrt, "silu": F.silu, "gelu": lambda x: x / 2 * torch.erfc(x * -math.sqrt(0.5)),
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}
FLOATING_ONLY = ("silu", "gelu", "gelu_tanh")
# These take tensors only in PyTorch; a number stands for itself there in no category.
TENSORS_ONLY = ("minimum", "maximum", "logical_and", "logical_or", "logical_xor")
EXPONENTS = [0, 1, 2, 3, 7, -1, -2, 0.5, -0.5, 2.5, -1.7]


def bits(tensor):
    """Hexadecimal elements."""
    data = tensor.contiguous().flatten()
    size = data.element_size()
    raw = bytes(data.view(torch.uint8).tolist())
    return " ".join(format(int.from_bytes(raw[i:i + size], "little"), f"0{2 * size}x") for i in range(0, len(raw), size))


def attempt(function):
    """The result, '-' where PyTorch refuses, '?' where it lacks a kernel."""
    try:
        return function()
    except NotImplementedError as error:
        return "?" if "not implemented for 'UInt" in str(error) else "-"
    except (RuntimeError, IndexError, TypeError) as error:
        return "?" if "not implemented for 'UInt" in str(error) else "-"


def dtype_of(function):
    result = attempt(function)
    return result if isinstance(result, str) else NAMES[result.dtype]


def one(dtype, zero_dim):
    return torch.tensor(1 if zero_dim else [1, 1], dtype=dtype)


def promotion():
    lines = []
    for op, function in BINARY.items():
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
                right = [dtype_of(lambda a=a: function(a, number)) for a in tensors]
                lines.append(f"{op} {weight}:{kind} " + " ".join(right))
    return lines


def special_values(name):
    dtype = DTYPES[name]
    if name == "boolean":
        return torch.tensor([False, True])
    if name in FLOATS:
        info = torch.finfo(dtype)
        values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 3.7, -3.7, 0.001, 9.0, -9.0, info.max, info.min, info.tiny,
                  math.inf, -math.inf, math.nan, 2.0]
        return torch.tensor(values, dtype=torch.float64).to(dtype)
    info = torch.iinfo(dtype)
    values = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.max // 2 + 1]
    if info.min < 0:
        values += [-1, -2, -7]
    if name == "u64":
        return torch.tensor([v - 2**64 if v >= 2**63 else v for v in values], dtype=torch.int64).view(torch.uint64)
    return torch.tensor(values, dtype=dtype)


def result_line(head, function):
    result = attempt(function)
    if isinstance(result, str):
        return f"{head} {result}"
    return f"{head} {NAMES[result.dtype]} {bits(result)}"


def rounded(function, values):
    """In f64, then rounded to the dtype that the op gives."""
    floating = values if values.dtype.is_floating_point else values.to(torch.float32)
    return function(floating.to(torch.float64)).to(floating.dtype)


def values():
    lines = []
    for name in DTYPES:
        v = special_values(name)
        lines.append(f"values {name} {bits(v)}")
        pairs = [t.contiguous() for t in torch.meshgrid(torch.arange(len(v)), torch.arange(len(v)), indexing="ij")]
        raw = v if name not in ("u16", "u32", "u64") else v.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[v.element_size()])
        left, right = (raw[p.flatten()].view(v.dtype) for p in pairs)
        for op, function in BINARY.items():
            if op == "pow" and name in FLOATS:
                lines.append(result_line(f"binary pow {name}", lambda: rounded(lambda x: torch.pow(x, right.double()), left)))
            else:
                lines.append(result_line(f"binary {op} {name}", lambda: function(left, right)))
        for op, function in UNARY.items():
            lines.append(result_line(f"unary {op} {name}", lambda: function(v)))
        for op, function in ROUNDED.items():
            if op in FLOATING_ONLY and name not in FLOATS:
                continue
            lines.append(result_line(f"unary {op} {name}", lambda: rounded(function, v)))
        for exponent in EXPONENTS:
            if name in FLOATS or (isinstance(exponent, float) and name != "boolean"):
                e = exponent if name == "f64" else torch.tensor(float(exponent), dtype=torch.float32).item()
                line = result_line(f"power {exponent!r} {name}", lambda: rounded(lambda x: torch.pow(x, e), v))
            else:
                line = result_line(f"power {exponent!r} {name}", lambda: torch.pow(v, exponent))
            lines.append(line)
        for low, high in ((0, 1), (-2.5, 3), (5, 2)):
            lines.append(result_line(f"clamp {low} {high} {name}", lambda: torch.clamp(v, low, high)))
    return lines


def in_range(values, dtype):
    """Conversions that C++ defines: PyTorch's others differ between its own kernels."""
    if dtype.is_floating_point or dtype == torch.bool or not values.dtype.is_floating_point:
        return torch.ones_like(values, dtype=torch.bool)
    info = torch.iinfo(dtype)
    whole = values.double().trunc()
    return (whole >= info.min) & (whole < float(info.max) + (1 if info.max < 2**53 else 0))


def casts():
    lines = []
    for source in DTYPES:
        v = special_values(source)
        for target, dtype in DTYPES.items():
            kept = [i for i, ok in enumerate(in_range(v, dtype).tolist()) if ok]
            row = bits(v.to(dtype)).split(" ")
            lines.append(f"{source} {target} " + " ".join(row[i] if i in kept else "?" for i in range(len(row))))
    return lines


def reductions():
    """Small whole numbers: every order of evaluation gives the same sum and product."""
    lines = []
    torch.manual_seed(1)
    functions = {"sum": torch.sum, "prod": None, "amax": torch.amax, "amin": torch.amin, "mean": torch.mean}
    for name in DTYPES:
        if name in ("u16", "u32", "u64"):
            continue
        x = torch.randint(0, 3, (2, 3, 4)).to(DTYPES[name])
        lines.append(f"operand {name} 2,3,4 {bits(x)}")
        for dims in ((), (0,), (1,), (-1,), (0, 2), (1, 2)):
            for keepdim in (False, True):
                for op, function in functions.items():
                    if op == "mean" and name not in FLOATS:
                        continue
                    if op == "prod":
                        if len(dims) != 1:
                            continue
                        result = torch.prod(x, dims[0], keepdim)
                    else:
                        result = function(x, dim=dims if dims else (0, 1, 2), keepdim=keepdim)
                    shape = ",".join(map(str, result.shape)) or "scalar"
                    lines.append(f"{op} {','.join(map(str, dims)) or 'all'} {int(keepdim)} {NAMES[result.dtype]} {shape} {bits(result)}")
    return lines


def resizes():
    lines = []
    torch.manual_seed(2)
    for height, width, h, w in ((5, 7, 3, 4), (3, 4, 7, 9), (1, 1, 3, 2), (4, 4, 4, 4), (2, 50, 3, 48), (9, 3, 1, 1), (6, 5, 12, 10)):
        x = torch.randint(0, 256, (1, 2, height, width)).to(torch.float32)
        last = x.permute(0, 2, 3, 1)[0]
        for mode, name in (("bilinear", "linear"), ("nearest-exact", "nearest")):
            options = {"align_corners": False} if mode == "bilinear" else {}
            y = F.interpolate(x.double(), (h, w), mode=mode, **options).float().permute(0, 2, 3, 1)[0]
            lines.append(f"{name} {height},{width},2 {h},{w},2 | {bits(last)} | {bits(y)}")
    row = torch.arange(500.0).reshape(1, 1, 1, 500)
    y = F.interpolate(row.double(), (1, 480), mode="nearest-exact").float()
    lines.append(f"nearest 1,500,1 1,480,1 | {bits(row)} | {bits(y)}")
    return lines


def main():
    folder = Path(sys.argv[1])
    for name, make in (("promotion", promotion), ("values", values), ("casts", casts), ("reductions", reductions), ("resize", resizes)):
        lines = make()
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
        print(f"{name}.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
