# SPDX-License-Identifier: Apache-2.0
sinter_test(saved SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp)
