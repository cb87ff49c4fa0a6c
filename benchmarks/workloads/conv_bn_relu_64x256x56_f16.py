# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn.functional as F

tolerance = 2e-2


def eager(x, w, mean, var, weight, bias):
    return torch.relu(F.batch_norm(F.conv2d(x, w, padding=1), mean, var, weight, bias))
