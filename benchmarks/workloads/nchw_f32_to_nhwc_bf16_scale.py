# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 8e-3


def eager(x):
    y = (x * 0.5).permute(0, 2, 3, 1)
    return y.to(torch.bfloat16, memory_format=torch.contiguous_format) if x.dtype == torch.float32 else y
