// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>

namespace sinter::device::cuda {

/// The driver functions we use: name, the CUDA version that introduced the signature we call, parameters.
///
/// This list is all that depends on the version of the driver API. A function is asked for by the version of its
/// signature, so it does not matter which headers we were built with (12.4 to 13) or how new the driver is: later
/// versions keep the old signatures under these numbers.
#define SINTER_CUDA_DRIVER(X)                                                                                    \
  X(Init, 2000, (unsigned flags))                                                                                \
  X(DriverGetVersion, 2020, (int* version))                                                                      \
  X(GetErrorName, 6000, (CUresult error, const char** name))                                                     \
  X(GetErrorString, 6000, (CUresult error, const char** text))                                                   \
  X(DeviceGetCount, 2000, (int* count))                                                                          \
  X(DeviceGet, 2000, (CUdevice * device, int ordinal))                                                           \
  X(DeviceGetName, 2000, (char* name, int length, CUdevice device))                                              \
  X(DeviceGetAttribute, 2000, (int* value, CUdevice_attribute attribute, CUdevice device))                       \
  X(DeviceTotalMem, 3020, (size_t* bytes, CUdevice device))                                                      \
  X(DevicePrimaryCtxRetain, 7000, (CUcontext * context, CUdevice device))                                        \
  X(CtxGetCurrent, 4000, (CUcontext * context))                                                                  \
  X(CtxSetCurrent, 4000, (CUcontext context))                                                                    \
  X(CtxSynchronize, 2000, ())                                                                                    \
  X(MemAlloc, 3020, (CUdeviceptr * memory, size_t bytes))                                                        \
  X(MemFree, 3020, (CUdeviceptr memory))                                                                         \
  X(MemGetInfo, 3020, (size_t* free, size_t* total))                                                             \
  X(MemcpyHtoDAsync, 3020, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))                    \
  X(MemcpyDtoHAsync, 3020, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))                          \
  X(MemcpyAsync, 4000, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                        \
  X(MemsetD8Async, 3020, (CUdeviceptr memory, unsigned char value, size_t bytes, CUstream stream))               \
  X(ModuleLoadData, 2000, (CUmodule * module, const void* image))                                                \
  X(ModuleUnload, 2000, (CUmodule module))                                                                       \
  X(ModuleGetFunction, 2000, (CUfunction * function, CUmodule module, const char* name))                         \
  X(FuncGetAttribute, 2020, (int* value, CUfunction_attribute attribute, CUfunction function))                   \
  X(FuncSetAttribute, 9000, (CUfunction function, CUfunction_attribute attribute, int value))                    \
  X(LaunchKernel, 4000,                                                                                          \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))                 \
  X(StreamCreate, 2000, (CUstream * stream, unsigned flags))                                                     \
  X(StreamSynchronize, 2000, (CUstream stream))                                                                  \
  X(StreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned flags))                                     \
  X(StreamGetCaptureInfo, 11030,                                                                                 \
    (CUstream stream, CUstreamCaptureStatus * status, cuuint64_t * id, CUgraph * graph,                          \
     const CUgraphNode** dependencies, size_t* dependency_count))                                                \
  X(StreamBeginCapture, 10010, (CUstream stream, CUstreamCaptureMode mode))                                      \
  X(StreamEndCapture, 10000, (CUstream stream, CUgraph * graph))                                                 \
  X(ThreadExchangeStreamCaptureMode, 10010, (CUstreamCaptureMode * mode))                                        \
  X(EventCreate, 2000, (CUevent * event, unsigned flags))                                                        \
  X(EventDestroy, 4000, (CUevent event))                                                                         \
  X(EventRecord, 2000, (CUevent event, CUstream stream))                                                         \
  X(EventQuery, 2000, (CUevent event))                                                                           \
  X(EventSynchronize, 2000, (CUevent event))                                                                     \
  X(EventElapsedTime, 2000, (float* ms, CUevent begin, CUevent end))                                             \
  X(GraphInstantiateWithFlags, 11040, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))             \
  X(GraphGetNodes, 10000, (CUgraph graph, CUgraphNode * nodes, size_t* count))                                   \
  X(GraphNodeGetType, 10000, (CUgraphNode node, CUgraphNodeType * type))                                         \
  X(GraphLaunch, 10000, (CUgraphExec exec, CUstream stream))                                                     \
  X(GraphExecDestroy, 10000, (CUgraphExec exec))                                                                 \
  X(GraphDestroy, 10000, (CUgraph graph))                                                                        \
  X(UserObjectCreate, 11030,                                                                                     \
    (CUuserObject * object, void* data, CUhostFn destroy, unsigned references, unsigned flags))                  \
  X(GraphRetainUserObject, 11030, (CUgraph graph, CUuserObject object, unsigned count, unsigned flags))

/// The loaded driver. Plain function pointers, so that a test can put its own in.
struct Driver {
#define SINTER_MEMBER(name, version, parameters) CUresult(CUDAAPI* name) parameters = nullptr;
  SINTER_CUDA_DRIVER(SINTER_MEMBER)
#undef SINTER_MEMBER
  int version = 0;  ///< 12040 is CUDA 12.4
};

/// The oldest driver that works: that of CUDA 12.4.
constexpr int minimum_driver_version = 12040;

/// A driver, or the words why there is none.
struct DriverResult {
  const Driver* driver = nullptr;
  std::string tried;  ///< "libcuda.so.1: not found"
  int too_old = 0;    ///< version of a driver that is older than the minimum
  CUresult initialisation = CUDA_SUCCESS;
};

/// Loads and initialises the driver once a process, from SINTER_CUDA_DRIVER or libcuda.so.1. Never throws.
const DriverResult& driver();
/// The same from a named library, each time anew.
DriverResult load_driver(const std::string& library);

}  // namespace sinter::device::cuda
