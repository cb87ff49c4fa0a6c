// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/workload_runner/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "src/reference/array.h"
#include "src/tensor/impl.h"

namespace sinter::benchmarks {
namespace {

std::vector<const Workload*>& registered() {
  static std::vector<const Workload*> all;
  return all;
}

/// Elements from the first to the last that the strides reach.
int64_t span_of(const Input& in) {
  const Dims strides = in.strides.empty() ? tensor::contiguous_strides(in.shape) : in.strides;
  int64_t last = 0;
  for (size_t d = 0; d < in.shape.size(); ++d) last += (in.shape[d] - 1) * strides[d];
  return last + 1;
}

/// A period of random values, repeated: making all of them random would take longer than the benchmark.
Tensor random_values(const Input& in, int64_t count, std::mt19937& random) {
  constexpr int64_t period = (1 << 20) - 3;
  std::uniform_real_distribution<float> value(static_cast<float>(in.low), static_cast<float>(in.high));
  std::vector<double> values(static_cast<size_t>(std::min(count, period)));
  for (double& v : values) v = in.dtype.is_boolean() ? static_cast<double>(random() & 1) : value(random);
  // By the interpreter's arrays: machines without a code generator for their CPU have the same.
  const auto some = reference::Array::of(in.dtype, {static_cast<int64_t>(values.size())}, values);
  const Tensor all = tensor::empty({count}, in.dtype, Device::cpu());
  const auto bytes = static_cast<size_t>(in.dtype.bytes());
  for (int64_t i = 0; i < count; i += period)
    std::memcpy(static_cast<char*>(all.data_ptr()) + static_cast<size_t>(i) * bytes, some.data.data(),
                static_cast<size_t>(std::min(period, count - i)) * bytes);
  return all;
}

}  // namespace

Workload::Workload(std::string n, std::vector<Input> in, std::function<Results(Arguments)> f, Math m)
    : name(std::move(n)), inputs(std::move(in)), run(std::move(f)), math(m) {
  auto& all = registered();
  all.insert(std::ranges::upper_bound(all, name, {}, &Workload::name), this);
}

const std::vector<const Workload*>& workloads() { return registered(); }

std::vector<Tensor> make_arguments(const Workload& w, Device device) {
  std::mt19937 random(1);
  std::vector<Tensor> arguments;
  for (const Input& in : w.inputs) {
    const Tensor values = to(random_values(in, span_of(in), random), device);
    arguments.push_back(tensor::make_tensor(values.impl()->storage, in.dtype, in.shape,
                                            in.strides.empty() ? tensor::contiguous_strides(in.shape) : in.strides));
  }
  return arguments;
}

std::string json(const BenchmarkResult& r) {
  std::string ways;
  for (const BenchmarkWay& w : r.ways)
    ways += fmt::format(
        "{}{{\"name\": \"{}\", \"cold_ms\": {:.3f}, \"disk_ms\": {:.3f}, \"passes_ms\": {:.3f}, \"text_ms\": {:.3f}, "
        "\"machine_ms\": {:.3f}, \"load_ms\": {:.3f}, \"steady_us\": {:.3f}, \"p10_us\": {:.3f}, \"p90_us\": {:.3f}, "
        "\"host_us\": {:.3f}, \"of_copy\": {:.4f}, \"launches\": {}, \"captured_kernels\": {}}}",
        ways.empty() ? "" : ", ", w.name, w.cold_ms, w.disk_ms, w.cold_compile.passes_ms, w.cold_compile.text_ms,
        w.cold_compile.machine_ms, w.cold_compile.load_ms, w.device.median, w.device.p10, w.device.p90, w.host.median,
        w.of_copy, w.launches, w.captured);
  return fmt::format(
      "{{\"name\": \"{}\", \"device\": \"{}\", \"argument_bytes\": {}, \"result_bytes\": {}, "
      "\"copy_us\": {:.3f}, \"ways\": [{}]}}",
      r.name, r.device, r.argument_bytes, r.result_bytes, r.copy.median, ways);
}

std::string csv_titles() {
  return "workload,device,bytes,way,cold_ms,disk_ms,steady_us,p10_us,p90_us,host_us,copy_us,launches,captured_"
         "kernels\n";
}

std::string csv(const BenchmarkResult& r) {
  std::string rows;
  for (const BenchmarkWay& w : r.ways)
    rows += fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{},{}\n", r.name, r.device,
                        r.argument_bytes + r.result_bytes, w.name, w.cold_ms, w.disk_ms, w.device.median, w.device.p10,
                        w.device.p90, w.host.median, r.copy.median, w.launches, w.captured);
  return rows;
}

}  // namespace sinter::benchmarks
