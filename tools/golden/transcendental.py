#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/transcendental_values.txt: what PyTorch (CPU, eager) says about transcendental functions, computed
in f64 and rounded, so that a golden value has no error of its own. Run once with torch installed:

    python3 tools/golden/transcendental.py tests/golden

The format is that of generate.py: `unary <op> <dtype> <numbers or -> <result dtype> <elements>`.
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from generate import DTYPES, FLOATS, bits, result_line, rounded

UNARY = {  # op: (forms of its numbers, function)
    "exp2": ([()], torch.exp2), "expm1": ([()], torch.expm1), "log2": ([()], torch.log2), "log10": ([()], torch.log10),
    "log1p": ([()], torch.log1p), "erfc": ([()], torch.erfc), "sin": ([()], torch.sin), "cos": ([()], torch.cos),
    "tan": ([()], torch.tan), "asin": ([()], torch.asin), "acos": ([()], torch.acos), "atan": ([()], torch.atan),
    "sinh": ([()], torch.sinh), "cosh": ([()], torch.cosh), "asinh": ([()], torch.asinh), "acosh": ([()], torch.acosh),
    "atanh": ([()], torch.atanh),
    "logit": ([(-1.0,), (0.125,)], lambda x, eps: torch.logit(x, None if eps < 0 else eps)),
    "softplus": ([(1.0, 20.0), (0.5, 3.0), (-2.0, 5.0)], F.softplus),
    "log_sigmoid": ([()], F.logsigmoid), "mish": ([()], F.mish),
}
BINARY = {"atan2": torch.atan2, "hypot": torch.hypot}
FLOATING_ONLY = ("softplus", "log_sigmoid", "mish")


def special_values(name):
    dtype = DTYPES[name]
    if name == "boolean":
        return torch.tensor([False, True])
    if name in FLOATS:
        info = torch.finfo(dtype)
        ordinary = [1.0, 0.5, 0.25, 0.75, 0.4, 0.9, 1.5, 2.0, 3.7, 9.0, 25.0, 0.001, 1000.0, 1 - info.eps, 1 + info.eps]
        values = [0.0, info.max, info.tiny, info.smallest_normal / 16, math.inf] + ordinary
        return torch.tensor(values + [-v for v in values] + [math.nan], dtype=torch.float64).to(dtype)
    info = torch.iinfo(dtype)
    values = [0, 1, 2, 3, 7, 100, info.max] + ([-1, -2, -100, info.min] if info.min < 0 else [])
    if name == "u64":
        return torch.tensor([v - 2**64 if v >= 2**63 else v for v in values], dtype=torch.int64).view(torch.uint64)
    return torch.tensor(values, dtype=dtype)


def main():
    lines = []
    for name in DTYPES:
        v = special_values(name)
        lines.append(f"values {name} {bits(v)}")
        for op, (forms, function) in UNARY.items():
            if op in FLOATING_ONLY and name not in FLOATS:
                lines.append(f"unary {op} {name} {','.join(map(str, forms[0])) or '-'} -")
                continue
            for form in forms:
                head = f"unary {op} {name} {','.join(map(str, form)) or '-'}"
                lines.append(result_line(head, lambda: rounded(lambda x: function(x, *form), v)))
        if name in FLOATS:
            y, x = (t.flatten().contiguous() for t in torch.meshgrid(v, v, indexing="ij"))
            for op, function in BINARY.items():
                lines.append(result_line(f"binary {op} {name} -", lambda: rounded(lambda t: function(t, x.double()), y)))
    (Path(sys.argv[1]) / "transcendental_values.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
