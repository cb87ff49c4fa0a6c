# SPDX-License-Identifier: Apache-2.0
# Random graphs on every device: the interpreter, the CPU back end and, for some of them, the emulator.
sinter_test(fuzz SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp
  LINKS sinter_internal sinter_simt)

# Long runs in several processes, on the CPU or a GPU: sinter_fuzz --seconds 3600
set(command_sources ${test_sources})
list(FILTER command_sources EXCLUDE REGEX "_test\\.cpp$")
add_executable(sinter_fuzz ${folder}/command/fuzz.cc ${command_sources}
  ${PROJECT_SOURCE_DIR}/tests/support/op_cases.cpp)
target_link_libraries(sinter_fuzz PRIVATE sinter_internal sinter_private)
set_target_properties(sinter_fuzz PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_dependencies(test_fuzz sinter_fuzz)
add_test(NAME sinter_fuzz COMMAND sinter_fuzz --seconds 5 --processes 2)
set_tests_properties(sinter_fuzz PROPERTIES LABELS cpu TIMEOUT 300)
add_dependencies(tests_gpu sinter_fuzz)
add_test(NAME sinter_fuzz_on_gpu COMMAND sinter_fuzz --seconds 20 --processes 16 --device cuda)
set_tests_properties(sinter_fuzz_on_gpu PROPERTIES LABELS gpu TIMEOUT 300 RUN_SERIAL ON)
