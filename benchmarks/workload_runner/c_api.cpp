// SPDX-License-Identifier: Apache-2.0
// The workloads behind a C interface, for benchmarks/compare_torch.py: it owns the tensors and passes addresses.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/workload_runner/named_reductions.h"
#include "benchmarks/workload_runner/workload.h"
#include "runtime/device/backend.h"
#include "runtime/device/cuda/nvrtc.h"

namespace {

using sinter::Device;
using sinter::Fusion;
using sinter::Tensor;
using sinter::benchmarks::Arguments;
using sinter::benchmarks::Results;
using sinter::benchmarks::Workload;
using Clock = std::chrono::steady_clock;

thread_local std::string last_error;
thread_local std::vector<Tensor> last_outputs;
Device device = Device::cuda(0);  // of all rows

template <class F>
int guarded(const F& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error = e.what();
    return -1;
  }
}

/// A workload compiled once for each way to fuse it.
struct Row {
  const Workload* workload;
  std::array<sinter::Compiled<std::function<Results(Arguments)>>, 3> ways;  ///< in the order of Fusion
};

Row make_row(const Workload* w) {
  const auto way = [&](Fusion fusion) {
    return sinter::compile(w->run, {.name = w->name, .math = w->math, .fusion = fusion});
  };
  return {w, {way(Fusion::all), way(Fusion::vertical), way(Fusion::none)}};
}

std::vector<Row>& rows() {
  static std::vector<Row> all = [] {
    std::vector<Row> r;
    for (const Workload* w : sinter::benchmarks::workloads()) r.push_back(make_row(w));
    return r;
  }();
  return all;
}

Row& row_at(int row) { return rows()[static_cast<size_t>(row)]; }

std::vector<Tensor> tensors(const Workload& w, void* const* addresses) {
  std::vector<Tensor> t;
  for (size_t i = 0; i < w.inputs.size(); ++i)
    t.push_back(sinter::from_blob(addresses[i], w.inputs[i].shape, w.inputs[i].dtype, device, w.inputs[i].strides));
  return t;
}

std::string words(const sinter::Dims& d) {
  std::string text;
  for (int64_t v : d) text += " " + std::to_string(v);
  return text;
}

/// The generated kernel by itself, compiled from its text.
std::shared_ptr<sinter::device::Module> raw_module(const sinter::KernelExplanation& kernel) {
  sinter::device::Backend& backend = sinter::device::backend(device);
  const auto compiled = sinter::device::cuda::compile(
      {kernel.source, kernel.name, backend.properties().architecture, sinter::device::cuda::strict_options});
  return backend.load(compiled.cubin);
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

extern "C" {

const char* sinter_error() { return last_error.c_str(); }

int sinter_row_count() { return static_cast<int>(rows().size()); }

/// "cpu", else the GPU, where rows run that are called from now on.
void sinter_use_device(const char* name) { device = std::string_view(name) == "cpu" ? Device::cpu() : Device::cuda(0); }

/// One more row: a reduction (named_reductions.h) of inputs that are written as sinter_row_input writes them, with ";"
/// between. Its number, or -1.
int sinter_add_reduction(const char* name, const char* reduction, int64_t dim, const char* inputs) {
  static std::list<Workload> added;
  return guarded([&] {
    rows();  // those that are linked in come first
    added.emplace_back(name, sinter::benchmarks::parse_inputs(inputs),
                       sinter::benchmarks::named_reduction(reduction, dim));
    rows().push_back(make_row(&added.back()));
    return sinter_row_count() - 1;
  });
}

const char* sinter_row_name(int row) { return row_at(row).workload->name.c_str(); }

int sinter_row_input_count(int row) { return static_cast<int>(row_at(row).workload->inputs.size()); }

/// "f16|4096 8192|1 4096|-2 2": dtype, shape, strides (none: row-major), range of values.
const char* sinter_row_input(int row, int input) {
  static thread_local std::string text;
  const sinter::benchmarks::Input& in = row_at(row).workload->inputs[static_cast<size_t>(input)];
  text = std::string(in.dtype.name()) + "|" + words(in.shape) + "|" + words(in.strides) + "|" + std::to_string(in.low) +
         " " + std::to_string(in.high);
  return text.c_str();
}

/// Gives memory that no result holds back to the driver: the other contestants need it.
int sinter_release_memory() {
  return guarded([] {
    last_outputs.clear();
    sinter::empty_cache(device);
    return 0;
  });
}

/// Runs a row, fused in one of three ways (in the order of Fusion), on a stream; the number of its outputs, which are
/// valid until the next call on this thread, or -1.
int sinter_row_run(int row, int way, void* const* addresses, void* stream) {
  return guarded([&] {
    Row& r = row_at(row);
    const sinter::StreamGuard guard(device.is_cpu() ? sinter::current_stream(device)
                                                    : sinter::Stream::from_native(stream));
    last_outputs = r.ways[static_cast<size_t>(way)](tensors(*r.workload, addresses));
    return static_cast<int>(last_outputs.size());
  });
}

/// What sinter::benchmark() says, as JSON: first calls, launches, phases. Empty on failure (sinter_error).
const char* sinter_row_benchmark(int row, void* const* addresses, int rounds) {
  static thread_local std::string text;
  text.clear();
  guarded([&] {
    const Row& r = row_at(row);
    text = sinter::benchmarks::json(sinter::benchmark(r.ways[0], {.rounds = rounds}, tensors(*r.workload, addresses)));
    return 0;
  });
  return text.c_str();
}

void* sinter_output_address(int output) { return last_outputs[static_cast<size_t>(output)].data_ptr(); }

/// dtype name and shape ("f16 32 3 224 224") of an output of the last run.
const char* sinter_output_type(int output) {
  static thread_local std::string text;
  const Tensor& t = last_outputs[static_cast<size_t>(output)];
  text = std::string(t.dtype().name()) + words(t.shape());
  return text.c_str();
}

/// "802816 1 14336 256": strides of an output of the last run, in elements.
const char* sinter_output_strides(int output) {
  static thread_local std::string text;
  text = words(last_outputs[static_cast<size_t>(output)].strides());
  return text.c_str();
}

const char* sinter_row_explain(int row, void* const* addresses) {
  static thread_local std::string text;
  guarded([&] {
    Row& r = row_at(row);
    const sinter::Explanation e = r.ways[0].explain(tensors(*r.workload, addresses));
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
    const Tensor x = sinter::full({128}, 1.0, sinter::f32, device);
    sinter::device::Backend& backend = sinter::device::backend(device);
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
