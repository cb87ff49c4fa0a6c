#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/random_numbers.txt: what the calls of tests/random/golden_test.cpp draw.

    python3 tools/golden/random_numbers.py tests/golden

Philox 4x32-10 in Python integers, and the formulas of include/sinter/random.h, independent of the library. A line is
the op, its dtype, seed, offset and what it draws as hexadecimal floats; f32 normals are those of f64 arithmetic.
"""

import math
import sys
from pathlib import Path

WORD, LONG = (1 << 32) - 1, (1 << 64) - 1


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


def block(number, seed, offset):
    split = lambda v: (v & WORD, v >> 32)
    return philox(split(number) + split(offset), split(seed))


def word64(words, i):
    return words[2 * i + 1] << 32 | words[2 * i]


def uniform(i, dtype, seed, offset):
    if dtype == "f64":
        return (word64(block(i // 2, seed, offset), i % 2) >> 11) / 2**53
    bits = {"f16": 11, "bf16": 8, "f32": 24}[dtype]
    return (block(i // 4, seed, offset)[i % 4] >> 32 - bits) / 2**bits


def normal(i, dtype, seed, offset):
    if dtype == "f64":
        w = block(i // 2, seed, offset)
        u, turns = ((word64(w, 0) >> 11) + 0.5) / 2**53, word64(w, 1) / 2**64
    else:
        w = block(i // 4, seed, offset)
        pair = i // 2 % 2
        u, turns = (w[2 * pair] + 0.5) / 2**32, w[2 * pair + 1] / 2**32
    angle = 2 * math.pi * turns
    return math.sqrt(-2 * math.log(u)) * (math.sin(angle) if i % 2 else math.cos(angle))


def integer(i, dtype, seed, offset):
    return (word64(block(i // 2, seed, offset), i % 2) * 1000 >> 64) - 500


STATES = [(0, 0), (1, 2), (67280421310721, 1 << 33), (LONG, LONG - 1)]
OPS = [("uniform", uniform, ("f16", "bf16", "f32", "f64")), ("normal", normal, ("f32", "f64")), ("integer", integer, ("i64",))]


def main():
    lines = []
    for name, draw, dtypes in OPS:
        for dtype in dtypes:
            for seed, offset in STATES:
                values = " ".join(float(draw(i, dtype, seed, offset)).hex() for i in range(9))
                lines.append(f"{name} {dtype} {seed} {offset} {values}\n")
    (Path(sys.argv[1]) / "random_numbers.txt").write_text("".join(lines))


if __name__ == "__main__":
    assert philox((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0))[0] == 0xD16CFE09
    main()
