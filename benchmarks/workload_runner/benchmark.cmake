# SPDX-License-Identifier: Apache-2.0
# Part of the programs that benchmarks/workloads makes.
