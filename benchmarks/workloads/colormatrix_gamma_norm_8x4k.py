# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 2e-3
constants = {}


def parameters(dtype):
    """Made once: a peer must not pay for a copy from the host on every call."""
    if dtype not in constants:
        matrix = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]]
        constants[dtype] = [torch.tensor(v, device="cuda", dtype=dtype) for v in (matrix, [0.485, 0.456, 0.406])]
    return constants[dtype]


def chain(x, matrix, mean):
    y = torch.matmul(x / 255, matrix).clamp(0, 1).pow(1 / 2.2)
    return ((y - mean) * 2).permute(0, 3, 1, 2)


def exact(x):
    return torch.cat([chain(frame[None].double(), *parameters(torch.float64)).half() for frame in x])


def eager(x):
    return chain(x.float(), *parameters(torch.float32)).to(torch.float16, memory_format=torch.contiguous_format)
