# SPDX-License-Identifier: Apache-2.0
# Results of the reductions among the workloads as hashes: by schedule, device, threads.
file(GLOB equal_bits_workloads CONFIGURE_DEPENDS ${entry}/../workloads/*.cpp)
list(FILTER equal_bits_workloads INCLUDE REGEX "softmax|rmsnorm|layernorm|colsum|cross_entropy|mean_var|sum_all")
sinter_benchmark(equal_bits ${entry}/equal_bits.cpp ${equal_bits_workloads} ${entry}/../workload_runner/workload.cpp)
