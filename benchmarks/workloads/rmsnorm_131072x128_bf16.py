# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 1.6e-2


def eager(x, weight):
    return F.rms_norm(x, (128,), weight, 1e-6)
