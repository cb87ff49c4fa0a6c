# SPDX-License-Identifier: Apache-2.0
# examples/<name>.cpp and examples/<name>/*.cpp -> executable <name>, using the public API only. A folder with an
# example.cmake is included instead.
function(sinter_example name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE sinter::sinter sinter_flags fmt::fmt)
  target_compile_definitions(${name} PRIVATE SINTER_EXAMPLES_DATA="${PROJECT_SOURCE_DIR}/examples/data")
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
endfunction()

file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/examples/*)
foreach(entry ${entries})
  get_filename_component(name ${entry} NAME_WE)
  file(GLOB example_rule CONFIGURE_DEPENDS ${entry}/example.cmake)
  if(example_rule)
    include(${example_rule})
    continue()
  endif()
  if(IS_DIRECTORY ${entry})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${entry}/*.cpp)
  else()
    set(sources ${entry})
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
  endif()
  if(sources)
    sinter_example(${name} ${sources})
  endif()
endforeach()
