// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/exec/executable.h"
#include "runtime/exec/library/provider.h"

namespace sinter::exec {

/// A call of a plan with its provider. Prepared calls are kept for the shapes that came last, so that the steady state
/// neither chooses an algorithm nor builds descriptors.
class CallStep {
 public:
  /// Throws CompileError if the provider is not there.
  CallStep(const Plan& plan, const CallRef& call);

  /// The call made ready for these symbols and addresses of its operands, then results; nullptr where the results have
  /// no elements. Of an address only its alignment matters.
  std::shared_ptr<const PreparedCall> prepare(std::span<const int64_t> symbols,
                                              std::span<const uint64_t> addresses) const;

 private:
  static constexpr size_t kept = 16;
  using Known = std::pair<CallDescription, std::shared_ptr<const PreparedCall>>;

  CallDescription describe(std::span<const int64_t> symbols, std::span<const uint64_t> addresses) const;
  void fill(CallTensor& tensor, const CallTensorSource& source, std::span<const int64_t> symbols,
            uint64_t address) const;
  std::shared_ptr<const PreparedCall> find(const CallDescription& description) const;

  const Plan& plan_;
  const CallRef& call_;
  const Provider& provider_;
  mutable std::shared_mutex mutex_;  ///< of what follows
  mutable std::array<Known, kept> known_;
  mutable size_t next_ = 0;  ///< which of them is replaced next
};

}  // namespace sinter::exec
