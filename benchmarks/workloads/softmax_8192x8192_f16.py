# SPDX-License-Identifier: Apache-2.0
tolerance = 0.001


def eager(x):
    return x.softmax(-1)
