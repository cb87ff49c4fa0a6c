# SPDX-License-Identifier: Apache-2.0
# The emulator is a library, linked by whatever test wants Device::cuda(0) without a GPU, and has a test of its own.
set(simt_sources ${test_sources})
list(FILTER simt_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(sinter_simt STATIC ${simt_sources})
target_link_libraries(sinter_simt PUBLIC sinter_cache)
sinter_unity(sinter_simt ${folder})
target_compile_definitions(sinter_simt PRIVATE
  SINTER_SIMT_COMPILER="${CMAKE_CXX_COMPILER}"
  SINTER_SIMT_FOLDER="${PROJECT_BINARY_DIR}/simt")

list(FILTER test_sources INCLUDE REGEX "_test\\.cpp$")
sinter_test(simt SOURCES ${test_sources} LINKS sinter_simt)
