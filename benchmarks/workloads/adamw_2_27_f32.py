# SPDX-License-Identifier: Apache-2.0
import math

import torch
import triton
import triton.language as tl

tolerance = 1e-6
LR, BETA1, BETA2, EPS, DECAY, STEPS = 1e-3, 0.9, 0.999, 1e-8, 0.01, 10


def eager(param, grad, m, v):
    m = m + (grad - m) * (1 - BETA1)
    v = v * BETA2 + grad * grad * (1 - BETA2)
    step = m * (LR / (1 - BETA1**STEPS)) / (v.sqrt() / math.sqrt(1 - BETA2**STEPS) + EPS)
    return param * (1 - LR * DECAY) - step, m, v


def fused_optimizer(*tensors):
    """PyTorch's own kernel; it works in place, so on copies."""
    p, g, m, v = ([t.clone()] for t in tensors)
    step = [torch.tensor(float(STEPS), device="cuda")]
    return lambda: torch._fused_adamw_(p, g, m, v, [], step, amsgrad=False, lr=LR, beta1=BETA1, beta2=BETA2,
                                       weight_decay=DECAY, eps=EPS, maximize=False)


peers = {"fused_optimizer": fused_optimizer}


@triton.jit
def kernel(p, g, m, v, p2, m2, v2, keep, rate, root, BETA1: tl.constexpr, BETA2: tl.constexpr, EPS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    grad = tl.load(g + i)
    first = tl.load(m + i)
    first += (grad - first) * (1 - BETA1)
    second = tl.load(v + i) * BETA2 + grad * grad * (1 - BETA2)
    tl.store(p2 + i, tl.load(p + i) * keep - first * rate / (tl.sqrt(second) / root + EPS))
    tl.store(m2 + i, first)
    tl.store(v2 + i, second)


def hand_triton(param, grad, m, v):
    p2, m2, v2 = (torch.empty_like(param) for _ in range(3))
    kernel[(param.numel() // 1024,)](param, grad, m, v, p2, m2, v2, 1 - LR * DECAY, LR / (1 - BETA1**STEPS),
                                     math.sqrt(1 - BETA2**STEPS), BETA1, BETA2, EPS, BLOCK=1024, num_warps=8)
    return p2, m2, v2
