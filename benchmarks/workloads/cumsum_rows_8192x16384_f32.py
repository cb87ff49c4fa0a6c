# SPDX-License-Identifier: Apache-2.0
tolerance = 1e-5


def eager(x):
    return x.cumsum(1)
