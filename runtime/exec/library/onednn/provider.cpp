// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/gemm.h"
#include "runtime/exec/library/onednn/library.h"
#include "runtime/exec/library/onednn/product.h"

namespace sinter::exec {
namespace {

class OneDnn final : public Provider {
 public:
  std::string_view name() const override { return "onednn"; }
  bool serves(std::string_view op, Device device) const override { return op == "gemm" && device.is_cpu(); }
  std::string identity(Device) const override { return onednn::library().text; }

  std::string why_not(const CallDescription& call, Device) const override {
    if (!onednn::library().found) return onednn::library().text;
    if (std::string why = why_no_gemm(call); !why.empty()) return why;
    const auto epilogue = static_cast<GemmEpilogue>(call.words.at(0));
    if (epilogue == GemmEpilogue::relu) return "relu: it turns NaN into 0";
    const DType t = call.operands[0].dtype;
    if (has(t, call.results[0].dtype, call.operands.size() > 2, epilogue)) return {};
    return fmt::format("version {} has no {} products on this CPU", onednn::library().text, t.name());
  }

  std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device) const override {
    if (auto product = onednn::make_product(gemm_of(call))) return product;
    throw DeviceError(fmt::format("oneDNN {} refuses a product that it took when compiling", onednn::library().text));
  }

 private:
  /// Which dtypes there are depends on the instruction set and the version: found out with a small product.
  bool has(DType operands, DType result, bool bias, GemmEpilogue epilogue) const {
    const std::lock_guard lock(mutex_);
    const auto key = std::tuple(operands.name(), result.name(), bias, epilogue);
    const auto [it, added] = known_.try_emplace(key, false);
    if (added) {
      Gemm g;
      g.m = g.n = g.k = 16;
      g.a.leading = g.b.leading = g.d.leading = 16;
      g.operands = operands;
      g.result = result;
      g.bias = bias;
      g.epilogue = epilogue;
      it->second = onednn::make_product(g) != nullptr;
    }
    return it->second;
  }

  mutable std::mutex mutex_;
  mutable std::map<std::tuple<std::string_view, std::string_view, bool, GemmEpilogue>, bool> known_;
};

}  // namespace

std::unique_ptr<Provider> make_onednn_provider() { return std::make_unique<OneDnn>(); }

}  // namespace sinter::exec
