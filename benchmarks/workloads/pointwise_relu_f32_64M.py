# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

tolerance = 1e-6


def eager(x):
    return torch.relu(x + 1) * 2


@triton.jit
def kernel(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.maximum(tl.load(x + i) + 1, 0) * 2)


def hand_triton(x):
    y = torch.empty_like(x)
    kernel[(x.numel() // 2048,)](x, y, BLOCK=2048, num_warps=8)
    return y
