// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/cuda_fold.h"

#include <fmt/format.h>

#include <mutex>

#include "runtime/exec/library/fold/row_fold.h"
#include "runtime/exec/library/provider.h"
#include "src/compiler/library_kernel.h"

namespace sinter::compiler {
namespace {

constexpr int threads = 256;

/// A thread has an element of a row. Runs are as long as the data says, and their order is the result's, so nothing
/// within a run is shared out.
constexpr std::string_view text = R"(// Adds source rows, sorted by the row they go to, in their order.
extern "C" __global__ void __launch_bounds__({0}) fold_rows_{1}(
    const {1}* rows, const {1}* source, const long long* order, const long long* sorted, const long long* starts,
    {1}* to, long long elements, long long width, long long count) {{
  const long long i = (long long)blockIdx.x * {0} + threadIdx.x;
  if (i >= elements) return;
  const long long row = i / width, column = i - row * width;
  {1} sum = rows[i];
  for (long long k = starts[row]; k >= 0 && k < count && sorted[k] == row; ++k) sum += source[order[k] * width + column];
  to[i] = sum;
}}
)";

class RowsOnCuda final : public exec::PreparedCall {
 public:
  RowsOnCuda(const exec::RowFold& fold, Device device) : fold_(fold), device_(device) {
    const std::string_view type = fold.dtype == f64 ? "double" : "float";
    function_ = &library_kernel(fmt::format(text, threads, type), fmt::format("fold_rows_{}", type), device);
  }

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle stream) const override {
    const int64_t elements = fold_.rows * fold_.width;
    std::vector<uint64_t> slots;
    for (const void* p : operands) slots.push_back(reinterpret_cast<uint64_t>(p));
    slots.push_back(reinterpret_cast<uint64_t>(results[0]));
    for (const int64_t v : {elements, fold_.width, fold_.count}) slots.push_back(static_cast<uint64_t>(v));
    device::LaunchConfig config;
    config.grid = (elements + threads - 1) / threads;
    config.threads = threads;
    device::backend(device_).launch(*function_, config, slots.data(), slots.size(), stream);
  }

 private:
  exec::RowFold fold_;
  Device device_;
  device::Function* function_ = nullptr;
};

class CudaFolder final : public exec::Provider {
 public:
  std::string_view name() const override { return "fold"; }
  bool serves(std::string_view op, Device device) const override { return op == "fold_rows" && device.is_cuda(); }
  std::string identity(Device) const override { return "1"; }
  std::string why_not(const exec::CallDescription&, Device) const override { return {}; }
  std::shared_ptr<const exec::PreparedCall> prepare(const exec::CallDescription& call, Device device) const override {
    return std::make_shared<RowsOnCuda>(exec::row_fold_of(call), device);
  }
};

}  // namespace

void register_cuda_fold() {
  static std::once_flag once;
  std::call_once(once, [] { exec::register_provider(std::make_unique<CudaFolder>()); });
}

}  // namespace sinter::compiler
