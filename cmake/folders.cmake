# SPDX-License-Identifier: Apache-2.0
# sinter_folder(<target> <folder> [LINKS <targets>]): a static library of every .cpp under a folder, for internal use
# (tests, and as the pieces of the final libraries). A folder without sources becomes an INTERFACE library.
function(sinter_folder target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LINKS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  # A device that cannot be built is a folder too: runtime/**/no_cuda stands in for runtime/**/cuda.
  if(folder MATCHES "^runtime/")
    if(SINTER_HAS_CUDA)
      list(FILTER sources EXCLUDE REGEX "/no_cuda/")
    else()
      list(FILTER sources EXCLUDE REGEX "/cuda/")
    endif()
    # So is a library: runtime/**/no_onednn stands in for runtime/**/onednn.
    foreach(library cublaslt cudnn onednn)
      string(TOUPPER ${library} upper)
      if(SINTER_HAS_${upper})
        list(FILTER sources EXCLUDE REGEX "/no_${library}/")
      else()
        list(FILTER sources EXCLUDE REGEX "/${library}/")
      endif()
    endforeach()
  endif()
  set(visibility hidden)
  if(BUILD_SHARED_LIBS AND target IN_LIST SINTER_RUNTIME_FOLDERS)
    set(visibility default)  # libsinter uses the runtime's internals; cmake/sinter.map keeps the rest in
  endif()
  if(NOT sources)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE sinter_private ${arg_LINKS})
    return()
  endif()
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET ${visibility}
    VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/internal)
  target_link_libraries(${target} PUBLIC sinter_private ${arg_LINKS})
endfunction()

# The folders of sinter::runtime (load and run saved programs) and those sinter::sinter adds.
set(SINTER_RUNTIME_FOLDERS sinter_device sinter_tensor sinter_exec sinter_cache sinter_saved)
set(SINTER_COMPILER_FOLDERS sinter_scalar sinter_graph sinter_loop sinter_ops sinter_reference sinter_passes
  sinter_lower sinter_tile sinter_schedule sinter_cuda_codegen sinter_compiler sinter_capture)

# What the inside of the project compiles with: both include roots, fmt, the CUDA headers.
add_library(sinter_private INTERFACE)
target_include_directories(sinter_private INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(sinter_private INTERFACE sinter_flags fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
if(SINTER_HAS_CUDA)
  target_include_directories(sinter_private SYSTEM INTERFACE ${SINTER_CUDA_INCLUDE_DIR})
  target_compile_definitions(sinter_private INTERFACE SINTER_WITH_CUDA=1)
endif()
if(SINTER_HAS_CUDNN)
  target_include_directories(sinter_private SYSTEM INTERFACE ${SINTER_CUDNN_INCLUDE_DIR})
endif()
if(SINTER_HAS_ONEDNN)
  target_include_directories(sinter_private SYSTEM INTERFACE ${SINTER_ONEDNN_INCLUDE_DIR})
endif()
if(SINTER_HAS_LLVM)
  target_compile_definitions(sinter_private INTERFACE SINTER_WITH_LLVM=1)
endif()
