# SPDX-License-Identifier: Apache-2.0
# The runtime alone: nothing of the compiler is needed to test it.
sinter_test(device SOURCES ${test_sources} LINKS sinter_device)
