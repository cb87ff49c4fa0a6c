// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace own_cuda {

namespace {

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
}

}  // namespace

// cuda.h renames functions whose signature changed (cuMemAlloc is cuMemAlloc_v2), so names are spelled by the macro.
#define OWN_CUDA_NAME(function) #function
#define OWN_CUDA_FIND(function, member) find(library, OWN_CUDA_NAME(function), member)

Driver::Driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) throw std::runtime_error("no libcuda.so.1");
  OWN_CUDA_FIND(cuInit, init);
  OWN_CUDA_FIND(cuDeviceGet, device_get);
  OWN_CUDA_FIND(cuDevicePrimaryCtxRetain, primary_context);
  OWN_CUDA_FIND(cuCtxSetCurrent, set_context);
  OWN_CUDA_FIND(cuModuleLoadData, load_module);
  OWN_CUDA_FIND(cuModuleGetFunction, get_function);
  OWN_CUDA_FIND(cuLaunchKernel, launch);
  OWN_CUDA_FIND(cuStreamCreate, create_stream);
  OWN_CUDA_FIND(cuStreamSynchronize, synchronize);
  OWN_CUDA_FIND(cuStreamBeginCapture, begin_capture);
  OWN_CUDA_FIND(cuStreamEndCapture, end_capture);
  OWN_CUDA_FIND(cuGraphInstantiateWithFlags, instantiate);
  OWN_CUDA_FIND(cuGraphLaunch, launch_graph);
  OWN_CUDA_FIND(cuGraphExecDestroy, destroy_exec);
  OWN_CUDA_FIND(cuGraphDestroy, destroy_graph);
  OWN_CUDA_FIND(cuMemAlloc, allocate);
  OWN_CUDA_FIND(cuMemAllocAsync, allocate_async);
  OWN_CUDA_FIND(cuMemFreeAsync, free_async);
  OWN_CUDA_FIND(cuMemcpyDtoHAsync, copy_to_host);
  check(init(0), "cuInit");
}

void check(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed with error " + std::to_string(result));
}

}  // namespace own_cuda
