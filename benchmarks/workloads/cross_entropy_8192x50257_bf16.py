# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 8e-3


def eager(x, target):
    return F.cross_entropy(x, target)
