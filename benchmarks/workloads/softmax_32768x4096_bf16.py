# SPDX-License-Identifier: Apache-2.0
tolerance = 0.004


def eager(x):
    return x.softmax(-1)
