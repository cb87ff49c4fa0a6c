# SPDX-License-Identifier: Apache-2.0
# The two libraries users link, made of the objects of their folders; shared or static as BUILD_SHARED_LIBS says.
function(sinter_library target export_name)
  set(objects)
  foreach(folder ${ARGN})
    get_target_property(kind ${folder} TYPE)
    if(NOT kind STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${folder}>)
    endif()
  endforeach()
  add_library(${target} ${objects} ${PROJECT_SOURCE_DIR}/cmake/libraries.cmake)
  add_library(sinter::${export_name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${export_name}
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH ${PROJECT_BINARY_DIR}/lib
    INSTALL_RPATH $ORIGIN
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
  if(SINTER_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${SINTER_SANITIZE})
  endif()
endfunction()

# The public headers are one set, carried by the runtime because both libraries have it.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sinter/*.h
  ${PROJECT_SOURCE_DIR}/include/sinter/*.def)
sinter_library(sinter_runtime runtime ${SINTER_RUNTIME_FOLDERS})
target_sources(sinter_runtime PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${public_headers})
sinter_library(sinter sinter ${SINTER_COMPILER_FOLDERS})
target_link_libraries(sinter PUBLIC sinter_runtime)
if(BUILD_SHARED_LIBS)
  if(NOT SINTER_SANITIZE)  # the arrows hold for symbols too: the runtime needs nothing of the compiler
    target_link_options(sinter_runtime PRIVATE LINKER:-z,defs)
    target_link_options(sinter PRIVATE LINKER:-z,defs)
  endif()
  # Names of ours alone are exported: no instance of a standard or fmt template takes another library's place.
  foreach(library sinter_runtime sinter)
    target_link_options(${library} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/sinter.map)
    set_target_properties(${library} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sinter.map)
  endforeach()
endif()

# A static sinter opens its LLVM back end through the run path of the program it is linked into.
if(TARGET sinter_llvm)
  add_dependencies(sinter sinter_llvm)
  if(NOT BUILD_SHARED_LIBS)
    target_link_options(sinter INTERFACE
      $<BUILD_INTERFACE:LINKER:-rpath,${PROJECT_BINARY_DIR}/lib>
      $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}>)
  endif()
endif()

# Everything with its internals visible, for tests and benchmarks.
add_library(sinter_internal INTERFACE)
target_link_libraries(sinter_internal INTERFACE sinter_capture)
if(TARGET sinter_llvm)
  target_link_options(sinter_internal INTERFACE LINKER:-rpath,${PROJECT_BINARY_DIR}/lib)
endif()
