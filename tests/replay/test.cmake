# SPDX-License-Identifier: Apache-2.0
# A program of its own: the environment is read once a process.
sinter_test(replay SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/capture/support.cpp)
