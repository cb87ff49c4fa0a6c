# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 1.6e-2


def eager(x, w, b):
    return F.gelu(F.linear(x, w, b), approximate="tanh")
