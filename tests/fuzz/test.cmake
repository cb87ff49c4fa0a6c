# SPDX-License-Identifier: Apache-2.0
# Random graphs on every device: the interpreter, the CPU back end and, for some of them, the emulator.
sinter_test(fuzz SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp
  LINKS sinter_internal sinter_simt)
