# SPDX-License-Identifier: Apache-2.0
# Compares the results of the compiled functions of tests/math/functions.def, by hashes, with tools/math/hashes.txt.
sinter_benchmark(math_hashes ${PROJECT_SOURCE_DIR}/tools/math/hash_results.cpp)
