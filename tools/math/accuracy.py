# SPDX-License-Identifier: Apache-2.0
"""Prints docs/accuracy.md from the measurements in accuracy.txt; with --check compares it with the page.

    python3 tools/math/accuracy.py > docs/accuracy.md

Lines of accuracy.txt:
    worst <function> <definition> every <stride>: <ulp> at <bits of the argument>     printed by sweep
    pairs <function> <definition> <number>: <ulp>                                     measured by tests/math/*_test.cpp
    composed <op>: <how it follows from functions>
    hash <function> <first block> <sixteen hashes>                                printed by sweep; see block_hash.h
"""
import re
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = """# Accuracy of transcendental functions

Made by `tools/math/accuracy.py` from `tools/math/accuracy.txt`; do not edit.

Every function is defined once, in `src/scalar/math`, as an expansion into primitive scalar operations (see
[decision 0005](decisions/0005-math-as-templates.md)). CPU and CUDA give the same bits, so one measurement holds for all
devices. Errors are in units of the last place of the result's type, against double precision, and before rounding to
f16 or bf16: a definition with an error of 1/8 ulp gives the correctly rounded value or its neighbour. f64 is the
platform's function.

| function | result | arguments | largest error, ulp | at |
| --- | --- | --- | --- | --- |
"""
MIDDLE = """
`gelu` is measured where its error is above |x| 2^-25 (f32) or 1.6e-37 (bf16): its formula cancels for negative x.

Ops composed of these:

| op | accuracy |
| --- | --- |
"""


def inputs(definition, stride):
    if definition == "f32":
        return "all 2^32" if stride == 1 else f"every {stride}th f32"
    return f"all 2^16, and every {stride}th f32"


def argument(bits):
    value = struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0]
    return f"{value:.9g} ({bits})"


def page():
    rows, composed = [], []
    for line in (ROOT / "tools/math/accuracy.txt").read_text().splitlines():
        if match := re.fullmatch(r"worst (\w+) (\w+) every (\d+): ([\d.]+) at (0x\w+)", line):
            name, definition, stride, error, at = match.groups()
            rows.append(f"| `{name}` | {definition} | {inputs(definition, int(stride))} | {error} | {argument(at)} |")
        elif match := re.fullmatch(r"pairs (\w+) (\w+) (\d+): ([\d.]+)", line):
            name, definition, count, error = match.groups()
            rows.append(f"| `{name}` | {definition} | {int(count):,} pairs | {error} | |")
        elif match := re.fullmatch(r"composed (\w+): (.+)", line):
            composed.append(f"| `{match[1]}` | {match[2]} |")
        elif line and not line.startswith(("#", "hash ")):
            sys.exit(f"accuracy.txt: cannot read '{line}'")
    return HEAD + "\n".join(rows) + "\n" + MIDDLE + "\n".join(composed) + "\n"


def main():
    text = page()
    if sys.argv[1:] != ["--check"]:
        print(text, end="")
    elif (ROOT / "docs/accuracy.md").read_text() != text:
        sys.exit("docs/accuracy.md is not what tools/math/accuracy.py prints: run it")
    else:
        print("accuracy: docs/accuracy.md is up to date")


if __name__ == "__main__":
    main()
