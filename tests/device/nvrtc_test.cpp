// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/nvrtc.h"

#include <gtest/gtest.h>
#include <sinter/error.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "runtime/device/cubin.h"

#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc_library.h"

namespace sinter::device::cuda {
namespace {

constexpr const char* axpy = R"(
extern "C" __global__ void __launch_bounds__(256) axpy(float* y, const float* x, unsigned long long n) {
  __shared__ float part[256];
  unsigned long long i = blockIdx.x * 256ull + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.f;
  __syncthreads();
  if (i < n) y[i] += part[threadIdx.x ^ 1] * 2.f;
}
extern "C" __global__ void spilling(float* y, int k) {
  float local[64];
  for (int i = 0; i < 64; ++i) local[i] = y[i];
  for (int i = 0; i < k; ++i) local[(i * 7 + k) % 64] += local[(i * k) % 64];
  for (int i = 0; i < 64; ++i) y[i] = local[i];
}
)";

/// The number that ptxas writes before `unit` in the report of a kernel; 0 if the report has no such unit.
int reported(const std::string& log, const std::string& kernel, const std::string& unit) {
  const size_t begin = log.find("entry function '" + kernel + "'");
  const size_t end = std::min(log.find("entry function '", begin + 1), log.size());
  const size_t at = begin == std::string::npos ? begin : log.find(" " + unit, begin);
  if (at >= end) return 0;
  const size_t number = log.find_last_not_of("0123456789", at - 1) + 1;
  return std::atoi(log.c_str() + number);
}

class Architectures : public testing::TestWithParam<const char*> {};

TEST_P(Architectures, CompileToACubinWhoseResourcesAreWhatPtxasSays) {
  ASSERT_GT(nvrtc_version().version, 0) << nvrtc_version().text;
  std::vector<std::string_view> options(std::begin(strict_options), std::end(strict_options));
  options.insert(options.end(), {"--ptxas-options=-v"});
  const CompileResult result = compile({axpy, "axpy", GetParam(), options});
  for (const char* kernel : {"axpy", "spilling"}) {
    const FunctionInfo info = kernel_resources(result.cubin, kernel);
    ASSERT_GT(reported(result.log, kernel, "registers"), 0) << result.log;
    EXPECT_EQ(info.registers, reported(result.log, kernel, "registers")) << result.log;
    EXPECT_EQ(info.local_bytes, reported(result.log, kernel, "bytes stack frame")) << result.log;
    EXPECT_EQ(info.static_shared_bytes, reported(result.log, kernel, "bytes smem")) << result.log;
  }
  EXPECT_EQ(kernel_resources(result.cubin, "axpy").max_threads, 256);
  EXPECT_EQ(kernel_resources(result.cubin, "axpy").static_shared_bytes, 1024);
  EXPECT_GE(kernel_resources(result.cubin, "spilling").local_bytes, 256);
  EXPECT_GT(result.milliseconds, 0);
  EXPECT_THROW(kernel_resources(result.cubin, "absent"), CompileError);
  for (size_t length = 0; length < result.cubin.size(); length += 97)
    EXPECT_THROW(kernel_resources(std::span(result.cubin).first(length), "axpy"), CompileError);
}

INSTANTIATE_TEST_SUITE_P(Nvrtc, Architectures,
                         testing::Values("sm_80", "sm_86", "sm_87", "sm_89", "sm_90a", "sm_100", "sm_120"));

TEST(Nvrtc, ARefusedTextIsKeptAndItsErrorsSaid) {
  constexpr const char* text = "extern \"C\" __global__ void k(float* y) { y[0] = undeclared; }";
  try {
    compile({text, "broken", "sm_90a", strict_options});
    FAIL() << "no error";
  } catch (const CompileError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("refused kernel broken for sm_90a"), std::string::npos) << what;
    EXPECT_NE(what.find("broken.cu(1)"), std::string::npos) << what;
    EXPECT_NE(what.find("\"undeclared\" is undefined"), std::string::npos) << what;
    const std::string path = error.parts().context.substr(std::string("the text is in ").size());
    std::ifstream in(path);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(in)), {}), text) << path;
    std::filesystem::remove(path);
  }
}

TEST(Nvrtc, AnArchitectureItDoesNotKnowIsADeviceError) {
  try {
    compile({axpy, "axpy", "sm_999", strict_options});
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("does not compile for sm_999"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("sm_90"), std::string::npos) << error.what();
  }
}

TEST(Nvrtc, AnUnknownOptionIsSaid) {
  const std::string_view options[] = {"--no-such-option"};
  EXPECT_THROW(compile({axpy, "axpy", "sm_90a", options}), CompileError);
}

TEST(Nvrtc, ThreadsCompileAtOnce) {
  const CompileResult alone = compile({axpy, "axpy", "sm_90a", strict_options});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] { EXPECT_EQ(compile({axpy, "axpy", "sm_90a", strict_options}).cubin, alone.cubin); });
  for (std::thread& t : threads) t.join();
}

TEST(Nvrtc, AbsenceIsDescribed) {
  const NvrtcResult result = load_nvrtc({"libnvrtc.so.none", "/nowhere/libnvrtc.so"});
  EXPECT_FALSE(result.found);
  EXPECT_EQ(result.text, "NVRTC: tried libnvrtc.so.none: not found, /nowhere/libnvrtc.so: not found");
}

}  // namespace
}  // namespace sinter::device::cuda
#endif
