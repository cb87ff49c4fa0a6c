# SPDX-License-Identifier: Apache-2.0
# Which driver calls compiled functions make, on a driver that writes them down. tests/gpu has the same on a real one.
sinter_test(user_cuda SOURCES ${test_sources} ${PROJECT_SOURCE_DIR}/tests/device/fake_driver.cpp LINKS sinter_internal)
