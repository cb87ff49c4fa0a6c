// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/saved.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/exec/executable.h"
#include "runtime/saved/file.h"

namespace sinter::saved {

/// A saved call on one device.
struct ReadyCall {
  std::vector<Tensor> constants;  ///< on the device, by the call's numbering
  std::shared_ptr<const exec::Executable>
      variants[2];  ///< [0] 16-byte aligned inputs, [1] any; loaded when first needed
};

/// A loaded file; code and constants go to a device when a call first needs them there.
class Library {
 public:
  Library(File file, std::string path);

  std::vector<Tensor> call(std::span<const Tensor> arguments) const;
  std::string why_not(Device device) const;
  std::string text() const;
  size_t call_count() const { return file_.calls.size(); }

 private:
  Device device_of(std::span<const Tensor> arguments) const;
  size_t find(std::span<const int64_t> key, size_t argument_count) const;
  ReadyCall& ready(size_t call, Device device) const;
  ReadyCall make_ready(const SavedCall& call, Device device) const;
  const exec::Executable& variant(const SavedCall& call, ReadyCall& ready, bool aligned, Device device) const;
  std::vector<Tensor> run(const SavedCall& call, ReadyCall& ready, std::span<const Tensor> arguments,
                          std::span<const int64_t> key, Device device) const;

  const File file_;
  const std::string path_;
  mutable std::mutex mutex_;                                                    ///< of what follows
  mutable std::map<std::pair<size_t, int>, std::unique_ptr<ReadyCall>> ready_;  ///< by call, and device or -1: CPU
  mutable std::map<std::pair<int32_t, int>, Tensor> constants_;                 ///< by number in the file, device
};

}  // namespace sinter::saved
