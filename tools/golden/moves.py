#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/moves.txt: what PyTorch (CPU, eager) gives for calls that move, pad, create and count elements.

    python3 tools/golden/moves.py tests/golden

A line is the name of a case of tests/capture/moves_test.cpp and its results, each as "| dtype extents bits": extents are
comma-separated or "scalar", bits hexadecimal elements. A case without results is an empty list; '-' is a refusal.
"""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F

NAMES = {
    torch.bool: "boolean", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}
DTYPES = {name: dtype for dtype, name in NAMES.items()}

X = torch.arange(24.0).reshape(2, 3, 4)
M = torch.arange(35.0).reshape(5, 7)
V = torch.arange(10.0)
S = torch.tensor(7.0)
E = torch.zeros(0, 3)
LOGIC = torch.tensor([[0.0, -0.0, 0.0], [torch.nan, 0.0, 2.0], [1.0, -3.0, torch.inf]])

CASES = {}


def case(name, function):
    assert name not in CASES and " " not in name
    CASES[name] = function


def parts():
    for dim, start, length in ((1, 0, 3), (1, -2, 2), (2, 1, 2), (1, 3, 0), (-1, -4, 4), (1, 2, 2), (1, 4, 0), (1, -4, 1), (0, 0, -1), (3, 0, 1)):
        case(f"narrow:{dim}:{start}:{length}", lambda d=dim, s=start, n=length: torch.narrow(X, d, s, n))
    case("narrow_scalar", lambda: torch.narrow(S, 0, 0, 1))
    for size, dim in ((2, 1), (1, 0), (4, -1), (100, 2), (3, 2), (0, 1), (-1, 1), (1, 3)):
        case(f"split:{size}:{dim}", lambda s=size, d=dim: X.split(s, d))
    case("split_empty:0", lambda: E.split(0))
    case("split_empty:2", lambda: E.split(2))
    case("split_scalar", lambda: S.split(1))
    for sizes in ((1, 2), (3,), (0, 3, 0), (1, 1), (4,), (1, -1, 3)):
        case("sizes:" + ",".join(map(str, sizes)), lambda s=sizes: X.split(list(s), 1))
    for chunks, dim in ((2, 2), (3, 2), (4, 0), (1, 1), (2, -2), (0, 0), (-1, 0)):
        case(f"chunk:{chunks}:{dim}", lambda c=chunks, d=dim: X.chunk(c, d))
    case("chunk_ten:4", lambda: V.chunk(4))
    case("chunk_empty:3", lambda: E.chunk(3))
    case("chunk_scalar", lambda: S.chunk(1))
    for dim in (0, 1, -1, 3):
        case(f"unbind:{dim}", lambda d=dim: X.unbind(d))
    case("unbind_empty", lambda: E.unbind(0))
    case("unbind_scalar", lambda: S.unbind(0))


def repeats():
    for r in ((1, 1, 1), (2, 1, 3), (2, 1, 0, 2), (2, 2, 1, 1), (2, 2), (-1, 1, 1)):
        case("repeat:" + ",".join(map(str, r)), lambda r=r: X.repeat(r))
    case("repeat_scalar:3", lambda: S.repeat(3))
    case("repeat_scalar:", lambda: S.repeat(()))
    case("repeat_empty:2,2", lambda: E.repeat(2, 2))
    for r in ((), (2,), (2, 3), (2, 1, 1, 2), (-1,)):
        case("tile:" + ",".join(map(str, r)), lambda r=r: torch.tile(X, r))
    for r, dim in ((2, 0), (3, 1), (2, -1), (0, 1), (1, 2), (-1, 1), (2, 3)):
        case(f"repeat_interleave:{r}:{dim}", lambda r=r, d=dim: torch.repeat_interleave(X, r, d))
    case("repeat_interleave:2", lambda: torch.repeat_interleave(X, 2))
    case("repeat_interleave_scalar:3", lambda: torch.repeat_interleave(S, 3))
    case("repeat_interleave_scalar:3:0", lambda: torch.repeat_interleave(S, 3, 0))
    for shifts, dims in (((1,), (0,)), ((1, -5), (1, 2)), ((2, 2), (0, 0)), ((7,), ()), ((-30,), ()), ((1, 2), ()), ((1, 2), (0,)), ((), ()), ((), (0,)), ((1,), (3,)), ((0,), (1,))):
        case("roll:" + ",".join(map(str, shifts)) + ":" + ",".join(map(str, dims)), lambda s=shifts, d=dims: torch.roll(X, s, d))
    case("roll_scalar", lambda: torch.roll(S, 1))
    case("roll_scalar:0", lambda: torch.roll(S, 1, 0))
    case("roll_empty:0", lambda: torch.roll(E, 1, 0))


def windows():
    for dim, size, step in ((0, 3, 1), (0, 3, 4), (0, 10, 1), (0, 0, 3), (-1, 1, 2), (0, 11, 1), (0, 2, 0), (0, -1, 1), (1, 1, 1)):
        case(f"unfold:{dim}:{size}:{step}", lambda d=dim, n=size, s=step: V.unfold(d, n, s))
    case("unfold_middle", lambda: X.unfold(1, 2, 1))
    for size in (0, 1, 2):
        case(f"unfold_scalar:{size}", lambda n=size: S.unfold(0, n, 1))
    for offset, a, b in ((0, 0, 1), (2, 1, 2), (-2, 1, 2), (5, 1, 2), (-3, 1, 2), (0, 2, 0), (1, -1, 0), (0, 1, 1), (0, 0, 3)):
        case(f"diagonal:{offset}:{a}:{b}", lambda o=offset, a=a, b=b: torch.diagonal(X, o, a, b))
    case("diagonal_row", lambda: torch.diagonal(V))
    case("diagonal_scalar", lambda: torch.diagonal(S))
    for source, destination in (((0,), (-1,)), ((0, 1), (1, 0)), ((2, 0), (0, 1)), ((), ()), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((0, 1), (1,)), ((3,), (0,))):
        case("movedim:" + ",".join(map(str, source)) + ":" + ",".join(map(str, destination)), lambda s=source, d=destination: torch.movedim(X, s, d))
    case("movedim_scalar", lambda: torch.movedim(S, 0, -1))
    case("swapaxes:0:-1", lambda: torch.swapaxes(X, 0, -1))
    for dim, sizes in ((2, (2, 2)), (-1, (-1, 1)), (1, (3,)), (1, (1, 3, 1)), (2, (2, -1)), (1, (2, -1)), (1, (2, 2)), (1, ()), (3, (1,)), (1, (-1, -1))):
        case(f"unflatten:{dim}:" + ",".join(map(str, sizes)), lambda d=dim, s=sizes: X.unflatten(d, s))
    case("unflatten_scalar", lambda: S.unflatten(0, (1, 1)))
    case("unflatten_empty:2,0", lambda: E.unflatten(0, (2, 0)))
    case("unflatten_empty:-1,0", lambda: E.unflatten(0, (-1, 0)))
    for shape in ((2, 3, 4), (5, 2, 3, 4), (5, -1, -1, 4), (2, 3, 5), (3, 4)):
        case("broadcast_to:" + ",".join(map(str, shape)), lambda s=shape: torch.broadcast_to(X, s))


def reinterpreted():
    values = torch.tensor([0.0, -0.0, 1.0, -1.5, torch.inf, -torch.inf, 1e-6, 65504.0, 3.14159, 1e-7, -2e-8, 0.3])
    whole = torch.tensor([0, 1, 2, 127, -128, -1, 32767, -32768, 0x3C00, 0x0001, 0x03FF, 0x7C00], dtype=torch.int16)
    for name, data in (("f32", values), ("f16", values.half()), ("bf16", values.bfloat16()), ("f64", values.double()),
                       ("i16", whole), ("i8", whole.to(torch.int8)), ("u8", whole.to(torch.uint8)), ("i64", whole.to(torch.int64))):
        for to, dtype in DTYPES.items():
            # A boolean of PyTorch may keep any byte; here it is 0 or 1.
            if to == "boolean":
                case(f"view:{name}:{to}", lambda x=data: x.view(torch.uint8) != 0)
            else:
                case(f"view:{name}:{to}", lambda x=data, t=dtype: x.view(t))
    for to in ("i32", "i16", "f64"):
        case(f"view_scalar:{to}", lambda t=DTYPES[to]: S.view(t))
    for to in ("i32", "i16", "f64"):
        case(f"view_odd:{to}", lambda t=DTYPES[to]: torch.arange(3.0).view(t))


def pads():
    line, plane, volume = X[0], X, X[None]
    for mode in ("reflect", "replicate", "circular"):
        for pad in ((1, 2), (0, 0), (3, 0), (4, 0), (5, 0), (0, 4), (-1, 2), (2, -1), (-1, -2), (-2, -2), (-3, -2), (-1, 3), (3, -1), (1,), ()):
            case(f"pad_{mode}:" + ",".join(map(str, pad)), lambda m=mode, p=pad: F.pad(line, p, mode=m))
        for pad in ((1, 2), (2, 1, 1, 2), (1, -1, -1, 1), (1, 1, 1, 1, 1, 1)):
            case(f"pad_{mode}_plane:" + ",".join(map(str, pad)), lambda m=mode, p=pad: F.pad(plane, p, mode=m))
        for pad in ((1, 2), (2, 1, 1, 2), (1, 2, 2, 0, 1, 1), (1, 1, 1, 1, 1, 1)):
            case(f"pad_{mode}_volume:" + ",".join(map(str, pad)), lambda m=mode, p=pad: F.pad(volume, p, mode=m))
        case(f"pad_{mode}_row", lambda m=mode: F.pad(V, (1, 1), mode=m))
        case(f"pad_{mode}_no_batch", lambda m=mode: F.pad(torch.zeros(0, 2, 3), (1, 1), mode=m))
        case(f"pad_{mode}_no_elements", lambda m=mode: F.pad(torch.zeros(2, 0), (1, 1), mode=m))


def triangles():
    for diagonal in (0, 2, -3, 100, -100):
        case(f"tril:{diagonal}", lambda d=diagonal: torch.tril(M, d))
        case(f"triu:{diagonal}", lambda d=diagonal: torch.triu(M, d))
        case(f"triu_batch:{diagonal}", lambda d=diagonal: torch.triu(X, d))
    case("tril_special", lambda: torch.tril(LOGIC))
    case("tril_row", lambda: torch.tril(V))
    case("triu_scalar", lambda: torch.triu(S))
    classes = torch.tensor([[0, 2, 1], [3, 3, 0]])
    for n in (4, 9, 3, 0, -2):
        case(f"one_hot:{n}", lambda n=n: F.one_hot(classes, n))
    case("one_hot_negative", lambda: F.one_hot(classes - 1, 4))
    case("one_hot_i32", lambda: F.one_hot(classes.to(torch.int32), 4))
    case("one_hot_scalar", lambda: F.one_hot(torch.tensor(2), 4))
    case("one_hot_empty", lambda: F.one_hot(torch.zeros(0, 2, dtype=torch.int64), 4))


def created():
    for indexing in ("ij", "xy"):
        case(f"meshgrid_{indexing}:1", lambda i=indexing: torch.meshgrid(V, indexing=i))
        case(f"meshgrid_{indexing}:2", lambda i=indexing: torch.meshgrid(V, V[:3], indexing=i))
        case(f"meshgrid_{indexing}:3", lambda i=indexing: torch.meshgrid(V[:2], V[:3], V[:4], indexing=i))
        case(f"meshgrid_{indexing}_scalar", lambda i=indexing: torch.meshgrid(V[:2], S, indexing=i))
        case(f"meshgrid_{indexing}_empty", lambda i=indexing: torch.meshgrid(V[:0], V[:3], indexing=i))
        case(f"meshgrid_{indexing}_matrix", lambda i=indexing: torch.meshgrid(M, V, indexing=i))
        case(f"meshgrid_{indexing}_dtypes", lambda i=indexing: torch.meshgrid(V, V.double(), indexing=i))
    for n, m in ((3, 3), (2, 5), (4, 1), (0, 2), (-1, 2), (2, -1)):
        case(f"eye:{n}:{m}", lambda n=n, m=m: torch.eye(n, m))
    for name in ("boolean", "u8", "i64", "f16"):
        case(f"eye_dtype:{name}", lambda t=DTYPES[name]: torch.eye(3, dtype=t))
    for name in ("u8", "i32", "f16", "boolean"):
        case(f"full_like:{name}", lambda t=DTYPES[name]: torch.full_like(X, 2.7, dtype=t))
    case("full_like", lambda: torch.full_like(X, 7))
    case("full_like_too_large", lambda: torch.full_like(X.to(torch.uint8), 300))
    case("full_like_nan", lambda: torch.full_like(X.to(torch.int32), torch.nan))
    case("zeros_like", lambda: torch.zeros_like(M))
    case("ones_like", lambda: torch.ones_like(E))
    for n, name in ((9, "i64"), (9, "i32")):
        case(f"arange_product:{name}", lambda n=n, t=DTYPES[name]: torch.arange(n, dtype=t) * 1500000000)


def linspaces():
    for start, end in ((-0.1, 7.3), (1e30, -3e38), (1e-40, 1.0), (-1000.0, 2000.0)):
        for steps in (1, 2, 10, 257):
            for name in ("f16", "bf16", "f32", "f64"):
                if name == "f16" and abs(end) > 65504 or name != "f64" and abs(end - start) > 3.4e38:
                    continue
                case(f"linspace:{start}:{end}:{steps}:{name}", lambda s=start, e=end, n=steps, t=DTYPES[name]: torch.linspace(s, e, n, dtype=t))
    for start, end, steps in ((-10, 10, 4), (100, -100, 13), (0.9, 10.7, 0)):
        for name in ("i8", "i16", "i32", "i64"):
            case(f"linspace:{start}:{end}:{steps}:{name}", lambda s=start, e=end, n=steps, t=DTYPES[name]: torch.linspace(s, e, n, dtype=t))
    case("linspace:0:300:4:u8", lambda: torch.linspace(0, 300, 4, dtype=torch.uint8))
    case("linspace:0:1:5:boolean", lambda: torch.linspace(0, 1, 5, dtype=torch.bool))
    case("linspace:0:1:-1:f32", lambda: torch.linspace(0, 1, -1))


def counted():
    for name, function in (("any", torch.any), ("all", torch.all), ("count_nonzero", torch.count_nonzero)):
        for dims in ((0,), (-1,), (0, 1)):
            case(f"{name}:" + ",".join(map(str, dims)), lambda f=function, d=dims: f(LOGIC, dim=d))
        case(f"{name}_u8:1", lambda f=function: f(torch.tensor([[0, 0, 255], [0, 7, 1]], dtype=torch.uint8), dim=1))
        case(f"{name}:all", lambda f=function: f(LOGIC))
        case(f"{name}:scalar", lambda f=function: f(S))
        case(f"{name}:empty:0", lambda f=function: f(E, dim=0))
        case(f"{name}:empty:1", lambda f=function: f(E, dim=1))
        case(f"{name}:twice", lambda f=function: f(LOGIC, dim=(0, -2)))
        case(f"{name}:outside", lambda f=function: f(LOGIC, dim=2))
    case("any:keepdim", lambda: torch.any(LOGIC, dim=1, keepdim=True))
    case("all:keepdim", lambda: torch.all(LOGIC, dim=(0, 1), keepdim=True))


def bits(tensor):
    data = tensor.contiguous().flatten()
    size = data.element_size()
    raw = bytes(data.view(torch.uint8).tolist()) if data.numel() else b""
    return [format(int.from_bytes(raw[i:i + size], "little"), f"0{2 * size}x") for i in range(0, len(raw), size)]


def result_text(tensor):
    shape = ",".join(map(str, tensor.shape)) or "scalar"
    return " ".join(["|", NAMES[tensor.dtype], shape, *bits(tensor)])


def line_of(name, function):
    try:
        results = function()
    except (RuntimeError, IndexError, NotImplementedError):
        return f"{name} -"
    if isinstance(results, torch.Tensor):
        results = [results]
    return " ".join([name, *map(result_text, results)])


def main():
    for group in (parts, repeats, windows, reinterpreted, pads, triangles, created, linspaces, counted):
        group()
    lines = [line_of(name, function) for name, function in CASES.items()]
    (Path(sys.argv[1]) / "moves.txt").write_text("\n".join(lines) + "\n")
    print(f"moves.txt: {len(lines)} lines")


if __name__ == "__main__":
    main()
