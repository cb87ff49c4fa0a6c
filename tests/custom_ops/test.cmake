# SPDX-License-Identifier: Apache-2.0
sinter_test(custom_ops SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp LINKS sinter_internal sinter_simt)
