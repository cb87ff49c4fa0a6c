# SPDX-License-Identifier: Apache-2.0
# Every workload, as a program and as the library that benchmarks/compare_torch.py loads beside PyTorch.
file(GLOB workload_sources CONFIGURE_DEPENDS ${entry}/*.cpp)
set(runner ${PROJECT_SOURCE_DIR}/benchmarks/workload_runner)
sinter_benchmark(workloads ${workload_sources} ${runner}/workload.cpp ${runner}/main.cpp)
if(SINTER_HAS_CUDA)
  add_library(sinter_rows SHARED ${workload_sources} ${runner}/workload.cpp
    ${runner}/named_reductions.cpp ${runner}/c_api.cpp)
  target_link_libraries(sinter_rows PRIVATE sinter_internal)
  set_target_properties(sinter_rows PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
  add_dependencies(benchmarks sinter_rows)
endif()
