// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/exec/library/call.h"

namespace sinter::exec {

/// A call made ready for one description on one device: descriptors, the chosen algorithm. Used by many threads.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  virtual size_t workspace_bytes() const { return 0; }
  /// Queues the work on `stream`, which may be being captured: no allocation, nothing that waits. `operands` and
  /// `results` are the addresses of the first elements; `workspace` is 256-byte aligned. On the CPU it computes at
  /// once.
  virtual void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
                   device::StreamHandle stream) const = 0;
};

/// A library that computes calls, or users' own functions. Thread safe.
class Provider {
 public:
  virtual ~Provider() = default;
  /// One word, in plans and explain(): "cublaslt".
  virtual std::string_view name() const = 0;
  /// Does it know the op at all? Cheap: opens no library.
  virtual bool serves(std::string_view op, Device device) const = 0;
  /// Whatever its choices depend on besides the call, for cache keys: the version of the library, or which files were
  /// looked for in vain.
  virtual std::string identity(Device device) const = 0;
  /// Empty if it computes every call of that description (with any strides that the op's rule accepts), else why not.
  /// Same answer for the same identity, device and description.
  virtual std::string why_not(const CallDescription& call, Device device) const = 0;
  /// Throws DeviceError if the library refuses.
  virtual std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device device) const = 0;
};

/// Adds a provider that is asked after those that are there already; it lives for ever.
void register_provider(std::unique_ptr<Provider> provider);
/// In the order in which they are asked; the built-in ones come first.
std::vector<const Provider*> providers();
/// The provider of that name that serves the op there: a library may be several, each for some ops. nullptr: none.
const Provider* find_provider(std::string_view name, std::string_view op, Device device);

}  // namespace sinter::exec
