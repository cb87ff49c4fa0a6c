#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/index_writes.txt: what PyTorch (CPU, eager) gives for calls that write or order by index.

    python3 tools/golden/index_writes.py tests/golden

A line is the name of a function, its integers and numbers as "key=value", and its tensors, operands first and results
last, each as "| dtype extents bits": extents are comma-separated or "scalar", bits hexadecimal elements. Where places
are equal and elements replaced, PyTorch promises nothing, and there are no such cases.
"""

import sys
from pathlib import Path

import torch

NAMES = {
    torch.bool: "boolean", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}
LINES = []
GENERATOR = torch.Generator().manual_seed(7)


def bits(tensor):
    data = torch.empty(tensor.numel(), dtype=tensor.dtype).copy_(tensor.reshape(-1))
    size = data.element_size()
    raw = bytes(data.view(torch.uint8).tolist()) if data.numel() else b""
    return [format(int.from_bytes(raw[i:i + size], "little"), f"0{2 * size}x") for i in range(0, len(raw), size)]


def text(tensor):
    shape = ",".join(map(str, tensor.shape)) or "scalar"
    return " ".join(["|", NAMES[tensor.dtype], shape, *bits(tensor)])


def line(name, arguments, operands, results):
    if isinstance(results, torch.Tensor):
        results = [results]
    words = [name, *(f"{k}={v}" for k, v in arguments.items())]
    LINES.append(" ".join([*words, *map(text, operands), *map(text, results)]))


def values(dtype, shape, low=-100, high=100):
    if dtype.is_floating_point:  # sums of a few are exact in every order
        low, high = -10, 10
    whole = torch.randint(max(low, 0) if dtype == torch.uint8 else low, high, shape, generator=GENERATOR)
    return whole.to(dtype) if dtype != torch.bool else whole > 0


def below(bound, shape, dtype=torch.int64):
    return torch.randint(0, bound, shape, generator=GENERATOR).to(dtype)


def distinct(bound, count):
    return torch.randperm(bound, generator=GENERATOR)[:count]


def replacing():
    for dtype in NAMES:
        x, index, src = values(dtype, (3, 5)), torch.stack([distinct(5, 3) for _ in range(3)]), values(dtype, (4, 3))
        line("scatter", {"dim": 1}, (x, index, src), x.scatter(1, index, src))
        i = distinct(5, 3)
        line("index_copy", {"dim": -1}, (x, i, src[:3]), x.index_copy(-1, i, src[:3]))
        line("index_put", {"accumulate": 0, "count": 1}, (x, src[:1, 0], torch.tensor([-2])), x.index_put((torch.tensor([-2]),), src[:1, 0]))
    x = values(torch.float32, (4, 3, 5))
    i, j = torch.tensor([0, -1, 2]), torch.tensor([[1], [-3]])
    v = values(torch.float32, (3, 5))
    line("index_put", {"accumulate": 0, "count": 2}, (x, v, i, j), x.index_put((i, j), v))
    index = torch.tensor([2, 0])
    line("index_fill", {"dim": 1, "value": 7}, (x, index), x.index_fill(1, index, 7.0))
    s = torch.tensor(3.5)
    line("scatter", {"dim": 0}, (s, torch.tensor(0), torch.tensor(-1.0)), s.scatter(0, torch.tensor(0), torch.tensor(-1.0)))
    line("scatter", {"dim": 0}, (x, torch.zeros((0, 3, 5), dtype=torch.int64), v[:0, None].expand(0, 3, 5)), x.clone())


def adding(dtypes):
    for dtype in dtypes:
        x, index, src = values(dtype, (3, 4)), below(3, (9, 4)), values(dtype, (10, 4))
        line("scatter_add", {"dim": 0}, (x, index, src), x.scatter_add(0, index, src))
        i = below(4, (7,))
        s = values(dtype, (3, 7))
        line("index_add", {"dim": 1}, (x, i, s), x.index_add(1, i, s))
        k, v = below(3, (6,)) - 2, values(dtype, (6, 4))
        line("index_put", {"accumulate": 1, "count": 1}, (x, v, k), x.index_put((k,), v, accumulate=True))


def counting():
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        x = below(11, (40,), dtype)
        line("bincount", {"minlength": 0}, (x,), torch.bincount(x))
        line("bincount", {"minlength": 20}, (x,), torch.bincount(x, minlength=20))
    x, w = below(5, (30,)), values(torch.float32, (30,))
    line("weights", {}, (x, w), torch.bincount(x, w))
    line("weights", {}, (x, w.int()), torch.bincount(x, w.int()))
    empty = torch.zeros(0, dtype=torch.int64)
    line("bincount", {"minlength": 3}, (empty,), torch.bincount(empty, minlength=3))
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(300, generator=GENERATOR).to(dtype)
        for bins, low, high in ((10, -2, 2), (7, 0, 1), (100, 0, 0), (1, -1, 1)):
            line("histc", {"bins": bins, "min": low, "max": high}, (x,), torch.histc(x, bins, low, high))
        edges = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 4.0, -0.0, 5.0], dtype=dtype)
        line("histc", {"bins": 4, "min": 0, "max": 4}, (edges,), torch.histc(edges, 4, 0, 4))
        line("histc", {"bins": 3, "min": 0, "max": 0}, (edges[:1],), torch.histc(edges[:1], 3))


def ordering():
    special = torch.tensor([3.0, torch.nan, -0.0, 0.0, torch.inf, -torch.inf, 1.0, -torch.nan, -0.0, 3.0])
    for dtype in NAMES:
        x = special.to(dtype) if dtype.is_floating_point else values(dtype, (10,))
        for descending in (0, 1):
            line("sort", {"dim": 0, "descending": descending}, (x,), x.sort(stable=True, descending=bool(descending)))
    x = below(7, (3, 5, 4)).float()
    for dim in (0, 1, -1):
        line("argsort", {"dim": dim, "descending": 0}, (x,), torch.argsort(x, dim=dim, stable=True))
    for shape in ((0,), (3, 0), (1, 1)):
        line("sort", {"dim": 0, "descending": 1}, (torch.zeros(shape),), torch.zeros(shape).sort(0, True))
    s = torch.tensor(2.0)
    line("sort", {"dim": -1, "descending": 0}, (s,), s.sort())
    line("argsort", {"dim": 0, "descending": 0}, (s,), s.argsort())
    y = torch.randperm(60, generator=GENERATOR).reshape(3, 20).float()
    for k, dim, largest in ((5, -1, 1), (2, 0, 0), (20, 1, 1), (0, 1, 1)):
        line("topk", {"k": k, "dim": dim, "largest": largest}, (y,), y.topk(k, dim, bool(largest)))
    n = torch.tensor([1.0, torch.nan, 3.0])
    for largest in (0, 1):
        line("topk", {"k": 2, "dim": 0, "largest": largest}, (n,), n.topk(2, largest=bool(largest)))


def main():
    ordering()
    replacing()
    adding(NAMES)
    counting()
    (Path(sys.argv[1]) / "index_writes.txt").write_text("\n".join(LINES) + "\n")
    print(f"index_writes.txt: {len(LINES)} lines")


if __name__ == "__main__":
    main()
