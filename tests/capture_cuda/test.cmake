# SPDX-License-Identifier: Apache-2.0
# Compiled functions on Device::cuda(0), which is the emulator: streams, operands that follow, late index checks.
sinter_test(capture_cuda SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp
  ${PROJECT_SOURCE_DIR}/tests/capture/in_place_program.cpp
  LINKS sinter_internal sinter_simt ALSO_ON_GPU)
