# SPDX-License-Identifier: Apache-2.0
# Besides the folder's libraries this test opens the LLVM module itself.
if(TARGET sinter_llvm)
  sinter_links_of(test_links ${test_sources} ${test_headers})
  sinter_test(llvm SOURCES ${test_sources} LINKS ${test_links} SECONDS 55)
  add_dependencies(test_llvm sinter_llvm)
  target_link_options(test_llvm PRIVATE LINKER:-rpath,${PROJECT_BINARY_DIR}/lib)
endif()
