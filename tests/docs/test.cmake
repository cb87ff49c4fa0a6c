# SPDX-License-Identifier: Apache-2.0
# Pages made from the code are up to date, and what the documentation shows as programs compiles, runs and prints what it
# says: docs_pages writes the pages; tools/docs/snippets.py takes README.md apart; tools/docs/tutorial.py runs programs.
file(GLOB docs_pages_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/docs/*.cpp)
add_executable(docs_pages ${docs_pages_sources})
target_link_libraries(docs_pages PRIVATE sinter_ops)
set_target_properties(docs_pages PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(tests_cpu docs_pages)
add_test(NAME test_docs COMMAND docs_pages --check ${PROJECT_SOURCE_DIR})
set_tests_properties(test_docs PROPERTIES LABELS cpu TIMEOUT 120)

find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "sinter: no python3, the programs of README.md and the tutorial are not tested")
  return()
endif()

set(snippets ${PROJECT_BINARY_DIR}/tests/readme_snippets.cpp)
add_custom_command(OUTPUT ${snippets}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/snippets.py ${PROJECT_SOURCE_DIR}/README.md ${snippets}
  DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/tools/docs/snippets.py)
add_executable(test_readme ${snippets})
target_link_libraries(test_readme PRIVATE sinter::sinter)
target_compile_features(test_readme PRIVATE cxx_std_20)
set_target_properties(test_readme PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(tests_cpu test_readme)
add_test(NAME test_readme COMMAND test_readme)
set_tests_properties(test_readme PROPERTIES LABELS cpu TIMEOUT 120
  ENVIRONMENT "SINTER_CACHE_DIR=${PROJECT_BINARY_DIR}/tests/readme_cache")

# What the programs print names kernels, which the interpreter does not have.
if(SINTER_BUILD_EXAMPLES AND SINTER_HAS_LLVM)
  add_dependencies(tests_cpu tutorial readme)
  add_test(NAME test_tutorial
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs/tutorial.py --run ${PROJECT_BINARY_DIR}/examples)
  set_tests_properties(test_tutorial PROPERTIES LABELS cpu TIMEOUT 300)
endif()
