// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/device/cuda/context.h"
#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/cuda/cudnn/convolution.h"

namespace sinter::exec {
namespace {

using cudnn::Convolution;

/// cuDNN wants at least two spatial dims.
constexpr size_t least_spatial = 2;

/// A device's handle, which one thread uses at a time, and the plans made for it.
class CudnnDevice {
 public:
  explicit CudnnDevice(int index) : context_(*device::cuda::driver().driver, index) {
    const device::cuda::Context::Guard current(context_);
    const device::cuda::OutsideCapture relaxed(context_.driver());
    cudnn::check(cudnn::library().Create(&handle_), "cudnnCreate");
  }

  /// Throws cudnn::Refusal.
  std::shared_ptr<const Convolution> convolution(const ConvolutionCall& call) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [known, made] : made_)
      if (known == call) return made;
    const device::cuda::Context::Guard current(context_);
    const device::cuda::OutsideCapture relaxed(context_.driver());
    auto made = std::make_shared<const Convolution>(handle_, call);
    if (made_.size() == most_plans) made_.erase(made_.begin());
    made_.emplace_back(call, made);
    return made;
  }

  void run(const Convolution& convolution, std::span<void* const> operands, void* y, void* workspace,
           device::StreamHandle stream) {
    const std::scoped_lock lock(mutex_);
    const device::cuda::Context::Guard current(context_);
    cudnn::check(cudnn::library().SetStream(handle_, static_cast<cudaStream_t>(stream)), "cudnnSetStream");
    convolution.run(handle_, operands, y, workspace);
  }

 private:
  static constexpr size_t most_plans = 256;
  const device::cuda::Context context_;
  cudnnHandle_t handle_ = nullptr;
  std::mutex mutex_;
  std::vector<std::pair<ConvolutionCall, std::shared_ptr<const Convolution>>> made_;
};

class PreparedConvolution final : public PreparedCall {
 public:
  PreparedConvolution(CudnnDevice& device, std::shared_ptr<const Convolution> convolution)
      : device_(device), convolution_(std::move(convolution)) {}
  size_t workspace_bytes() const override { return convolution_->workspace_bytes(); }
  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle stream) const override {
    try {
      device_.run(*convolution_, operands, results[0], workspace, stream);
    } catch (const cudnn::Refusal& e) {
      throw DeviceError(fmt::format("cuDNN: {}", e.what()));
    }
  }

 private:
  CudnnDevice& device_;
  const std::shared_ptr<const Convolution> convolution_;
};

class CudnnProvider final : public Provider {
 public:
  std::string_view name() const override { return "cudnn"; }
  bool serves(std::string_view op, Device device) const override { return device.is_cuda() && is_convolution(op); }

  std::string identity(Device device) const override {
    const std::string why = why_no_device(device);
    return why.empty() ? cudnn::library().text : why;
  }

  std::string why_not(const CallDescription& description, Device device) const override {
    const DType dtype = description.operands[0].dtype;
    if (dtype != f32 && dtype != f16 && dtype != bf16) return fmt::format("not for {}", dtype.name());
    if (std::string why = why_no_device(device); !why.empty()) return why;
    ConvolutionCall call = convolution_call(description, least_spatial);
    if (!call.has_even_padding()) return "padding differs before and after";
    call.alignment = 16;
    if (!is_literal(call)) return {};
    if (call.y.product() == 0) return {};  // never run
    try {
      const bool fused = device_of(device).convolution(call)->is_fused();
      return fused || !call.rectifies ? "" : "no engine rectifies as well";
    } catch (const cudnn::Refusal& e) {
      return e.what();
    }
  }

  std::shared_ptr<const PreparedCall> prepare(const CallDescription& description, Device device) const override {
    const ConvolutionCall call = convolution_call(description, least_spatial);
    try {
      CudnnDevice& d = device_of(device);
      return std::make_shared<PreparedConvolution>(d, d.convolution(call));
    } catch (const cudnn::Refusal& e) {
      throw DeviceError(fmt::format("[{}] cuDNN refuses the call: {}", description.op, e.what()));
    }
  }

 private:
  static std::string why_no_device(Device device) {
    if (!device::backend(device).properties().architecture.starts_with("sm_")) return "not a CUDA GPU";
    return cudnn::library().found ? "" : cudnn::library().text;
  }

  CudnnDevice& device_of(Device device) const {
    const std::scoped_lock lock(mutex_);
    auto& d = devices_[device.index];
    if (!d) d = std::make_unique<CudnnDevice>(device.index);
    return *d;
  }

  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<CudnnDevice>> devices_;
};

}  // namespace

std::unique_ptr<Provider> make_cudnn_provider() { return std::make_unique<CudnnProvider>(); }

}  // namespace sinter::exec
