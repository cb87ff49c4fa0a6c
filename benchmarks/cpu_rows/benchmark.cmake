# SPDX-License-Identifier: Apache-2.0
# A shared library that benchmarks/compare_numexpr.py loads beside NumPy.
add_library(sinter_cpu_rows SHARED ${entry}/cpu_rows.cpp)
target_link_libraries(sinter_cpu_rows PRIVATE sinter_internal)
set_target_properties(sinter_cpu_rows PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET default
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
add_dependencies(benchmarks sinter_cpu_rows)
