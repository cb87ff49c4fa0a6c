// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/cuda/cublaslt/library.h"
#include "runtime/exec/library/cuda/cublaslt/product.h"
#include "runtime/exec/library/gemm.h"

namespace sinter::exec {
namespace {

class CublasLt final : public Provider {
 public:
  std::string_view name() const override { return "cublaslt"; }
  bool serves(std::string_view op, Device device) const override { return op == "gemm" && device.is_cuda(); }
  std::string identity(Device) const override { return cublaslt::library().text; }

  std::string why_not(const CallDescription& call, Device device) const override {
    // Code may be generated where there is no GPU, and an emulator is a CUDA device without a driver.
    if (!device::available(device) || !device::backend(device).properties().architecture.starts_with("sm_"))
      return "no GPU";
    if (!cublaslt::library().found) return cublaslt::library().text;
    // Which kernel runs is the heuristic's choice; those of f16 and bf16 keep NaN (special_values in tests/linalg).
    if (static_cast<GemmEpilogue>(call.words.at(0)) == GemmEpilogue::relu && call.results[0].dtype == f32)
      return "relu of f32: some of its kernels turn NaN into 0";
    return why_no_gemm(call);
  }

  std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device device) const override {
    return cublaslt::prepare_product(gpu(device.index), call);
  }

 private:
  const cublaslt::Gpu& gpu(int index) const {
    const std::lock_guard lock(mutex_);
    auto& slot = gpus_.at(static_cast<size_t>(index));
    if (!slot) slot = std::make_unique<cublaslt::Gpu>(index);
    return *slot;
  }

  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<cublaslt::Gpu>, 64> gpus_;
};

}  // namespace

std::unique_ptr<Provider> make_cublaslt_provider() { return std::make_unique<CublasLt>(); }

}  // namespace sinter::exec
