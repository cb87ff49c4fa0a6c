# SPDX-License-Identifier: Apache-2.0
tolerance = 8e-3


def eager(x):
    return x.sum(0)
