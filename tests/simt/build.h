// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/simt/block.h"

namespace sinter::simt {

/// A kernel text, and its host function once it is compiled.
struct HostCode {
  std::string text, entry, symbol;
  size_t shared_bytes = 0;
  unsigned cluster = 1;            ///< blocks that run together
  bool shared_is_dynamic = false;  ///< a launch must ask for it
  // set by HostBuilder::ready
  HostKernel kernel = nullptr;
  std::byte* shared = nullptr;
  size_t slots = 0;
};

/// Compiles kernel texts as C++. Texts wait until one of them is needed; then all of them, up to 64, go through one
/// call of the compiler. Results stay in a folder under the hash of the text and of what surrounds it.
class HostBuilder {
 public:
  HostBuilder(std::string folder, HostTable* table);
  HostBuilder(const HostBuilder&) = delete;
  HostBuilder& operator=(const HostBuilder&) = delete;

  std::shared_ptr<HostCode> add(std::string text);
  /// Compiles if need be. CompileError with the compiler's words.
  void ready(const std::shared_ptr<HostCode>& code);

  /// Texts and compiler calls so far, and seconds spent in them.
  std::string report() const;

 private:
  bool open(HostCode& code, const std::string& library);
  void compile(const std::vector<std::shared_ptr<HostCode>>& batch);
  std::string library_of(const HostCode& code) const { return folder_ + "/" + code.symbol + ".so"; }

  std::string folder_;
  HostTable* table_;
  std::vector<std::shared_ptr<HostCode>> waiting_;
  int texts_ = 0, compiled_ = 0, calls_ = 0;
  double seconds_ = 0;
};

}  // namespace sinter::simt
