# SPDX-License-Identifier: Apache-2.0
# The helper is a program of its own: what a second process finds on disk cannot be seen from the first one.
sinter_test(capture SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/ops/golden.cpp)
add_executable(capture_cache_user ${folder}/helper/cache_user.cc)
target_link_libraries(capture_cache_user PRIVATE sinter_internal sinter_private)
set_target_properties(capture_cache_user PROPERTIES CXX_EXTENSIONS OFF
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(test_capture capture_cache_user)
target_compile_definitions(test_capture PRIVATE SINTER_CACHE_USER="$<TARGET_FILE:capture_cache_user>")
foreach(program test_capture capture_cache_user)
  target_link_options(${program} PRIVATE LINKER:-rpath,${PROJECT_BINARY_DIR}/lib)
endforeach()
