// SPDX-License-Identifier: Apache-2.0
#ifdef SINTER_WITH_CUDA
#include "tests/device/fake_driver.h"

#include <cstdlib>
#include <cstring>

namespace sinter::device::cuda {

namespace {

FakeDriver* fake = nullptr;
using Lock = std::lock_guard<std::recursive_mutex>;

template <class T>
T handle(uintptr_t n) {
  return reinterpret_cast<T>(n);
}

/// Answers a call that has nothing to do.
#define SINTER_PLAIN(name, ...) functions.name = [](__VA_ARGS__) { return fake->answer(#name); }

CUresult attribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
    default:
      *value = 0;
  }
  return fake->answer("DeviceGetAttribute");
}

CUresult allocate(CUdeviceptr* memory, size_t bytes) {
  const Lock lock(fake->mutex);
  if (const CUresult r = fake->answer("MemAlloc"); r != CUDA_SUCCESS) return r;
  if (fake->used_bytes + bytes > fake->memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  fake->used_bytes += bytes;
  *memory = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(64, bytes));
  fake->blocks[*memory] = bytes;
  return CUDA_SUCCESS;
}

CUresult free_memory(CUdeviceptr memory) {
  const Lock lock(fake->mutex);
  fake->used_bytes -= fake->blocks.at(memory);
  fake->blocks.erase(memory);
  std::free(reinterpret_cast<void*>(memory));
  return fake->answer("MemFree");
}

CUresult launch(CUfunction, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned shared,
                CUstream stream, void** parameters, void** extra) {
  const Lock lock(fake->mutex);
  FakeDriver::Launch l{grid, block, shared, stream, {}, fake->current};
  if (parameters != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (extra != nullptr) {
    if (extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE ||
        extra[4] != CU_LAUNCH_PARAM_END)
      return CUDA_ERROR_INVALID_VALUE;
    const auto* slots = static_cast<const uint64_t*>(extra[1]);
    l.slots.assign(slots, slots + *static_cast<size_t*>(extra[3]) / sizeof(uint64_t));
  }
  fake->streams.insert(stream);
  fake->launches.push_back(std::move(l));
  return fake->answer("LaunchKernel");
}

CUresult capture_info(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                      const CUgraphNode**, size_t*) {
  if (stream == nullptr) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  *status = fake->capture_id ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  if (id) *id = fake->capture_id;
  if (graph) *graph = handle<CUgraph>(0x6000);
  return fake->answer("StreamGetCaptureInfo");
}

}  // namespace

thread_local CUcontext FakeDriver::current = nullptr;

CUresult FakeDriver::answer(const char* name) {
  const Lock lock(mutex);
  ++calls[name];
  const auto found = results.find(name);
  return found == results.end() ? CUDA_SUCCESS : found->second;
}

FakeDriver::FakeDriver() {
  fake = this;
  current = nullptr;
  functions.version = 13000;
  SINTER_PLAIN(Init, unsigned);
  SINTER_PLAIN(CtxSynchronize);
  SINTER_PLAIN(ModuleUnload, CUmodule);
  SINTER_PLAIN(FuncSetAttribute, CUfunction, CUfunction_attribute, int);
  SINTER_PLAIN(StreamWaitEvent, CUstream, CUevent, unsigned);
  SINTER_PLAIN(EventSynchronize, CUevent);
  SINTER_PLAIN(GraphLaunch, CUgraphExec, CUstream);
  SINTER_PLAIN(GraphExecDestroy, CUgraphExec);
  SINTER_PLAIN(GraphDestroy, CUgraph);
  SINTER_PLAIN(GraphRetainUserObject, CUgraph, CUuserObject, unsigned, unsigned);
  describe_devices();
  copy_memory();
  load_and_launch();
  order_streams();
}

void FakeDriver::describe_devices() {
  functions.GetErrorName = [](CUresult e, const char** name) {
    *name = e == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
  };
  functions.GetErrorString = [](CUresult e, const char** text) {
    *text = e == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "another error";
    return CUDA_SUCCESS;
  };
  functions.DeviceGetCount = [](int* n) { return *n = fake->devices, CUDA_SUCCESS; };
  functions.DeviceGet = [](CUdevice* d, int i) {
    return *d = i, i < fake->devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  };
  functions.DeviceGetName = [](char* name, int, CUdevice) { return std::strcpy(name, "Fake GPU"), CUDA_SUCCESS; };
  functions.DeviceGetAttribute = attribute;
  functions.DeviceTotalMem = [](size_t* n, CUdevice) { return *n = fake->memory_bytes, CUDA_SUCCESS; };
  functions.DevicePrimaryCtxRetain = [](CUcontext* c, CUdevice d) {
    *c = handle<CUcontext>(0x1000u + static_cast<unsigned>(d));
    return fake->answer("DevicePrimaryCtxRetain");
  };
  functions.CtxGetCurrent = [](CUcontext* c) { return *c = fake->current, CUDA_SUCCESS; };
  functions.CtxSetCurrent = [](CUcontext c) { return fake->current = c, fake->answer("CtxSetCurrent"); };
}

void FakeDriver::copy_memory() {
  functions.MemAlloc = allocate;
  functions.MemFree = free_memory;
  functions.MemGetInfo = [](size_t* free, size_t* total) {
    *total = fake->memory_bytes;
    *free = fake->memory_bytes - fake->used_bytes;
    return CUDA_SUCCESS;
  };
  functions.MemcpyHtoDAsync = [](CUdeviceptr to, const void* from, size_t n, CUstream) {
    return std::memcpy(reinterpret_cast<void*>(to), from, n), fake->answer("MemcpyHtoDAsync");
  };
  functions.MemcpyDtoHAsync = [](void* to, CUdeviceptr from, size_t n, CUstream s) {
    const Lock lock(fake->mutex);
    fake->streams.insert(s);
    return std::memcpy(to, reinterpret_cast<void*>(from), n), fake->answer("MemcpyDtoHAsync");
  };
  functions.MemcpyAsync = [](CUdeviceptr to, CUdeviceptr from, size_t n, CUstream) {
    return std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), n), fake->answer("MemcpyAsync");
  };
  functions.MemsetD8Async = [](CUdeviceptr to, unsigned char value, size_t n, CUstream) {
    return std::memset(reinterpret_cast<void*>(to), value, n), fake->answer("MemsetD8Async");
  };
}

void FakeDriver::load_and_launch() {
  functions.ModuleLoadData = [](CUmodule* m, const void*) {
    return *m = handle<CUmodule>(0x2000), fake->answer("ModuleLoadData");
  };
  functions.ModuleGetFunction = [](CUfunction* f, CUmodule, const char* name) {
    *f = handle<CUfunction>(0x3000);
    return std::strcmp(name, "other") != 0 ? fake->answer("ModuleGetFunction") : CUDA_ERROR_NOT_FOUND;
  };
  functions.FuncGetAttribute = [](int* value, CUfunction_attribute a, CUfunction) {
    *value = a == CU_FUNC_ATTRIBUTE_NUM_REGS ? 40 : a == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? 1024 : 0;
    return CUDA_SUCCESS;
  };
  functions.LaunchKernel = launch;
}

void FakeDriver::order_streams() {
  functions.EventRecord = [](CUevent, CUstream s) {
    const Lock lock(fake->mutex);
    fake->streams.insert(s);
    return fake->answer("EventRecord");
  };
  functions.StreamSynchronize = [](CUstream s) {
    const Lock lock(fake->mutex);
    fake->streams.insert(s);
    fake->waited_for.push_back(s);
    return fake->answer("StreamSynchronize");
  };
  functions.StreamCreate = [](CUstream* s, unsigned) {
    const Lock lock(fake->mutex);
    *s = handle<CUstream>(0x4000u + static_cast<unsigned>(fake->calls["StreamCreate"]));
    return fake->answer("StreamCreate");
  };
  functions.StreamGetCaptureInfo = capture_info;
  functions.StreamBeginCapture = [](CUstream, CUstreamCaptureMode) {
    return fake->capture_id = 77, fake->answer("StreamBeginCapture");
  };
  functions.StreamEndCapture = [](CUstream, CUgraph* g) {
    fake->capture_id = 0;
    return *g = handle<CUgraph>(0x6000), fake->answer("StreamEndCapture");
  };
  functions.ThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode*) { return CUDA_SUCCESS; };
  functions.EventCreate = [](CUevent* e, unsigned) {
    const Lock lock(fake->mutex);
    *e = static_cast<CUevent>(std::malloc(1));
    fake->events.insert(*e);
    return fake->answer("EventCreate");
  };
  functions.EventDestroy = [](CUevent e) {
    const Lock lock(fake->mutex);
    fake->events.erase(e);
    std::free(e);
    return fake->answer("EventDestroy");
  };
  functions.EventQuery = [](CUevent) {
    const CUresult r = fake->answer("EventQuery");
    return r == CUDA_SUCCESS && fake->busy ? CUDA_ERROR_NOT_READY : r;
  };
  functions.EventElapsedTime = [](float* ms, CUevent, CUevent) { return *ms = 1.5f, CUDA_SUCCESS; };
  functions.GraphInstantiateWithFlags = [](CUgraphExec* e, CUgraph, unsigned long long) {
    return *e = handle<CUgraphExec>(0x7000), fake->answer("GraphInstantiateWithFlags");
  };
  functions.UserObjectCreate = [](CUuserObject* o, void* data, CUhostFn destroy, unsigned, unsigned) {
    const Lock lock(fake->mutex);
    fake->user_objects.emplace_back(destroy, data);
    return *o = handle<CUuserObject>(0x8000), fake->answer("UserObjectCreate");
  };
}

FakeDriver::~FakeDriver() {
  for (const auto& [destroy, data] : user_objects) destroy(data);
  fake = nullptr;
}

#undef SINTER_PLAIN

}  // namespace sinter::device::cuda
#endif
