# SPDX-License-Identifier: Apache-2.0
# Calls in plans, with an op and a provider of the tests' own, on the CPU and on the emulator.
sinter_test(calls SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp
  ${PROJECT_SOURCE_DIR}/tests/lower/build.cpp LINKS sinter_internal sinter_simt)
