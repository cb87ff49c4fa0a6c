# SPDX-License-Identifier: Apache-2.0
# The two libraries users link. Each is made of the objects of its folders; shared or static as BUILD_SHARED_LIBS says.
set(SINTER_RUNTIME_FOLDERS sinter_device sinter_tensor sinter_exec sinter_cache)
set(SINTER_COMPILER_FOLDERS sinter_scalar sinter_graph sinter_loop sinter_ops sinter_reference sinter_passes
  sinter_lower sinter_tile sinter_schedule sinter_cuda_codegen sinter_compiler sinter_capture)

function(sinter_library target export_name)
  set(objects)
  foreach(folder ${ARGN})
    get_target_property(kind ${folder} TYPE)
    if(NOT kind STREQUAL "INTERFACE_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${folder}>)
    endif()
  endforeach()
  if(objects)
    set(scope PUBLIC)
    add_library(${target} ${objects})
    set_target_properties(${target} PROPERTIES
      LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
      BUILD_RPATH ${PROJECT_BINARY_DIR}/lib
      INSTALL_RPATH $ORIGIN
      ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    target_link_libraries(${target} PRIVATE fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
    if(SINTER_SANITIZE)
      target_link_options(${target} PUBLIC -fsanitize=${SINTER_SANITIZE})
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${export_name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(sinter::${export_name} ALIAS ${target})
endfunction()

sinter_library(sinter_runtime runtime ${SINTER_RUNTIME_FOLDERS})
sinter_library(sinter sinter ${SINTER_COMPILER_FOLDERS})
get_target_property(kind sinter TYPE)
if(kind STREQUAL "INTERFACE_LIBRARY")
  target_link_libraries(sinter INTERFACE sinter_runtime)
else()
  target_link_libraries(sinter PUBLIC sinter_runtime)
  if(TARGET sinter_llvm)
    add_dependencies(sinter sinter_llvm)
  endif()
endif()

# Everything with its internals visible, for tests.
add_library(sinter_internal INTERFACE)
target_link_libraries(sinter_internal INTERFACE sinter_capture sinter_llvm_location)
