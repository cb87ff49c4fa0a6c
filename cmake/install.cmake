# SPDX-License-Identifier: Apache-2.0
# Two components: `runtime` (loads and runs saved programs) and `sinter` (everything). An installation can be moved.
if(NOT SINTER_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)

install(TARGETS sinter_runtime EXPORT sinterRuntimeTargets COMPONENT runtime FILE_SET HEADERS COMPONENT runtime)
install(EXPORT sinterRuntimeTargets NAMESPACE sinter:: DESTINATION ${package_dir} COMPONENT runtime)
install(TARGETS sinter EXPORT sinterTargets COMPONENT sinter)
install(EXPORT sinterTargets NAMESPACE sinter:: DESTINATION ${package_dir} COMPONENT sinter)
if(TARGET sinter_llvm)
  install(TARGETS sinter_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sinter)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sinterConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/sinterConfig.cmake ${PROJECT_BINARY_DIR}/sinterConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT runtime)
