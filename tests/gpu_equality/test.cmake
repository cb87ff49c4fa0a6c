# SPDX-License-Identifier: Apache-2.0
sinter_test(gpu_equality SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp LABEL gpu SHARDS 8)
