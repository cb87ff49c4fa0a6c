// SPDX-License-Identifier: Apache-2.0
// A compiled function inside a CUDA program: the program's stream, the program's memory, and a kernel of the program
// before and after it, with no synchronisation between them. Then the same in a graph that the program captures, and
// with the program's memory pool.
#include <fmt/format.h>
#include <sinter/sinter.h>

#include <exception>
#include <string>
#include <vector>

#include "driver.h"

namespace sn = sinter;

namespace {

constexpr int n = 1 << 20;

/// x[i] = i, and total[i] += y[i]: what nvcc makes of two such kernels.
constexpr const char* ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry ramp(.param .u64 x, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f; .reg .b64 %d<4>;
  ld.param.u64 %d0, [x];  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;  mov.u32 %r2, %ntid.x;  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p, %r4, %r0;
  @%p ret;
  cvta.to.global.u64 %d1, %d0;
  mul.wide.s32 %d2, %r4, 4;
  add.s64 %d3, %d1, %d2;
  cvt.rn.f32.s32 %f, %r4;
  st.global.f32 [%d3], %f;
  ret;
}
.visible .entry accumulate(.param .u64 total, .param .u64 y, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %d<7>;
  ld.param.u64 %d0, [total];  ld.param.u64 %d1, [y];  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;  mov.u32 %r2, %ntid.x;  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p, %r4, %r0;
  @%p ret;
  cvta.to.global.u64 %d2, %d0;  cvta.to.global.u64 %d3, %d1;
  mul.wide.s32 %d4, %r4, 4;
  add.s64 %d5, %d2, %d4;  add.s64 %d6, %d3, %d4;
  ld.global.f32 %f0, [%d5];  ld.global.f32 %f1, [%d6];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%d5], %f2;
  ret;
}
)";

/// What the program has without Sinter: a stream, a buffer, two kernels.
struct Program {
  explicit Program(const own_cuda::Driver& d) : cuda(d) {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    own_cuda::check(cuda.device_get(&device, 0), "cuDeviceGet");
    own_cuda::check(cuda.primary_context(&context, device), "cuDevicePrimaryCtxRetain");
    own_cuda::check(cuda.set_context(context), "cuCtxSetCurrent");
    own_cuda::check(cuda.load_module(&module, ptx), "cuModuleLoadData");
    own_cuda::check(cuda.get_function(&ramp, module, "ramp"), "cuModuleGetFunction");
    own_cuda::check(cuda.get_function(&accumulate, module, "accumulate"), "cuModuleGetFunction");
    own_cuda::check(cuda.create_stream(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    own_cuda::check(cuda.allocate(&x, n * sizeof(float)), "cuMemAlloc");
  }
  void produce() {
    int count = n;
    void* arguments[] = {&x, &count};
    launch(ramp, arguments);
  }
  void consume(void* y) {
    int count = n;
    void* arguments[] = {&total, &y, &count};
    launch(accumulate, arguments);
  }
  void launch(CUfunction kernel, void** arguments) {
    own_cuda::check(cuda.launch(kernel, n / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr), "cuLaunchKernel");
  }
  /// The last element that consume() summed up: the only place where the host waits.
  float last() {
    float value = 0;
    own_cuda::check(cuda.copy_to_host(&value, total + (n - 1) * sizeof(float), sizeof value, stream), "cuMemcpyDtoH");
    own_cuda::check(cuda.synchronize(stream), "cuStreamSynchronize");
    return value;
  }

  const own_cuda::Driver& cuda;
  CUfunction ramp = nullptr, accumulate = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr x = 0;
  CUdeviceptr total = 0;  ///< a tensor's memory, to show the other direction
};

void run(const own_cuda::Driver& cuda) {
  Program program(cuda);
  // Work of this thread goes to the program's stream, and x is the program's buffer: nothing is copied.
  const sn::StreamGuard guard(sn::Stream::from_native(program.stream));
  const sn::Tensor x = sn::from_blob(reinterpret_cast<void*>(program.x), {n}, sn::f32, sn::Device::cuda(0));
  auto f = sn::compile([](sn::Tensor t) { return sn::clamp(t / 2 + 1, 0, 1000); }, {.name = "half"});

  const sn::Tensor total = sn::zeros({n}, sn::f32, sn::Device::cuda(0));
  program.total = reinterpret_cast<CUdeviceptr>(total.data_ptr());

  program.produce();
  program.consume(f(x).data_ptr());  // the result may die at once: its memory is in the order of the stream
  program.produce();
  program.consume(f(x).data_ptr());
  fmt::print("two rounds on the program's stream: {}\n", program.last());

  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  own_cuda::check(cuda.begin_capture(program.stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  program.produce();
  program.consume(f(x).data_ptr());
  own_cuda::check(cuda.end_capture(program.stream, &graph), "cuStreamEndCapture");
  own_cuda::check(cuda.instantiate(&exec, graph, 0), "cuGraphInstantiate");
  for (int replay = 0; replay < 3; ++replay) own_cuda::check(cuda.launch_graph(exec, program.stream), "cuGraphLaunch");
  fmt::print("three replays of the program's graph: {}\n", program.last());
  own_cuda::check(cuda.destroy_exec(exec), "cuGraphExecDestroy");
  own_cuda::check(cuda.destroy_graph(graph), "cuGraphDestroy");

  sn::set_allocator(sn::Device::cuda(0),
                    {.allocate = [&](size_t bytes, void* stream) -> void* {
                       CUdeviceptr block = 0;
                       return cuda.allocate_async(&block, bytes, static_cast<CUstream>(stream)) == CUDA_SUCCESS
                                  ? reinterpret_cast<void*>(block)
                                  : nullptr;
                     },
                     .release =
                         [&](void* block, size_t, void* stream) {
                           (void)cuda.free_async(reinterpret_cast<CUdeviceptr>(block), static_cast<CUstream>(stream));
                         }});
  program.consume(f(x).data_ptr());
  sn::reset_allocator(sn::Device::cuda(0));
  fmt::print("once more, with memory of the program's pool: {}\n", program.last());
}

}  // namespace

int main() {
  try {
    const own_cuda::Driver cuda;
    run(cuda);
  } catch (const std::exception& error) {
    if (sn::Device::best().is_cpu()) {
      fmt::print("own_cuda: there is no GPU here ({}), so there is nothing to show\n", error.what());
      return 0;
    }
    fmt::print(stderr, "own_cuda: {}\n", error.what());
    return 1;
  }
  return 0;
}
