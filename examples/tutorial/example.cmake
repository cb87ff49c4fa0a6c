# SPDX-License-Identifier: Apache-2.0
# Each file is a program of its own, shown in docs/tutorial; test_tutorial runs them.
file(GLOB sources CONFIGURE_DEPENDS ${entry}/*.cpp)
add_custom_target(tutorial)
foreach(source ${sources})
  get_filename_component(chapter ${source} NAME_WE)
  sinter_example(tutorial_${chapter} ${source})
  add_dependencies(tutorial tutorial_${chapter})
endforeach()
