#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/equal_bits.md of what bench_equal_bits printed on a CPU and on a GPU.

    record_equal_bits.py cpu.txt cuda.txt [--gpu "NVIDIA H200"] > docs/equal_bits.md
"""
import argparse, sys

HEAD = """# Equal bits

Made by `benchmarks/record_equal_bits.py` from what `bench_equal_bits --device cpu` and `--device cuda` print; do not edit.

Results of the benchmark's rows that reduce, as 64-bit hashes, by schedule. Inputs are the same on all machines. Rows are
fewer than in the benchmark where a CPU would take minutes; columns, on which the schedule depends, are all there. A schedule
that cannot serve a row (a split of what is read again) leaves it to the chosen one; *kernels* is how many of the schedules are different
programs. softmax and cross_entropy of a GPU have its approximate exponential ([semantics](semantics.md)): equal by
schedule, not by device; the same *written out* in ops is not approximated, and equal everywhere.
"""


def read(path):
    """{row: {schedule: {threads: hash}}}, {row: {schedule: kernel}}"""
    hashes, kernels = {}, {}
    for line in open(path):
        words = line.rstrip("\n").split("\t")
        if len(words) != 6:
            continue
        _, threads, row, schedule, kernel, value = words
        hashes.setdefault(row, {}).setdefault(schedule, {})[int(threads)] = value
        kernels.setdefault(row, {})[schedule] = kernel
    return hashes, kernels


def is_device_bound(row):
    return row.startswith(("softmax", "cross_entropy")) and "written out" not in row


def verdict(row, cpu, gpu):
    of_cpu, of_gpu = ({v for by_threads in side.get(row, {}).values() for v in by_threads.values()} for side in (cpu, gpu))
    if len(of_cpu) > 1 or len(of_gpu) > 1:
        return "**schedules differ**"
    if not of_gpu:
        return "CPU only"
    if of_cpu == of_gpu:
        return "equal"
    return "equal by device" if is_device_bound(row) else "**devices differ**"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cpu")
    p.add_argument("cuda", nargs="?")
    p.add_argument("--gpu", default="NVIDIA H200")
    args = p.parse_args()
    cpu, cpu_kernels = read(args.cpu)
    gpu, gpu_kernels = read(args.cuda) if args.cuda else ({}, {})
    print(HEAD)
    print(f"| row | schedule | CPU, 1 thread | CPU, 2 threads | {args.gpu} |\n|---|---|---|---|---|")
    bad = 0
    for row in cpu:
        says = verdict(row, cpu, gpu)
        bad += "**" in says
        count = " and ".join(f"{len(set(k[row].values()))} on the {name}" for name, k in
                             (("CPU", cpu_kernels), ("GPU", gpu_kernels)) if row in k)
        print(f"| **{row}** | kernels: {count} | {says} | | |")
        for schedule in dict.fromkeys([*cpu[row], *gpu.get(row, {})]):
            a, b = cpu[row].get(schedule, {}), gpu.get(row, {}).get(schedule, {})
            print(f"| | {schedule} | {a.get(1, '')} | {a.get(2, '')} | {b.get(0, '')} |")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
