# SPDX-License-Identifier: Apache-2.0
sinter_test(cache SOURCES ${test_sources} LINKS sinter_cache)
