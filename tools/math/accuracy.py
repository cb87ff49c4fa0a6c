# SPDX-License-Identifier: Apache-2.0
"""Prints docs/accuracy.md from the measurements in accuracy.txt; with --check compares it with the page.

    python3 tools/math/accuracy.py > docs/accuracy.md

Lines of accuracy.txt:
    worst <function> <definition> every <stride>: <ulp> at <bits of the argument>     printed by sweep
    pairs <function> <definition> <number>: <ulp> at <argument> and <argument>        printed by sweep_pairs
    composed <op>: <how it follows from functions>
    approx <cpu|cuda> <function> <dtype> every <stride>: <error> at <bits>, <n> wrong     printed by bench_approximations
    approx <cpu|cuda> <function> <dtype> pairs <number>: <error> at <pair>, <n> wrong
    device <name>                          where the following lines come from: bench_math_hashes compare
    <function> <dtype> <arguments> <n> of <n> blocks equal
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
BITS = """
## The same bits on CPU and GPU

`bench_math_hashes` runs the compiled ops of every function over the arguments below and adds up, in the kernel, a mixed
word for each result (any NaN counts as one); `tools/math/hashes.txt` holds the sums of an x86-64 CPU, one for 2^24
results each. A sum is equal where every result is, but for a chance of 2^-64. "Every" is all values of the dtype;
"stratified" pairs go through every sign and exponent of both (f16, bf16: every value of the first); "special" are all
pairs of 69 values: zeros, subnormals, limits, infinities, NaN, integers, neighbours of 1.

"""
APPROXIMATIONS = """
## Approximations

`softmax`, `log_softmax`, `logsumexp` and `cross_entropy` take exponentials, and softmax divides, by approximate definitions;
`Math::fast` uses them for all functions below ([decision 0022](decisions/0022-approximations.md)). On the CPU these are the
same formulas with the operations that hardware approximates computed to about 1 ulp (tanh of f16 and bf16 to 2^-13.9), so
results differ between CPU and GPU. Errors are those of the rounded result (1/2 is rounding itself), divided by its size, in
steps of the dtype (f32 2^-23, f16 2^-10, bf16 2^-7); of logarithms, by at least 1. exp and what follows from it have an error
that grows with the argument, (2 + 1.2 |x|) 2^-23; it is largest where the result is about 2^-126 or 2^128. Results of f32 and bf16 below
2^-125 may be 0. Infinities, NaN and zeros come where they are due.

| function | result | arguments | GPU | at | CPU (f32: {cpu}) |
| --- | --- | --- | --- | --- | --- |
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


def count_of(dtype, arguments, blocks):
    if arguments == "special":
        return f"all {69 * 69:,} special pairs"
    if arguments == "every":
        return "all 2^32" if dtype == "f32" else "all 2^16"
    return f"{blocks * 2**24:,} stratified pairs"


def bits_table(equal):
    """One row a function: all its dtypes."""
    rows = []
    for device, lines in equal.items():
        rows.append(f"| function | result | arguments | sums equal on {device} |\n| --- | --- | --- | --- |")
        for name, dtype, arguments, same, blocks in lines:
            rows.append(f"| `{name}` | {dtype} | {count_of(dtype, arguments, int(blocks))} | {same} of {blocks} |")
    return "\n".join(rows) + "\n"


def approximations_table(approx):
    """One row a function and dtype: what each device was measured to do."""
    rows = []
    strides = {args for (_, kind), found in approx.items() for where, (args, _, _) in found.items() if where == "cpu" and kind == "f32"}
    cpu = "; ".join(sorted(a for a in strides if a.startswith(("all", "every")))) or "not measured"
    for (name, dtype), found in approx.items():
        args, error, at = found.get("cuda", ("", "", ""))
        own = found.get("cpu", ("", "", ""))
        rows.append(f"| `{name}_approx` | {dtype} | {args or own[0]} | {error} | {at} | {own[1]} |")
    return APPROXIMATIONS.format(cpu=cpu) + "\n".join(rows) + "\n"


def page():
    rows, composed, equal, approx, device = [], [], {}, {}, None
    for line in (ROOT / "tools/math/accuracy.txt").read_text().splitlines():
        if match := re.fullmatch(r"worst (\w+) (\w+) every (\d+): ([\d.]+) at (0x\w+)", line):
            name, definition, stride, error, at = match.groups()
            rows.append(f"| `{name}` | {definition} | {inputs(definition, int(stride))} | {error} | {argument(at)} |")
        elif match := re.fullmatch(r"pairs (\w+) (\w+) (\d+): ([\d.]+)(?: at (\S+ and \S+))?", line):
            name, definition, count, error, at = match.groups()
            rows.append(f"| `{name}` | {definition} | {int(count):,} pairs | {error} | {at or ''} |")
        elif match := re.fullmatch(r"composed (\w+): (.+)", line):
            composed.append(f"| `{match[1]}` | {match[2]} |")
        elif match := re.fullmatch(r"approx (\w+) (\w+) (\w+) every (\d+): (\S+) at (0x\w+), 0 wrong", line):
            where, name, dtype, stride, error, at = match.groups()
            arguments = inputs("f32", int(stride)) if dtype == "f32" else "all 2^16"
            at = argument(at) if dtype == "f32" else f"bits {at[-4:]}"
            approx.setdefault((name, dtype), {})[where] = (arguments, error, at)
        elif match := re.fullmatch(r"approx (\w+) (\w+) (\w+) pairs (\d+): (\S+) at \d+, 0 wrong", line):
            where, name, dtype, count, error = match.groups()
            approx.setdefault((name, dtype), {})[where] = (f"{int(count):,} pairs", error, "")
        elif match := re.fullmatch(r"device (.+)", line):
            device = equal.setdefault(match[1], [])
        elif match := re.fullmatch(r"(\w+) (\w+) (\w+)\s+(\d+) of (\d+) blocks equal", line):
            device.append(match.groups())
        elif line and not line.startswith("#"):
            sys.exit(f"accuracy.txt: cannot read '{line}'")
    return HEAD + "\n".join(rows) + "\n" + MIDDLE + "\n".join(composed) + "\n" + (approximations_table(approx) if approx else "") + (BITS + bits_table(equal) if equal else "")


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
