# SPDX-License-Identifier: Apache-2.0
import torch.nn.functional as F

tolerance = 8e-3


def eager(weight, index):
    return F.embedding(index, weight) * 64


def read(weight, index):
    """Of the table only the rows that are asked for, each once."""
    return index.unique().numel() * weight.shape[1] * weight.element_size() + index.numel() * index.element_size()
