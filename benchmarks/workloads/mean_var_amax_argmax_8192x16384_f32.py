# SPDX-License-Identifier: Apache-2.0
import torch

tolerance = 1e-5


def eager(x):
    var, mean = torch.var_mean(x, 1)
    return mean, var, x.amax(1), x.argmax(1)
