# SPDX-License-Identifier: Apache-2.0
# An overlay port that builds the checkout it lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DSINTER_BUILD_TESTS=OFF
    -DSINTER_BUILD_EXAMPLES=OFF
    -DSINTER_BUILD_BENCHMARKS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME sinter CONFIG_PATH lib/cmake/sinter)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
