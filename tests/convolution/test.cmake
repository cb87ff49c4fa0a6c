# SPDX-License-Identifier: Apache-2.0
# Convolutions through every way of computing them on the CPU, and by the emulator or a GPU.
sinter_test(convolution SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/convolution_cases.cpp
  ${PROJECT_SOURCE_DIR}/tests/ops/build.cpp ${PROJECT_SOURCE_DIR}/tests/ops/golden.cpp
  LINKS sinter_internal sinter_simt ALSO_ON_GPU)
set_tests_properties(test_convolution PROPERTIES ENVIRONMENT SINTER_CACHE=0)  # explain() says what was decided only when it is
