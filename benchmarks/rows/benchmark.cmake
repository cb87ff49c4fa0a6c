# SPDX-License-Identifier: Apache-2.0
# A shared library that benchmarks/compare_torch.py loads beside PyTorch.
if(SINTER_HAS_CUDA)
  add_library(sinter_rows SHARED ${entry}/rows.cpp ${entry}/c_api.cpp)
  target_link_libraries(sinter_rows PRIVATE sinter_internal)
  set_target_properties(sinter_rows PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
  add_dependencies(benchmarks sinter_rows)
endif()
