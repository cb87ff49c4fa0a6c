# SPDX-License-Identifier: Apache-2.0
sinter_test(gpu SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/convolution_cases.cpp
  ${PROJECT_SOURCE_DIR}/tests/linalg/product_cases.cpp LABEL gpu)
set_tests_properties(test_gpu PROPERTIES RUN_SERIAL ON)  # it takes all memory of the device
