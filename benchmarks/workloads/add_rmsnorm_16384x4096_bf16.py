# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 3.2e-2


def eager(x, residual, weight):
    h = x + residual
    return F.rms_norm(h, (4096,), weight, 1e-6), h
