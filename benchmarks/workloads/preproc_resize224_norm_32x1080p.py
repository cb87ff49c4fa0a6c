# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn.functional as F

tolerance = 2e-3
constants = {}


def stats(dtype):
    """Made once: a peer must not pay for a copy from the host on every call."""
    if dtype not in constants:
        values = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
        constants[dtype] = [torch.tensor(v, device="cuda", dtype=dtype) for v in values]
    return constants[dtype]


def normalised(x, dtype):
    mean, deviation = (v.view(1, 3, 1, 1) for v in stats(dtype))
    y = F.interpolate(x.permute(0, 3, 1, 2).to(dtype), size=(224, 224), mode="bilinear", align_corners=False)
    return ((y / 255 - mean) / deviation).clamp(-3, 3)


def exact(x):
    return normalised(x, torch.float64)


def eager(x):
    return normalised(x, torch.float32).to(torch.float16, memory_format=torch.contiguous_format)
