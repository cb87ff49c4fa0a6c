# SPDX-License-Identifier: Apache-2.0
# The LLVM back end lives in a shared object of its own with hidden symbols, which sinter opens locally by its bare name
# (SINTER_LLVM_MODULE): the loader finds it through the run path of whatever contains sinter, so an installation can be
# moved, and a process that already has another LLVM in it keeps working.
if(NOT SINTER_HAS_LLVM)
  add_library(sinter_llvm_codegen INTERFACE)
  target_link_libraries(sinter_llvm_codegen INTERFACE sinter_tile)
  return()
endif()

sinter_folder(sinter_llvm_codegen codegen/llvm LINKS sinter_tile)
get_target_property(kind sinter_llvm_codegen TYPE)
if(kind STREQUAL "INTERFACE_LIBRARY")
  return()
endif()
target_include_directories(sinter_llvm_codegen SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(sinter_llvm_codegen PUBLIC ${llvm_definitions})
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(sinter_llvm_codegen PRIVATE -fno-rtti)
endif()
if(TARGET LLVM)
  target_link_libraries(sinter_llvm_codegen PRIVATE LLVM)
else()
  llvm_map_components_to_libnames(llvm_libraries core orcjit native passes)
  target_link_libraries(sinter_llvm_codegen PRIVATE ${llvm_libraries})
endif()

# The module is made of the same objects; the version script exports its entry points only.
add_library(sinter_llvm MODULE $<TARGET_OBJECTS:sinter_llvm_codegen>)
target_link_libraries(sinter_llvm PRIVATE sinter_llvm_codegen)
target_link_options(sinter_llvm PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/sinter_llvm.map
  LINKER:--gc-sections)
if(NOT SINTER_SANITIZE)
  target_link_options(sinter_llvm PRIVATE LINKER:-z,defs)
endif()
set(suffix .so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(sinter_llvm PROPERTIES
  SUFFIX ${suffix}
  INSTALL_RPATH_USE_LINK_PATH ON
  LINKER_LANGUAGE CXX
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sinter_llvm.map
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(module libsinter_llvm${suffix})
if(SINTER_SANITIZE)
  set(module ${PROJECT_BINARY_DIR}/lib/${module})  # the sanitizers' dlopen does not see the caller's run path
endif()
target_compile_definitions(sinter_private INTERFACE SINTER_LLVM_MODULE="${module}")
add_dependencies(sinter_compiler sinter_llvm)

# A plan from the disk cache names objects that this back end made, and is used without opening it: what it is made of is
# a part of the key (src/compiler/cache_key.cpp).
file(GLOB emitter_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/llvm/*.cpp ${PROJECT_SOURCE_DIR}/codegen/llvm/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${emitter_sources})
set(emitter_hashes "${LLVM_PACKAGE_VERSION}")
foreach(source IN LISTS emitter_sources)
  file(SHA256 ${source} hash)
  string(APPEND emitter_hashes ${hash})
endforeach()
string(SHA256 emitter_hash "${emitter_hashes}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/compiler/cache_key.cpp PROPERTIES
  COMPILE_DEFINITIONS SINTER_LLVM_EMITTER="${emitter_hash}")
