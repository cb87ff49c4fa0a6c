#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/convolution.txt: what PyTorch (CPU, eager) gives for convolutions and batch norms.

    python3 tools/golden/convolution.py tests/golden

A line is the name of a case of tests/convolution/golden_test.cpp, the strides of the result, and the result: dtype,
extents, hexadecimal elements; '-' is a refusal. Operands are multiples of 1/16 that every floating dtype holds, the
same as in the test, and few: sums of their products are exact in f32.
"""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from moves import NAMES, bits


def values(seed, *shape, dtype=torch.float32):
    n = 1
    for d in shape:
        n *= d
    i = torch.arange(n)
    return (((i * 37 + seed * 11 + i // 7) % 64 - 32) / 16).to(dtype).reshape(shape)


def conv(x, w, bias=True, dtype=torch.float32, channels_last=False, **options):
    a, b = values(1, *x, dtype=dtype), values(2, *w, dtype=dtype)
    if channels_last:
        a = a.to(memory_format=torch.channels_last)
    padding = options.pop("padding", 0)
    if isinstance(padding, tuple) and len(padding) == 2 * (len(w) - 2):  # before, after by dim: what F.pad wants reversed
        pairs = [padding[i:i + 2] for i in range(0, len(padding), 2)]
        a, padding = F.pad(a, [p for pair in reversed(pairs) for p in pair]), 0
    f = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(w)]
    return f(a, b, values(3, w[0], dtype=dtype) if bias else None, padding=padding, **options)


def norm(shape, dtype, parameters, weight, bias, eps=1e-5):
    c = shape[1]
    p = [values(s, c, dtype=parameters) for s in (2, 3, 4, 5)]
    return F.batch_norm(values(1, *shape, dtype=dtype), p[0], p[1].abs() + 0.5, p[2] if weight else None, p[3] if bias else None, eps=eps)


HALF, BF16, F64 = torch.float16, torch.bfloat16, torch.float64
CASES = {
    "conv1d": lambda: conv((2, 3, 9), (4, 3, 3), stride=2, padding=1),
    "conv1d_unbatched": lambda: conv((3, 9), (4, 3, 2), dilation=3, bias=False),
    "conv1d_uneven": lambda: conv((1, 2, 5), (2, 2, 3), padding=(2, 0)),
    "conv2d": lambda: conv((2, 3, 5, 6), (4, 3, 3, 2), stride=(2, 1), padding=(1, 0)),
    "conv2d_depthwise": lambda: conv((1, 4, 5, 4), (8, 1, 3, 3), padding=1, groups=4),
    "conv2d_uneven": lambda: conv((1, 2, 4, 5), (3, 2, 2, 3), padding=(1, 0, 2, 1)),
    "conv2d_channels_last": lambda: conv((2, 4, 5, 3), (3, 4, 3, 3), padding=1, channels_last=True),
    "conv2d_f16": lambda: conv((1, 3, 4, 4), (2, 3, 3, 3), dtype=HALF, padding=1),
    "conv2d_bf16": lambda: conv((1, 3, 4, 4), (2, 3, 3, 3), dtype=BF16, padding=1, bias=False),
    "conv2d_i32": lambda: conv((1, 3, 4, 4), (2, 3, 3, 3), dtype=torch.int32, bias=False),
    "conv2d_empty": lambda: conv((0, 3, 4, 4), (2, 3, 3, 3)),
    "conv2d_kernel_too_large": lambda: conv((1, 3, 2, 4), (2, 3, 3, 3)),
    "conv2d_groups": lambda: conv((1, 4, 4, 4), (6, 1, 3, 3), groups=4),
    "conv3d": lambda: conv((1, 2, 3, 4, 3), (2, 2, 2, 3, 2), stride=(1, 2, 1), padding=(0, 1, 1), dtype=F64),
    "norm": lambda: norm((2, 3, 4, 2), torch.float32, torch.float32, True, True),
    "norm_bare": lambda: norm((3, 5), torch.float32, torch.float32, False, False, eps=0.25),
    "norm_weight": lambda: norm((2, 3, 4), F64, F64, True, False),
    "norm_f16": lambda: norm((2, 3, 4), HALF, torch.float32, True, True),
    "norm_bf16": lambda: norm((2, 3, 4), BF16, torch.float32, False, True),
}


def line_of(name, function):
    try:
        y = function()
    except RuntimeError:
        return f"{name} -"
    join = lambda d: ",".join(map(str, d))
    return " ".join([name, join(y.stride()), NAMES[y.dtype], join(y.shape), *bits(y)])


def main():
    lines = [line_of(name, function) for name, function in CASES.items()]
    (Path(sys.argv[1]) / "convolution.txt").write_text("\n".join(lines) + "\n")
    print(f"convolution.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
