# SPDX-License-Identifier: Apache-2.0
# The installed package, moved elsewhere, used by a project that knows nothing but find_package(sinter).
if(NOT SINTER_INSTALL)
  return()
endif()
add_dependencies(tests_cpu sinter sinter_runtime)
add_test(NAME test_install COMMAND ${folder}/install_and_use ${PROJECT_BINARY_DIR})
set_tests_properties(test_install PROPERTIES LABELS cpu TIMEOUT 600 COST 20)

# What README.md says about using it.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME test_readme_blocks COMMAND ${folder}/readme_blocks ${PROJECT_BINARY_DIR} ${Python3_EXECUTABLE})
  set_tests_properties(test_readme_blocks PROPERTIES LABELS cpu TIMEOUT 600 COST 10)
endif()
