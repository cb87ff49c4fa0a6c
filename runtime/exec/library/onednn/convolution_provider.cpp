// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/onednn/convolution.h"
#include "runtime/exec/library/onednn/library.h"

namespace sinter::exec {
namespace {

class OnednnConvolutions final : public Provider {
 public:
  std::string_view name() const override { return "onednn"; }
  bool serves(std::string_view op, Device device) const override { return device.is_cpu() && is_convolution(op); }
  std::string identity(Device) const override { return onednn::library().text; }

  /// Its ReLU makes some NaN 0, depending on the layout, so that is left to a generated kernel.
  std::string why_not(const CallDescription& description, Device) const override {
    if (!onednn::library().found) return onednn::library().text;
    const DType dtype = description.operands[0].dtype;
    if (dtype != f32 && dtype != f16 && dtype != bf16) return fmt::format("not for {}", dtype.name());
    const ConvolutionCall call = convolution_call(description, 1);
    if (call.rectifies) return "its ReLU loses NaN";
    if (is_literal(call)) return call.y.product() == 0 ? "" : refusal(call);  // empty ones are never run
    return refusal(example(dtype));
  }

  std::shared_ptr<const PreparedCall> prepare(const CallDescription& description, Device) const override {
    if (auto made = onednn::make_convolution(convolution_call(description, 1))) return made;
    throw DeviceError(fmt::format("[{}] oneDNN {} refuses the call", description.op, onednn::library().text));
  }

 private:
  static std::string refusal(const ConvolutionCall& call) {
    if (onednn::make_convolution(call) != nullptr) return {};
    return fmt::format("version {} has no {} convolution for this CPU", onednn::library().text, call.dtype.name());
  }

  /// Stands for calls of unknown extents: whether the machine computes a dtype does not depend on them.
  static ConvolutionCall example(DType dtype) {
    ConvolutionCall call;
    call.dtype = dtype;
    call.x = call.y = {1, 2, 4, 4};
    call.w = {2, 2, 1, 1};
    call.stride = call.dilation = {1, 1};
    call.before = call.after = {0, 0};
    return call;
  }
};

}  // namespace

std::unique_ptr<Provider> make_onednn_convolution_provider() { return std::make_unique<OnednnConvolutions>(); }

}  // namespace sinter::exec
