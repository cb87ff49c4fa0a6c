# SPDX-License-Identifier: Apache-2.0
# Everything a user may set, in one place.
option(BUILD_SHARED_LIBS "Build sinter and sinter_runtime as shared libraries" OFF)
option(SINTER_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(SINTER_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(SINTER_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(SINTER_INSTALL "Generate the install rules" ${PROJECT_IS_TOP_LEVEL})
option(SINTER_WERROR "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})

set(SINTER_WITH_LLVM AUTO CACHE STRING "Build the CPU code generator (LLVM 16 to 19): AUTO, ON or OFF")
set(SINTER_WITH_CUDA AUTO CACHE STRING "Build the CUDA device (headers only; the driver is loaded at run time): AUTO, ON or OFF")
set(SINTER_WITH_ONEDNN AUTO CACHE STRING "Use oneDNN on the CPU (headers of version 2 or 3; opened at run time): AUTO, ON or OFF")
set_property(CACHE SINTER_WITH_LLVM PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE SINTER_WITH_ONEDNN PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE SINTER_WITH_CUDA PROPERTY STRINGS AUTO ON OFF)

set(SINTER_SANITIZE "" CACHE STRING "Sanitizers for everything built here, such as address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
