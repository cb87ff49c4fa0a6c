// SPDX-License-Identifier: Apache-2.0
// The rows behind a C interface, for benchmarks/compare_torch.py: it owns the tensors and passes addresses.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/rows/rows.h"
#include "runtime/device/backend.h"
#include "runtime/device/cuda/nvrtc.h"

namespace {

using sinter::Tensor;
using Clock = std::chrono::steady_clock;

thread_local std::string last_error;
thread_local Tensor last_output;

template <class F>
int guarded(const F& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error = e.what();
    return -1;
  }
}

std::vector<Tensor> tensors(const sinter::benchmarks::Row& row, void* const* addresses) {
  std::vector<Tensor> t;
  for (size_t i = 0; i < row.arguments.size(); ++i)
    t.push_back(sinter::from_blob(addresses[i], row.arguments[i].shape, row.arguments[i].dtype, sinter::Device::cuda(0),
                                  row.arguments[i].strides));
  return t;
}

/// The generated kernel by itself, compiled from its text.
std::shared_ptr<sinter::device::Module> raw_module(const sinter::KernelExplanation& kernel) {
  sinter::device::Backend& backend = sinter::device::backend(sinter::Device::cuda(0));
  const auto compiled = sinter::device::cuda::compile(
      {kernel.source, kernel.name, backend.properties().architecture, sinter::device::cuda::strict_options});
  return backend.load(compiled.cubin);
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

extern "C" {

const char* sinter_error() { return last_error.c_str(); }

int sinter_row_count() { return static_cast<int>(sinter::benchmarks::rows().size()); }

const char* sinter_row_name(int row) { return sinter::benchmarks::rows()[static_cast<size_t>(row)].name.c_str(); }

/// Runs a row on a stream; returns the address of its output, valid until the next call on this thread.
void* sinter_row_run(int row, void* const* addresses, void* stream) {
  void* result = nullptr;
  guarded([&] {
    const auto& r = sinter::benchmarks::rows()[static_cast<size_t>(row)];
    const sinter::StreamGuard guard(sinter::Stream::from_native(stream));
    last_output = r.call(tensors(r, addresses));
    result = last_output.data_ptr();
    return 0;
  });
  return result;
}

/// dtype name and shape ("f16 32 3 224 224") of the last output.
const char* sinter_output_type() {
  static thread_local std::string text;
  text = std::string(last_output.dtype().name());
  for (int64_t d : last_output.shape()) text += " " + std::to_string(d);
  return text.c_str();
}

/// "802816 1 14336 256": strides of the last output in elements.
const char* sinter_output_strides() {
  static thread_local std::string text;
  text.clear();
  for (int64_t s : last_output.strides()) text += (text.empty() ? "" : " ") + std::to_string(s);
  return text.c_str();
}

const char* sinter_row_explain(int row, void* const* addresses) {
  static thread_local std::string text;
  guarded([&] {
    const auto& r = sinter::benchmarks::rows()[static_cast<size_t>(row)];
    const sinter::Explanation e = r.explain(tensors(r, addresses));
    text = std::to_string(e.kernels().size()) + "\n" + e.text();
    for (const auto& k : e.kernels()) text += k.source;
    return 0;
  });
  return text.c_str();
}

/// Host microseconds of a hot call of relu(x + 1) * 2 on 128 elements, and of a raw launch of its kernel.
int sinter_tiny_call(double* call_us, double* raw_us) {
  return guarded([&] {
    auto op = sinter::compile([](const Tensor& x) { return sinter::relu(x + 1) * 2; }, {.name = "tiny"});
    const Tensor x = sinter::full({128}, 1.0, sinter::f32, sinter::Device::cuda(0));
    sinter::device::Backend& backend = sinter::device::backend(sinter::Device::cuda(0));
    for (int i = 0; i < 100; ++i) op(x);
    backend.synchronize(nullptr);
    constexpr int n = 500, rounds = 21;
    std::vector<double> calls, raws;
    const sinter::Explanation e = op.explain(x);
    const auto module = raw_module(e.kernels().at(0));
    sinter::device::Function* function = module->function(e.kernels()[0].name);
    Tensor y = op(x);
    uint64_t slots[2] = {reinterpret_cast<uint64_t>(x.data_ptr()), reinterpret_cast<uint64_t>(y.data_ptr())};
    for (int r = 0; r < rounds; ++r) {
      auto begin = Clock::now();
      for (int i = 0; i < n; ++i) op(x);
      calls.push_back(seconds_since(begin) / n * 1e6);
      backend.synchronize(nullptr);
      begin = Clock::now();
      for (int i = 0; i < n; ++i) backend.launch(*function, {1, e.kernels()[0].threads, 0}, slots, 2, nullptr);
      raws.push_back(seconds_since(begin) / n * 1e6);
      backend.synchronize(nullptr);
    }
    std::nth_element(calls.begin(), calls.begin() + rounds / 2, calls.end());
    std::nth_element(raws.begin(), raws.begin() + rounds / 2, raws.end());
    *call_us = calls[rounds / 2];
    *raw_us = raws[rounds / 2];
    return 0;
  });
}

}  // extern "C"
