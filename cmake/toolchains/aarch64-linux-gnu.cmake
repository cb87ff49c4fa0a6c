# SPDX-License-Identifier: Apache-2.0
# Debian's cross compiler (g++-aarch64-linux-gnu). SINTER_AARCH64_ROOT: a folder with arm64 packages unpacked, where fmt,
# GoogleTest and LLVM are looked for and which programs run in by qemu-aarch64, if that is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SINTER_AARCH64_ROOT)
set(CMAKE_FIND_ROOT_PATH ${SINTER_AARCH64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind PACKAGE INCLUDE LIBRARY)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# What shared libraries of the root need themselves.
set(needed ${SINTER_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu:${SINTER_AARCH64_ROOT}/lib/aarch64-linux-gnu)
foreach(kind EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -Wl,-rpath-link,${needed})
endforeach()
find_program(SINTER_QEMU_AARCH64 qemu-aarch64)
if(SINTER_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${SINTER_QEMU_AARCH64} -L ${SINTER_AARCH64_ROOT})
endif()
