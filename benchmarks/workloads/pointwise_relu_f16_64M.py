# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 2e-3


def eager(x):
    return torch.relu(x + 1) * 2
