# SPDX-License-Identifier: Apache-2.0
# Schedules run on the CPU back end, and as CUDA text on the emulator.
sinter_test(schedule SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp
  ${PROJECT_SOURCE_DIR}/tests/lower/build.cpp ${PROJECT_SOURCE_DIR}/tests/lower/random_graph.cpp
  ${PROJECT_SOURCE_DIR}/tests/lower/join_cases.cpp
  LINKS sinter_internal sinter_simt SECONDS 70)
