// SPDX-License-Identifier: Apache-2.0
// The hand-written kernels: the CUDA text and the LLVM code of one tile program give the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/cuda_text/device_kernel.h"
#include "tests/cuda_text/samples.h"
#ifdef SINTER_WITH_LLVM
#include "tests/llvm/compiled_kernel.h"
#include "tests/support/approximations.h"
#endif

namespace sinter::cuda::testing {
namespace {

using Bytes = std::vector<unsigned char>;

#ifdef SINTER_WITH_LLVM

/// Contents of the arrays after a run on the host.
std::vector<Bytes> on_host(const llvm_codegen::CompiledKernel& kernel, int64_t grid,
                           const std::vector<Argument>& arguments) {
  // 64-byte aligned, as device memory is at least.
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<std::vector<Line>> arrays;
  std::vector<uint64_t> slots;
  for (const Argument& a : arguments) {
    if (!a.is_array) {
      slots.push_back(a.number);
      continue;
    }
    arrays.emplace_back(a.bytes.size() / 64 + 1);
    std::memcpy(arrays.back().data(), a.bytes.data(), a.bytes.size());
    slots.push_back(reinterpret_cast<uint64_t>(arrays.back().data()));
  }
  kernel.entry()(slots.data(), 0, grid);
  std::vector<Bytes> result;
  size_t next = 0;
  for (const Argument& a : arguments) {
    if (!a.is_array) continue;
    Bytes bytes(a.bytes.size());
    std::memcpy(bytes.data(), arrays[next++].data(), bytes.size());
    result.push_back(std::move(bytes));
  }
  return result;
}

/// Bits, but for what a GPU approximates in softmax.
void expect_same(const Sample& sample, const std::vector<Bytes>& a, const std::vector<Bytes>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (sample.name != "softmax" || !test::approximates(Device::cuda(0))) {
      ASSERT_EQ(a[i], b[i]) << "array " << i;
      continue;
    }
    for (size_t k = 0; k < a[i].size(); k += 4) {
      float x = 0, y = 0;
      std::memcpy(&x, a[i].data() + k, 4);
      std::memcpy(&y, b[i].data() + k, 4);
      ASSERT_NEAR(x, y, 1e-6f * std::fabs(y)) << k / 4;
    }
  }
}

TEST(Samples, AgreeWithTheHost) {
  std::vector<Sample> all = samples();
  std::erase_if(all, [](const Sample& s) { return s.kernel.cluster > 1; });  // not on the host: programs_test.cpp
  std::vector<DeviceKernel> kernels;
  for (const Sample& s : all) kernels.emplace_back(s.kernel);
  for (size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name + "\n" + kernels[i].text().text);
    const llvm_codegen::CompiledKernel host(all[i].kernel);
    for (const std::vector<Argument>& call : all[i].calls) {
      std::vector<Bytes> device;
      ASSERT_NO_THROW(device = run(kernels[i], all[i].grid, call));
      expect_same(all[i], device, on_host(host, all[i].grid, call));
      if (HasFatalFailure()) return;
    }
  }
}

#endif

}  // namespace
}  // namespace sinter::cuda::testing
