# SPDX-License-Identifier: Apache-2.0
# Compares the compiled transcendental functions on all f32 with the hashes of tools/math/accuracy.txt.
set(oracle ${PROJECT_SOURCE_DIR}/tests/math)
sinter_benchmark(math_hashes ${PROJECT_SOURCE_DIR}/tools/math/compare_hashes.cpp
  ${oracle}/oracle.cpp ${oracle}/evaluate.cpp ${oracle}/exact.cpp)
