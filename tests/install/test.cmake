# SPDX-License-Identifier: Apache-2.0
# The installed package, moved elsewhere, used by a project that knows nothing but find_package(sinter).
if(NOT SINTER_INSTALL)
  return()
endif()
add_dependencies(tests_cpu sinter sinter_runtime)
add_test(NAME test_install COMMAND ${folder}/install_and_use ${PROJECT_BINARY_DIR})
set_tests_properties(test_install PROPERTIES LABELS cpu TIMEOUT 600 COST 20)
