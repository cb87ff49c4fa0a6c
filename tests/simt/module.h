// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/device/backend.h"
#include "tests/simt/build.h"

namespace sinter::simt {

class SimtFunction final : public device::Function {
 public:
  SimtFunction(HostBuilder& builder, std::shared_ptr<HostCode> code) : builder_(builder), code_(std::move(code)) {}
  device::FunctionInfo info() const override {
    const size_t declared = code_->shared_is_dynamic ? 0 : code_->shared_bytes;
    return {.registers = 32, .static_shared_bytes = static_cast<int>(declared), .max_threads = 1024};
  }
  /// Compiles the text if that has not been done.
  const HostCode& code() {
    builder_.ready(code_);
    return *code_;
  }
  const std::string& text() const { return code_->text; }

 private:
  HostBuilder& builder_;
  std::shared_ptr<HostCode> code_;
};

/// The image of a module is the CUDA text itself.
class SimtModule final : public device::Module {
 public:
  SimtModule(HostBuilder& builder, std::string text) : function_(builder, code_ = builder.add(std::move(text))) {}
  device::Function* function(const std::string& name) override {
    if (name != code_->entry) throw CompileError("simt: the text has no kernel " + name);
    return &function_;
  }

 private:
  std::shared_ptr<HostCode> code_;
  SimtFunction function_;
};

}  // namespace sinter::simt
