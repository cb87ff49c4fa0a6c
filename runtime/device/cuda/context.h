// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/error.h>

#include <mutex>
#include <string>

#include "runtime/device/cuda/driver.h"

namespace sinter::device::cuda {

/// One GPU: its primary context (shared with the CUDA runtime and so with PyTorch), and its health.
class Context {
 public:
  /// Retains the primary context. DeviceError if the device cannot be used.
  Context(const Driver& driver, int index);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }
  CUdevice device() const { return device_; }
  std::string text() const { return "cuda:" + std::to_string(index_); }
  int attribute(CUdevice_attribute attribute) const;

  /// Throws DeviceError if a call failed. After a fault that the context does not survive, the first report is in full;
  /// every later call says that the device is gone.
  void check(CUresult result, const char* call) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, call);
  }
  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
  std::string describe(CUresult result) const;

  /// Makes the context current while alive, and then the caller's again. Where it is current already, as it is in
  /// programs with one GPU, that costs one call into the driver that reads a thread-local variable.
  class Guard {
   public:
    explicit Guard(const Context& context) : context_(context) {
      context.driver_.CtxGetCurrent(&previous_);
      if (previous_ != context.context_) [[unlikely]]
        context.check(context.driver_.CtxSetCurrent(context.context_), "cuCtxSetCurrent");
    }
    ~Guard() {
      if (previous_ != context_.context_ && !context_.stays_current(previous_)) [[unlikely]]
        context_.driver_.CtxSetCurrent(previous_);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    const Context& context_;
    CUcontext previous_ = nullptr;
  };

 private:
  /// A thread without a context means device 0 to the CUDA runtime, so there we may leave ours.
  bool stays_current(CUcontext previous) const { return previous == nullptr && index_ == 0; }
  [[noreturn]] void fail(CUresult result, const char* call) const;

  const Driver& driver_;
  int index_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::string fault_;  ///< what ended the context
};

/// While alive, this thread may call what the driver forbids while any stream is being captured; used around calls that
/// have nothing to do with the captured work.
class OutsideCapture {
 public:
  explicit OutsideCapture(const Driver& driver) : driver_(driver) { driver_.ThreadExchangeStreamCaptureMode(&mode_); }
  ~OutsideCapture() { driver_.ThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCapture(const OutsideCapture&) = delete;
  OutsideCapture& operator=(const OutsideCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace sinter::device::cuda
