# SPDX-License-Identifier: Apache-2.0
sinter_test(equality SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp SHARDS 8 SECONDS 80)
