#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/composites.txt: what PyTorch (CPU, eager) says about ops that are compositions of folds: softmax,
norms, statistics, losses and pooling. Run once with torch installed:

    python3 tools/golden/composites.py tests/golden

A line is an op, its attributes in the order of their parameters, its operands and its result, as text:

    softmax 1 | f32 2,3 <elements> | f32 2,3 <elements>

Floating operands are widened to f64, and the result is rounded to the dtype of the first operand, so that a golden value
has no error of its own. '-' instead of a result stands for a refusal.
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F

from generate import DTYPES, FLOATS, NAMES, bits

INF, NAN = math.inf, math.nan


def text(tensor):
    shape = ",".join(map(str, tensor.shape)) or "scalar"
    return f"{NAMES[tensor.dtype]} {shape} {bits(tensor)}".strip()


def wide(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def attribute(value):
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "all"
    if isinstance(value, bool):
        return str(int(value))
    return "none" if value is None else repr(value) if isinstance(value, float) else str(value)


def case(op, attributes, operands, function, dtype=None):
    head = " ".join([op, *map(attribute, attributes)])
    try:
        result = function(*map(wide, operands))
        result = result.to(dtype or operands[0].dtype) if result.is_floating_point() else result
        tail = text(result)
    except (RuntimeError, IndexError, ValueError):
        tail = "-"
    return " | ".join([head, *map(text, operands), tail])


def rows(dtype, count=4, width=9, low=-3.0, high=3.0):
    x = torch.rand(count, width, dtype=torch.float64) * (high - low) + low
    return x.to(dtype)


def long_rows(dtype):
    """Squares and exponentials of these overflow f16; one row, since its text is long."""
    return [rows(dtype, 1, 1024, -300, 300)] if dtype == torch.float16 else []


def special_rows(dtype):
    """Fully masked, partly masked, infinite and undefined rows."""
    return torch.tensor([[-INF, -INF, -INF], [-INF, 0.5, 1.0], [INF, 0.0, 1.0], [INF, INF, -INF], [NAN, 1.0, -INF], [0.0, -0.0, 0.0]],
                        dtype=torch.float64).to(dtype)


def softmaxes():
    lines = []
    functions = {"softmax": F.softmax, "log_softmax": F.log_softmax}
    for name in FLOATS:
        t = DTYPES[name]
        for op, function in functions.items():
            for x, dim in [(rows(t), 1), (rows(t), 0), (special_rows(t), -1), (rows(t, 3, 1), 1)] + [(x, -1) for x in long_rows(t)]:
                lines.append(case(op, (dim,), (x,), lambda v, d=dim, f=function: f(v, d)))
        for x, dims, keep in ((rows(t), (1,), False), (rows(t), (0, 1), True), (special_rows(t), (1,), False),
                              (torch.zeros(3, 0, dtype=t), (1,), False)):
            lines.append(case("logsumexp", (dims, keep), (x,), lambda v, d=dims, k=keep: torch.logsumexp(v, d, k)))
    for op, function in functions.items():
        lines.append(case(op, (0,), (torch.tensor(2.5),), lambda v, f=function: f(v, 0)))
        lines.append(case(op, (0,), (torch.tensor([1, 2]),), lambda v, f=function: f(v, 0)))
        lines.append(case(op, (2,), (rows(torch.float32),), lambda v, f=function: f(v, 2)))
        lines.append(case(op, (1,), (torch.zeros(3, 0),), lambda v, f=function: f(v, 1)))
    lines.append(case("logsumexp", ((0,), False), (torch.tensor([1, 2, 3], dtype=torch.int16),), lambda v: torch.logsumexp(v, 0), torch.float32))
    return lines


def spreads():
    lines = []
    for name in FLOATS:
        t = DTYPES[name]
        inputs = [(rows(t), (1,)), (rows(t), (0,)), (rows(t), (0, 1)), (special_rows(t), (1,)), (rows(t, 3, 1), (1,)),
                  (torch.zeros(3, 0, dtype=t), (1,)), (torch.zeros(0, 3, dtype=t), (1,))]
        inputs += [(x, (-1,)) for x in long_rows(t)]
        if name in ("bf16", "f32", "f64"):
            inputs += [(rows(t, 2, 20, -1e30, 1e30), (1,)), (rows(t, 2, 20, -1e-18, 1e-18), (1,)), (rows(t, 2, 20, -1e-30, 1e-30), (1,))]
        if name == "f32":
            inputs += [(rows(t, 1, 1100, 99999, 100001), (1,))]
        for x, dims in inputs:
            for correction in (1.0,) if x.numel() > 1000 else (1.0, 0.0, 2.5, 30.0):
                keep = correction == 0
                for op, function in (("var", torch.var), ("std", torch.std)):
                    lines.append(case(op, (dims, keep, correction), (x,),
                                      lambda v, f=function, d=dims, c=correction, k=keep: f(v, dim=d, correction=c, keepdim=k)))
    lines.append(case("var", ((0,), False, 1.0), (torch.tensor([1, 2, 3]),), lambda v: torch.var(v, dim=0)))
    return lines


def norms():
    lines = []
    for name in FLOATS:
        t = DTYPES[name]
        for x in long_rows(t):
            lines.append(case("vector_norm", ((-1,), False, 3, False, None, None), (x,), lambda v: torch.linalg.vector_norm(v, 2, dim=-1)))
        for x, dims in ((rows(t), (1,)), (rows(t), (0, 1)), (special_rows(t), (1,)), (torch.zeros(3, 0, dtype=t), (1,)),
                        (torch.zeros(0, 3, dtype=t), (1,))):
            for form, p in enumerate((None, 0.0, 1.0, 2.0, INF, -INF)):
                for q in ((3.0, 0.5, -1.5) if p is None else (p,)):
                    general = p is None
                    numbers = (q, 1 / q) if general else (None, None)
                    lines.append(case("vector_norm", (dims, False, form, general and q < 0, *numbers), (x,),
                                      lambda v, q=q, d=dims: torch.linalg.vector_norm(v, q, dim=d)))
    return lines


def layers():
    lines = []
    for name in FLOATS:
        t = DTYPES[name]
        for x in long_rows(t):
            lines.append(case("layer_norm", (False, False, (1024,), 1e-5), (x,), lambda v: F.layer_norm(v, (1024,))))
            lines.append(case("rms_norm", (False, False, (1024,), 1e-5), (x,), lambda v: F.rms_norm(v, (1024,), None, 1e-5)))
        for x, shape in ((rows(t), (9,)), (rows(t).reshape(2, 6, 3), (6, 3)), (special_rows(t), (3,)),
                         (torch.zeros(3, 0, dtype=t), (0,)), (torch.zeros(0, 3, dtype=t), (3,)), (rows(t, 3, 1), (1,))):
            w, b = rows(t, 1, math.prod(shape)).reshape(shape), rows(t, 1, math.prod(shape)).reshape(shape)
            lines.append(case("layer_norm", (True, True, shape, 1e-5), (x, w, b), lambda v, w, b, s=shape: F.layer_norm(v, s, w, b)))
            lines.append(case("layer_norm", (False, True, shape, 0.5), (x, b), lambda v, b, s=shape: F.layer_norm(v, s, None, b, 0.5)))
            lines.append(case("rms_norm", (True, False, shape, 1e-6), (x, w), lambda v, w, s=shape: F.rms_norm(v, s, w, 1e-6)))
        x = rows(t, 3, 6 * 5).reshape(3, 6, 5)
        w, b = rows(t, 1, 6)[0], rows(t, 1, 6)[0]
        for groups in (1, 3, 6, 4):
            lines.append(case("group_norm", (True, True, 1e-5, groups), (x, w, b), lambda v, w, b, g=groups: F.group_norm(v, g, w, b)))
        lines.append(case("instance_norm", (True, True, 1e-5), (x, w, b), lambda v, w, b: F.instance_norm(v, None, None, w, b)))
        lines.append(case("instance_norm", (False, False, 1e-5), (x[:, :, :1].contiguous(),), lambda v: F.instance_norm(v)))
        for v in (x, rows(t, 7, 6)):
            lines.append(case("batch_norm_training", (True, True, 1e-5), (v, w, b), lambda v, w, b: F.batch_norm(v, None, None, w, b, True)))
        lines.append(case("batch_norm_training", (False, False, 1e-5), (rows(t, 1, 6),), lambda v: F.batch_norm(v, None, None, training=True)))
    return lines


def arg_extremes():
    lines = []
    for name, t in DTYPES.items():
        if name in ("boolean", "u16", "u32", "u64"):
            continue
        ties = torch.tensor([[3, 1, 3, 0], [0, 0, 0, 0], [1, 2, 5, 5]], dtype=t)
        inputs = [ties] + ([special_rows(t)] if name in FLOATS else [])
        for op, function in (("argmax", torch.argmax), ("argmin", torch.argmin)):
            for x in inputs:
                for dims, keep in (((1,), False), ((0,), True), ((-1,), True), ((), False)):
                    lines.append(case(op, (dims, keep), (x,), lambda v, f=function, d=dims, k=keep: f(v, d[0] if d else None, k)))
    for op, function in (("argmax", torch.argmax), ("argmin", torch.argmin)):
        for shape, dims in (((0, 3), (1,)), ((0, 3), (0,)), ((0,), ()), ((), (0,)), ((), (-1,)), ((2, 3), (2,))):
            lines.append(case(op, (dims, False), (torch.ones(shape),), lambda v, f=function, d=dims: f(v, d[0] if d else None)))
    return lines


REDUCTIONS = ("none", "mean", "sum")


def element_losses():
    lines = []
    for name in FLOATS:
        t = DTYPES[name]
        x, y = rows(t, 2, 5), rows(t, 2, 5)
        p, q = rows(t, 2, 5, 0, 1), rows(t, 2, 5, 0, 1)
        p[0, :3], q[1, :3] = torch.tensor([0.0, 1.0, 0.5]), torch.tensor([0.0, 1.0, 0.0])
        w, pw = rows(t, 1, 5, 0.5, 2)[0], rows(t, 1, 5, 0.5, 2)[0]
        for a, b in ((x, y), (special_rows(t), special_rows(t).flip(0).contiguous()), (torch.zeros(0, dtype=t), torch.zeros(0, dtype=t))):
            for i, how in enumerate(REDUCTIONS):
                lines.append(case("mse_loss", (i,), (a, b), lambda v, u, h=how: F.mse_loss(v, u, reduction=h)))
                lines.append(case("l1_loss", (i,), (a, b), lambda v, u, h=how: F.l1_loss(v, u, reduction=h)))
                for beta in (1.0, 0.25, 0.0):
                    lines.append(case("smooth_l1_loss", (i, beta, beta / 2), (a, b), lambda v, u, h=how, n=beta: F.smooth_l1_loss(v, u, reduction=h, beta=n)))
                lines.append(case("huber_loss", (i, 0.75, 0.375), (a, b), lambda v, u, h=how: F.huber_loss(v, u, reduction=h, delta=0.75)))
        for i, how in enumerate(REDUCTIONS):
            lines.append(case("binary_cross_entropy", (i, False, False), (p, q), lambda v, u, h=how: F.binary_cross_entropy(v, u, reduction=h)))
            lines.append(case("binary_cross_entropy", (i, True, False), (p, q, w), lambda v, u, n, h=how: F.binary_cross_entropy(v, u, n, reduction=h)))
            f = F.binary_cross_entropy_with_logits
            lines.append(case("binary_cross_entropy_with_logits", (i, False, False), (x * 20, q), lambda v, u, h=how: f(v, u, reduction=h)))
            lines.append(case("binary_cross_entropy_with_logits", (i, False, True), (x, q, pw), lambda v, u, n, h=how: f(v, u, pos_weight=n, reduction=h)))
            lines.append(case("binary_cross_entropy_with_logits", (i, True, True), (x, q, w, pw), lambda v, u, n, m, h=how: f(v, u, n, pos_weight=m, reduction=h)))
        for i, how in enumerate((*REDUCTIONS, "batchmean")):
            for log in (False, True):
                lines.append(case("kl_div", (i, log), (x, y if log else q), lambda v, u, h=how, l=log: F.kl_div(v, u, reduction=h, log_target=l)))
    lines.append(case("mse_loss", (1,), (torch.tensor([1, 2]), torch.tensor([2, 2])), lambda v, u: F.mse_loss(v, u)))
    return lines


def class_losses():
    lines = []
    for name in ("f16", "f32"):
        t = DTYPES[name]
        for x, target in ((rows(t, 4, 5), torch.tensor([1, 0, 4, 1])), (rows(t, 6, 4).reshape(2, 3, 4), torch.tensor([[0, 1, 2, 2], [1, 1, 0, 2]])),
                          (rows(t, 1, 3)[0], torch.tensor(2)), (rows(t, 2, 3), torch.tensor([1, 1])), (torch.zeros(0, 3, dtype=t), torch.zeros(0, dtype=torch.int64))):
            w = rows(t, 1, x.shape[1] if x.dim() > 1 else x.shape[0], 0.5, 2)[0]
            for i, how in enumerate(REDUCTIONS):
                for ignored in (-100, 1):
                    lines.append(case("nll_loss", (i, False, ignored), (x, target), lambda v, u, h=how, n=ignored: F.nll_loss(v, u, reduction=h, ignore_index=n)))
                    lines.append(case("nll_loss", (i, True, ignored), (x, target, w), lambda v, u, m, h=how, n=ignored: F.nll_loss(v, u, m, reduction=h, ignore_index=n)))
                    for s in (0.0, 0.25):
                        numbers = (ignored, s != 0, 1 - s, s)
                        lines.append(case("cross_entropy", (i, False, *numbers), (x, target), lambda v, u, h=how, n=ignored, s=s: F.cross_entropy(v, u, reduction=h, ignore_index=n, label_smoothing=s)))
                        lines.append(case("cross_entropy", (i, True, *numbers), (x, target, w), lambda v, u, m, h=how, n=ignored, s=s: F.cross_entropy(v, u, m, reduction=h, ignore_index=n, label_smoothing=s)))
                for s in (0.0, 0.25):
                    q = torch.softmax(x.double(), 0 if x.dim() == 1 else 1).to(t)
                    numbers = (-100, s != 0, 1 - s, s)
                    lines.append(case("cross_entropy", (i, True, *numbers), (x, q, w), lambda v, u, m, h=how, s=s: F.cross_entropy(v, u, m, reduction=h, label_smoothing=s)))
    lines.append(case("nll_loss", (1, False, -100), (rows(torch.float32, 2, 3), torch.tensor([0, 3])), lambda v, u: F.nll_loss(v, u)))
    lines.append(case("cross_entropy", (1, False, -100, False, 1.0, 0.0), (rows(torch.float32, 2, 3), torch.tensor([0, -1])), lambda v, u: F.cross_entropy(v, u)))
    lines.append(case("nll_loss", (1, False, -100), (rows(torch.float32, 2, 3), torch.tensor([0, 1, 2])), lambda v, u: F.nll_loss(v, u)))
    return lines


def pools():
    lines = []
    poolers = {1: (F.max_pool1d, F.avg_pool1d), 2: (F.max_pool2d, F.avg_pool2d), 3: (F.max_pool3d, F.avg_pool3d)}
    shapes = [((2, 9), (3,), (2,), (1,), (1,), False), ((1, 2, 10), (4,), (3,), (2,), (1,), True), ((2, 11), (3,), (2,), (1,), (2,), True),
              ((1, 7, 6), (3, 2), (2, 2), (1, 1), (1, 1), False), ((1, 5, 5), (2, 2), (3, 3), (1, 0), (1, 1), True),
              ((1, 5, 4, 3), (2, 2, 2), (2, 1, 2), (1, 0, 1), (1, 1, 1), True), ((1, 1), (4,), (4,), (2,), (1,), False),
              ((1, 3), (5,), (1,), (0,), (1,), False), ((1, 4), (2,), (2,), (2,), (1,), False)]
    for name in FLOATS:
        t = DTYPES[name]
        for shape, k, s, p, d, ceil in shapes:
            x = rows(t, 1, math.prod(shape)).reshape(shape)
            x.view(-1)[::7] = -INF
            max_pool, avg_pool = poolers[len(k)]
            lines.append(case("max_pool", (k, s, p, d, ceil), (x,), lambda v, f=max_pool, a=(k, s, p, d, ceil): f(v, *a)))
            if max(d) > 1:
                continue
            x = rows(t, 1, math.prod(shape)).reshape(shape)
            for include in (True, False):
                for divisor in (0, 3) if len(k) > 1 else (0,):
                    extra = (divisor or None,) if len(k) > 1 else ()
                    lines.append(case("avg_pool", (k, s, p, d, ceil, include, divisor), (x,), lambda v, f=avg_pool, a=(k, s, p, ceil, include, *extra): f(v, *a)))
        for shape, output in (((2, 9), (4,)), ((1, 2, 8), (4,)), ((1, 7, 6), (3, 1)), ((1, 5, 4, 3), (2, 4, 2)), ((1, 2), (5,))):
            x = rows(t, 1, math.prod(shape)).reshape(shape)
            for op in ("adaptive_avg_pool", "adaptive_max_pool"):
                f = getattr(F, f"{op}{len(output)}d")
                lines.append(case(op, (output,), (x,), lambda v, f=f, o=output: f(v, o)))
    return lines


def main():
    folder = Path(sys.argv[1])
    torch.manual_seed(3)
    lines = softmaxes() + spreads() + norms() + layers() + arg_extremes() + element_losses() + class_losses() + pools()
    (folder / "composites.txt").write_text("\n".join(lines) + "\n")
    print(f"composites.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
