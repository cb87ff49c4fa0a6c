// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "runtime/device/backend.h"
#include "runtime/exec/plan.h"

namespace sinter::exec {

/// The status word of a call whose kernels check indices: 0, or 1 + the number of the message of the first bad check.
/// On the CPU it is read at once; on CUDA at the next synchronisation of the stream or device (check_pending_status);
/// while the stream is captured never, since nothing runs.
class Status {
 public:
  Status(const Plan& plan, device::Backend& backend, device::StreamHandle stream);
  ~Status();
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  void* word() const { return word_; }
  /// Throws UserError on the CPU if a check failed; on CUDA queues the word to be looked at later.
  void check();

 private:
  const Plan& plan_;
  device::Backend& backend_;
  device::StreamHandle stream_;
  void* word_ = nullptr;
};

/// Called after a stream, or all of a device, was waited for: throws UserError for the first failed check of its calls.
/// Waits for no other stream.
void check_pending_status(Device device, std::optional<device::StreamHandle> stream = std::nullopt);

}  // namespace sinter::exec
