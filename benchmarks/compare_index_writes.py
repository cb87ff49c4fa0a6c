#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's times for the rows of bench_index_writes: median microseconds of a call on CUDA, with the L2 cache flushed."""

import statistics

import torch

D = "cuda"
FLUSH = torch.empty(1 << 26, dtype=torch.int32, device=D)


def nearly_distinct(n):
    i = torch.arange(n, device=D)
    return torch.where(i % 10 == 9, i - 1, i)


def rows():
    n = 1 << 20
    x, index, source = torch.randn(n, 64, device=D), nearly_distinct(n), torch.randn(n, 64, device=D)
    a, b, c = torch.randn(1 << 24, device=D), torch.randn(4096, 4096, device=D), torch.randn(4096, 32768, device=D)
    d = torch.randint(0, 256, (1 << 26,), device=D, dtype=torch.int32)
    return {
        "sort_2^24_f32": lambda: a.sort(stable=True),
        "sort_4096x4096_f32": lambda: b.sort(stable=True),
        "topk64_4096x32768_f32": lambda: c.topk(64),
        "index_add_1Mx64_f32": lambda: x.index_add(0, index, source),
        "index_copy_1Mx64_f32": lambda: x.index_copy(0, index, source),
        "bincount_2^26_i32_256": lambda: torch.bincount(d, minlength=256),
    }


def main():
    for name, run in rows().items():
        for _ in range(3):
            run()
        times = []
        for _ in range(11):
            FLUSH.zero_()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1000)
        print(f"{name:24} {statistics.median(times):10.1f} us")


if __name__ == "__main__":
    main()
