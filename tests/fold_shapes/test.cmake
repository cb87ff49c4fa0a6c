# SPDX-License-Identifier: Apache-2.0
# Every small shape of every fold with every strategy: all of them on the CPU and on a GPU, some on the emulator.
sinter_test(fold_shapes SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp
  LINKS sinter_internal sinter_simt SECONDS 60 ALSO_ON_GPU)
