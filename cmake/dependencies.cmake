# SPDX-License-Identifier: Apache-2.0
# Sets SINTER_HAS_CUDA, SINTER_HAS_CUDNN and SINTER_HAS_LLVM.
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
  elseif(NOT SINTER_WITH_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "SINTER_WITH_CUDA=ON, but cuda.h and nvrtc.h were not found; set CUDAToolkit_ROOT")
  endif()
endif()

# cuDNN: the graph API's header at build time; the library is opened at run time.
set(SINTER_HAS_CUDNN OFF)
if(SINTER_HAS_CUDA)
  find_path(SINTER_CUDNN_INCLUDE_DIR NAMES cudnn_graph.h
    HINTS ${CUDNN_ROOT} ENV CUDNN_ROOT ENV CUDNN_PATH ${SINTER_CUDA_INCLUDE_DIR} PATH_SUFFIXES include)
  mark_as_advanced(SINTER_CUDNN_INCLUDE_DIR)
  if(SINTER_CUDNN_INCLUDE_DIR)
    set(SINTER_HAS_CUDNN ON)
  endif()
endif()

# LLVM: the one LLVM_DIR names, or the newest supported one that is installed. LLVM's own version file wants the minor
# number too, so it is listed.
set(SINTER_HAS_LLVM OFF)
if(NOT SINTER_WITH_LLVM STREQUAL "OFF")
  if(LLVM_DIR)
    find_package(LLVM CONFIG QUIET)
  else()
    foreach(version 19.1 18.1 17.0 16.0)
      string(REGEX REPLACE "\\..*" "" major ${version})
      find_package(LLVM ${version} CONFIG QUIET HINTS /usr/lib/llvm-${major})
      if(LLVM_FOUND)
        break()
      endif()
    endforeach()
  endif()
  if(LLVM_FOUND AND LLVM_VERSION_MAJOR GREATER_EQUAL 16 AND LLVM_VERSION_MAJOR LESS_EQUAL 19)
    set(SINTER_HAS_LLVM ON)
  elseif(NOT SINTER_WITH_LLVM STREQUAL "AUTO")
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
if(SINTER_HAS_CUDNN)
  message(STATUS "sinter: cuDNN headers in ${SINTER_CUDNN_INCLUDE_DIR}")
elseif(SINTER_HAS_CUDA)
  message(STATUS "sinter: no cuDNN headers, convolutions on CUDA are generated kernels")
endif()
if(SINTER_HAS_LLVM)
  message(STATUS "sinter: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")
else()
  message(STATUS "sinter: no LLVM, CPU code runs in the interpreter")
endif()
