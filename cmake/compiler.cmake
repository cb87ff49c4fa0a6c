# SPDX-License-Identifier: Apache-2.0
# Compiler settings: `sinter_flags` for every target of ours, and faster tools where they exist.
include(CheckLinkerFlag)
include(GNUInstallDirs)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(SINTER_CCACHE ccache)
  if(SINTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${SINTER_CCACHE})
  endif()
  check_linker_flag(CXX -fuse-ld=mold SINTER_HAS_MOLD)
  if(SINTER_HAS_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

add_library(sinter_flags INTERFACE)
target_compile_features(sinter_flags INTERFACE cxx_std_20)
# No contraction: a product and a sum are two roundings unless the program says fma.
target_compile_options(sinter_flags INTERFACE -Wall -Wextra -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sinter_flags INTERFACE -Wno-restrict)  # false alarms on std::string + (GCC bug 105651)
endif()
if(SINTER_WERROR)
  target_compile_options(sinter_flags INTERFACE -Werror)
endif()
if(SINTER_SANITIZE)
  target_compile_options(sinter_flags INTERFACE -fsanitize=${SINTER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(sinter_flags INTERFACE -fsanitize=${SINTER_SANITIZE})
endif()
