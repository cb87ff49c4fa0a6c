# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 1e-5


def eager(a, b):
    for _ in range(10):
        a = torch.sigmoid(a * 1.01 + b) - 0.5
    return a
