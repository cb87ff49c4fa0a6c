# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 1e-3
constants = {}


def stats(dtype):
    """Made once: a peer must not pay for a copy from the host on every call."""
    if dtype not in constants:
        values = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
        constants[dtype] = [torch.tensor(v, device="cuda", dtype=dtype) for v in values]
    return constants[dtype]


def exact(x):
    mean, deviation = stats(torch.float64)
    return ((x.double() / 255 - mean) / deviation).permute(0, 3, 1, 2)


def eager(x):
    mean, deviation = stats(torch.float32)
    y = ((x.float() / 255 - mean) / deviation).permute(0, 3, 1, 2)
    return y.to(torch.float16, memory_format=torch.contiguous_format)
