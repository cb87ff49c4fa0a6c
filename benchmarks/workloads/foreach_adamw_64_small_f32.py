# SPDX-License-Identifier: Apache-2.0
import math

import torch

tolerance = 1e-6
LR, BETA1, BETA2, EPS, DECAY, STEPS = 1e-3, 0.9, 0.999, 1e-8, 0.01, 10


def eager(*tensors):
    """As torch.optim.AdamW(foreach=True) has it: each operation for all parameters at once."""
    params, grads, firsts, seconds = (list(tensors[k::4]) for k in range(4))
    m = torch._foreach_lerp(firsts, grads, 1 - BETA1)
    v = torch._foreach_addcmul(torch._foreach_mul(seconds, BETA2), grads, grads, 1 - BETA2)
    root = torch._foreach_add(torch._foreach_div(torch._foreach_sqrt(v), math.sqrt(1 - BETA2**STEPS)), EPS)
    step = torch._foreach_div(torch._foreach_mul(m, LR / (1 - BETA1**STEPS)), root)
    p = torch._foreach_sub(torch._foreach_mul(params, 1 - LR * DECAY), step)
    return tuple(t for triple in zip(p, m, v) for t in triple)


def fused_optimizer(*tensors):
    """PyTorch's own kernel; it works in place, so on copies."""
    p, g, m, v = ([t.clone() for t in tensors[k::4]] for k in range(4))
    steps = [torch.tensor(float(STEPS), device="cuda") for _ in p]
    return lambda: torch._fused_adamw_(p, g, m, v, [], steps, amsgrad=False, lr=LR, beta1=BETA1, beta2=BETA2,
                                       weight_decay=DECAY, eps=EPS, maximize=False)


peers = {"fused_optimizer": fused_optimizer}
