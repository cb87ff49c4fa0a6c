# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn.functional as F

tolerance = 4e-3


def eager(x):
    return (F.silu(x * 1.5 - 0.25) + x.abs() * 0.125).clamp(-1, 3)
