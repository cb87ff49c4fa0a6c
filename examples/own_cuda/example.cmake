# SPDX-License-Identifier: Apache-2.0
# Calls the CUDA driver itself, so it needs cuda.h; without a GPU it says so and ends.
if(SINTER_HAS_CUDA)
  sinter_example(own_cuda ${entry}/own_cuda.cpp ${entry}/driver.cpp)
  target_include_directories(own_cuda SYSTEM PRIVATE ${SINTER_CUDA_INCLUDE_DIR})
  target_link_libraries(own_cuda PRIVATE ${CMAKE_DL_LIBS})
endif()
