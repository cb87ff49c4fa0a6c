# SPDX-License-Identifier: Apache-2.0
import torch
import triton
import triton.language as tl

tolerance = 4e-3


def eager(mask, a, b, c):
    return torch.where(mask, a * b + c, 0)


@triton.jit
def kernel(mask, a, b, c, y, M, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i, j = row // M, row % M
    k = tl.arange(0, BLOCK)
    inside = k < K
    at = row.to(tl.int64) * K + k
    value = tl.load(a + i * K + k, mask=inside) * tl.load(b + j * K + k, mask=inside) + tl.load(c + row)
    tl.store(y + at, tl.where(tl.load(mask + at, mask=inside), value, 0), mask=inside)


def hand_triton(mask, a, b, c):
    n, m, k = mask.shape
    y = torch.empty(n, m, k, device=a.device, dtype=a.dtype)
    kernel[(n * m,)](mask, a, b, c, y, m, k, BLOCK=1024, num_warps=4)
    return y
