# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

tolerance = 1e-3


def eager(x, y):
    return x.t() + y


@triton.jit
def kernel(x, y, z, N, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    turned = tl.trans(tl.load(x + columns[:, None] * N + rows[None, :]))
    at = rows[:, None] * N + columns[None, :]
    tl.store(z + at, turned + tl.load(y + at))


def hand_triton(x, y):
    z = torch.empty_like(y)
    n = x.shape[0]
    kernel[(n // 64, n // 64)](x, y, z, n, B=64, num_warps=8)
    return z
