# SPDX-License-Identifier: Apache-2.0
# The public headers that it reaches need the recorder.
sinter_test(compiler SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp)
