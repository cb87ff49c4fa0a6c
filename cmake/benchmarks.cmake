# SPDX-License-Identifier: Apache-2.0
# A folder with a benchmark.cmake makes its own targets.
# benchmarks/<name>.cpp and benchmarks/<name>/*.cpp -> executable bench_<name>; Google Benchmark where it is installed.
add_custom_target(benchmarks)

function(sinter_benchmark name)
  add_executable(bench_${name} ${ARGN})
  add_dependencies(benchmarks bench_${name})
  target_link_libraries(bench_${name} PRIVATE sinter_internal)
  if(TARGET benchmark::benchmark)
    target_link_libraries(bench_${name} PRIVATE benchmark::benchmark)
  endif()
  set_target_properties(bench_${name} PROPERTIES CXX_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/benchmarks)
endfunction()

file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/benchmarks/*)
foreach(entry ${entries})
  get_filename_component(name ${entry} NAME_WE)
  if(EXISTS ${entry}/benchmark.cmake)
    include(${entry}/benchmark.cmake)
    continue()
  endif()
  if(IS_DIRECTORY ${entry})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${entry}/*.cpp)
  else()
    set(sources ${entry})
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
  endif()
  if(sources)
    sinter_benchmark(${name} ${sources})
  endif()
endforeach()
