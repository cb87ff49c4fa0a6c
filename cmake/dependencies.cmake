# SPDX-License-Identifier: Apache-2.0
# Sets SINTER_HAS_CUDA and SINTER_HAS_LLVM.
find_package(Threads REQUIRED)
find_package(fmt 8 REQUIRED)

# CUDA: cuda.h and nvrtc.h at build time, nothing to link; driver and NVRTC are opened at run time.
set(SINTER_HAS_CUDA OFF)
if(NOT SINTER_WITH_CUDA STREQUAL "OFF")
  find_path(SINTER_CUDA_INCLUDE_DIR NAMES nvrtc.h
    HINTS ${CUDAToolkit_ROOT} ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH
    PATHS /usr/local/cuda /opt/cuda
    PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  mark_as_advanced(SINTER_CUDA_INCLUDE_DIR)
  if(SINTER_CUDA_INCLUDE_DIR AND EXISTS ${SINTER_CUDA_INCLUDE_DIR}/cuda.h)
    set(SINTER_HAS_CUDA ON)
  elseif(SINTER_WITH_CUDA)
    if(NOT SINTER_WITH_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "SINTER_WITH_CUDA=ON, but cuda.h and nvrtc.h were not found; set CUDAToolkit_ROOT")
    endif()
  endif()
endif()

# LLVM: the newest supported one that is installed.
set(SINTER_HAS_LLVM OFF)
if(NOT SINTER_WITH_LLVM STREQUAL "OFF")
  foreach(version 19 18 17 16)
    find_package(LLVM ${version} CONFIG QUIET HINTS /usr/lib/llvm-${version})
    if(LLVM_FOUND)
      set(SINTER_HAS_LLVM ON)
      break()
    endif()
  endforeach()
  if(NOT SINTER_HAS_LLVM AND NOT SINTER_WITH_LLVM STREQUAL "AUTO")
    message(FATAL_ERROR "SINTER_WITH_LLVM=ON, but no LLVM 16 to 19 was found; set LLVM_DIR")
  endif()
endif()

if(SINTER_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(SINTER_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
endif()

if(SINTER_HAS_CUDA)
  message(STATUS "sinter: CUDA headers in ${SINTER_CUDA_INCLUDE_DIR}")
else()
  message(STATUS "sinter: no CUDA headers, the CUDA device is left out")
endif()
if(SINTER_HAS_LLVM)
  message(STATUS "sinter: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")
else()
  message(STATUS "sinter: no LLVM, CPU code runs in the interpreter")
endif()
