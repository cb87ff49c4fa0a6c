// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace own_cuda {

/// The driver functions that the example calls. A program that always runs on a GPU links libcuda instead; looking them
/// up lets this one say that there is none.
struct Driver {
  decltype(&cuInit) init;
  decltype(&cuDeviceGet) device_get;
  decltype(&cuDevicePrimaryCtxRetain) primary_context;
  decltype(&cuCtxSetCurrent) set_context;
  decltype(&cuModuleLoadData) load_module;
  decltype(&cuModuleGetFunction) get_function;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuStreamCreate) create_stream;
  decltype(&cuStreamSynchronize) synchronize;
  decltype(&cuStreamBeginCapture) begin_capture;
  decltype(&cuStreamEndCapture) end_capture;
  decltype(&cuGraphInstantiateWithFlags) instantiate;
  decltype(&cuGraphLaunch) launch_graph;
  decltype(&cuGraphExecDestroy) destroy_exec;
  decltype(&cuGraphDestroy) destroy_graph;
  decltype(&cuMemAlloc) allocate;
  decltype(&cuMemAllocAsync) allocate_async;
  decltype(&cuMemFreeAsync) free_async;
  decltype(&cuMemcpyDtoHAsync) copy_to_host;

  /// Throws std::runtime_error naming what is missing.
  Driver();
};

/// Throws std::runtime_error naming the call that failed.
void check(CUresult result, const char* call);

}  // namespace own_cuda
