# SPDX-License-Identifier: Apache-2.0
sinter_test(backends SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp)
