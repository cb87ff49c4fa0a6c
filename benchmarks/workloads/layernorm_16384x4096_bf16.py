# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 1.6e-2


def eager(x, weight, bias):
    return F.layer_norm(x, (4096,), weight, bias, 1e-5)
