# SPDX-License-Identifier: Apache-2.0
sinter_test(index_writes SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/ops/golden.cpp
  ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp LINKS sinter_internal sinter_simt ALSO_ON_GPU)
