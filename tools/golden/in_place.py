#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/in_place.txt: random programs of views and in-place ops, and what PyTorch eager computes.

A program is a list of lines. Those before `begin` and after `end` run op by op; those between are the body, which the
tests also run as one compiled function. Every variable that was not deleted is alive at the end. Results of arithmetic
are row-major (PyTorch keeps the strides of permuted operands). Where value and destination overlap partially, PyTorch
is undefined; there the value is copied first.
"""

import argparse
import random
from pathlib import Path

import torch

DTYPES = {"f32": torch.float32, "i32": torch.int32, "f16": torch.float16, "u8": torch.uint8}
OUT = Path(__file__).resolve().parents[2] / "tests" / "golden" / "in_place.txt"


def initial(shape, dtype, salt):
    n = 1
    for d in shape:
        n *= d
    offset = 0 if dtype == "u8" else 4
    return torch.tensor([(i * 7 + salt) % 11 - offset for i in range(n)], dtype=DTYPES[dtype]).reshape(shape)


def dims(shape):
    return ",".join(str(d) for d in shape) if len(shape) else "-"


def addresses(t):
    """Byte addresses of the elements, relative to the storage."""
    index = torch.zeros(t.shape, dtype=torch.int64) + t.storage_offset()
    for d, n in enumerate(t.shape):
        steps = torch.arange(n) * t.stride(d)
        index = index + steps.reshape([-1 if e == d else 1 for e in range(t.dim())])
    return index.flatten() * t.element_size()


def writable(t):
    a = addresses(t)
    return len(set(a.tolist())) == a.numel()


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.names, self.count = [], {}, 0
        self.repeated = set()  # expanded tensors and views of them: compiled functions refuse to write through them

    def pick(self, wanted=lambda t: True):
        fitting = [n for n, t in self.names.items() if wanted(t)]
        return self.random.choice(fitting) if fitting else None

    def new(self, tensor, text):
        name = f"v{self.count}"
        self.count += 1
        self.names[name] = tensor
        self.lines.append(f"{name} = {text}")

    def add_input(self):
        r = self.random
        shape = r.choice([(4, 6), (3, 5), (2, 3, 4), (12,), (6,), (), (1, 5), (5, 1), (0, 3), (6, 6)])
        dtype = r.choice(["f32", "f32", "i32", "f16", "u8"])
        self.new(initial(shape, dtype, self.count), f"input {dtype} {dims(shape)} {self.count}")

    def view(self):
        before, name = self.count, self.pick()
        self.view_of(name)
        if self.count > before and (name in self.repeated or not writable(self.names[f"v{before}"])):
            self.repeated.add(f"v{before}")

    def view_of(self, name):
        r = self.random
        t = self.names[name]
        kind = r.choice(["slice", "slice", "select", "narrow", "transpose", "reshape", "flatten", "unsqueeze", "squeeze",
                         "expand", "diagonal", "unfold", "permute", "flip", "unflatten", "as", "as"])
        d = r.randrange(t.dim()) if t.dim() else None
        n = t.shape[d] if d is not None else 0
        if kind == "slice" and d is not None:
            a, b, s = r.randint(-n - 1, n), r.randint(-n - 1, n + 1), r.choice([1, 1, 2, 3])
            sliced = t[(slice(None),) * d + (slice(a, b, s),)]
            self.new(sliced, f"slice {name} {d} {a} {b} {s}")
        elif kind == "select" and n > 0:
            i = r.randrange(-n, n)
            self.new(t.select(d, i), f"select {name} {d} {i}")
        elif kind == "narrow" and n > 0:
            a = r.randrange(n)
            k = r.randint(0, n - a)
            self.new(t.narrow(d, a, k), f"narrow {name} {d} {a} {k}")
        elif kind == "transpose" and d is not None:
            e = r.randrange(t.dim())
            self.new(t.transpose(d, e), f"transpose {name} {d} {e}")
        elif kind == "permute" and d is not None:
            p = list(range(t.dim()))
            r.shuffle(p)
            self.new(t.permute(p), f"permute {name} {dims(p)}")
        elif kind == "reshape" and t.numel() > 0:
            divisors = [k for k in range(1, t.numel() + 1) if t.numel() % k == 0]
            k = r.choice(divisors)
            shape = [k, t.numel() // k]
            self.new(t.reshape(shape), f"reshape {name} {dims(shape)}")
        elif kind == "unflatten" and n > 0:
            k = r.choice([k for k in range(1, n + 1) if n % k == 0])
            self.new(t.unflatten(d, (k, n // k)), f"unflatten {name} {d} {k},{n // k}")
        elif kind == "flatten":
            self.new(t.flatten(), f"flatten {name}")
        elif kind == "unsqueeze" and t.dim() < 4:
            e = r.randint(0, t.dim())
            self.new(t.unsqueeze(e), f"unsqueeze {name} {e}")
        elif kind == "squeeze":
            self.new(t.squeeze(), f"squeeze {name}")
        elif kind == "expand" and t.dim() < 4:
            shape = [r.randint(1, 3)] + [r.randint(1, 4) if e == 1 else e for e in t.shape]
            self.new(t.expand(shape), f"expand {name} {dims(shape)}")
        elif kind == "diagonal" and t.dim() >= 2:
            a, b = r.sample(range(t.dim()), 2)
            o = r.randint(-2, 2)
            self.new(t.diagonal(o, a, b), f"diagonal {name} {o} {a} {b}")
        elif kind == "unfold" and n > 1:
            size = r.randint(1, n)
            step = size + r.randint(0, 1)
            self.new(t.unfold(d, size, step), f"unfold {name} {d} {size} {step}")
        elif kind == "as" and t.numel() > 0:
            target = r.choice(["u8", "i32"])
            try:
                self.new(t.view(DTYPES[target]), f"as {name} {target}")
            except RuntimeError:  # a layout that has no such view
                pass
        elif kind == "flip" and d is not None:
            self.new(t.flip(d), f"flip {name} {d}")

    def value(self):
        r, name = self.random, self.pick()
        t = self.names[name]
        kind = r.choice(["relu", "add", "clone", "sum"])
        if kind == "relu":
            self.new(t.relu().contiguous(), f"relu {name}")
        elif kind == "clone":
            self.new(t.clone(memory_format=torch.contiguous_format), f"clone {name}")
        elif kind == "add":
            other = self.pick(lambda o: o.shape == t.shape and o.dtype == t.dtype)
            self.new((t + self.names[other]).contiguous(), f"add {name} {other}")
        elif t.dim() and t.dtype == torch.float32 and bool((t == t.round()).all() and (t.abs() < 1e4).all()):  # exact
            d = r.randrange(t.dim())
            self.new(t.sum(d).contiguous(), f"sum {name} {d}")

    def write(self):
        r = self.random
        names = [n for n in self.names if n not in self.repeated]
        if not names:
            return
        name = r.choice(names)
        t = self.names[name]
        kind = r.choice(["add_", "mul_", "fill_", "relu_", "copy_", "copy_", "iadd", "iadd"])
        if kind in ("add_", "mul_", "fill_"):
            k = r.randint(1, 3)
            getattr(t, kind)(k)
            self.lines.append(f"{kind} {name} {k}")
        elif kind == "relu_":
            t.relu_()
            self.lines.append(f"relu_ {name}")
        else:
            def fits(o):
                lead = t.dim() - o.dim()
                return lead >= 0 and all(a == b or a == 1 for a, b in zip(o.shape, t.shape[lead:]))
            def converts(o):  # what PyTorch defines: floats beyond an integer dtype are anything
                if not o.is_floating_point() or t.is_floating_point() or o.numel() == 0:
                    return True
                info = torch.iinfo(t.dtype)
                return bool(o.isfinite().all()) and o.min() >= info.min and o.max() <= info.max
            other = self.pick((lambda o: fits(o) and converts(o)) if kind == "copy_" else lambda o: fits(o) and o.dtype == t.dtype)
            if other is None:
                return
            value = self.names[other].clone()
            t.copy_(value) if kind == "copy_" else t.add_(value)
            self.lines.append(f"{'copy_' if kind == 'copy_' else 'addt_'} {name} {other}")

    def steps(self, n):
        for _ in range(n):
            k = self.random.random()
            if k < 0.42:
                self.view()
            elif k < 0.75:
                self.write()
            elif k < 0.87:
                self.value()
            elif k < 0.93:
                self.lines.append("break")
            elif len(self.names) > 2:
                name = self.pick()
                del self.names[name]
                self.lines.append(f"del {name}")

    def check(self):
        for name, t in self.names.items():
            values = " ".join(repr(float(v)) for v in t.flatten().tolist())
            self.lines.append(f"check {name} {dims(t.shape)} {values}".rstrip())


def program(seed):
    p = Program(seed)
    for _ in range(p.random.randint(1, 2)):
        p.add_input()
    for _ in range(p.random.choice([0, 0, 1, 2])):
        p.view()
    p.lines.append("begin")
    p.steps(p.random.randint(3, 14))
    p.lines.append("end")
    p.check()
    for _ in range(2):  # outputs alias as they do in eager mode
        p.write()
    p.check()
    return p.lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=150)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    with args.out.open("w", encoding="utf-8") as out:
        out.write(f"# PyTorch {torch.__version__.split('+')[0]}; written by tools/golden/in_place.py\n")
        for seed in range(args.first_seed, args.first_seed + args.programs):
            out.write("\n".join([f"program {seed}"] + program(seed)) + "\n")


if __name__ == "__main__":
    main()
