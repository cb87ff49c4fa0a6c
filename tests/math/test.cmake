# SPDX-License-Identifier: Apache-2.0
# The expansions are defined for IEEE arithmetic with a fused multiply-add instruction; without one the host calls a
# library function for each fma, which is right and slow.
sinter_test(math SOURCES ${test_sources} LINKS sinter_scalar ALONE SECONDS 60)  # made of includes with macros
target_compile_options(test_math PRIVATE -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(test_math PRIVATE -march=x86-64-v3)
endif()
