// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

namespace saved {
class Library;
}

/// A saved function, ready to be called; copies share it. All that is needed is the component sinter::runtime: neither
/// a compiler nor the code that built the graph. Calls are safe from any thread.
class Loaded {
 public:
  /// The saved call that these arguments fit, on their device (small CPU tensors move to the device of the others),
  /// asynchronously on the current stream. Its results in the order in which the function returned them, as one flat
  /// list. UserError if no saved call takes the arguments, with what differs from each; DeviceError if the file has no
  /// code for the device, with what it has.
  std::vector<Tensor> operator()(const std::vector<Tensor>& arguments) const { return call(arguments); }
  std::vector<Tensor> call(std::span<const Tensor> arguments) const;
  /// Has the file code for this device? If not, `why_not` says what it has instead.
  bool runs_on(Device device) const { return why_not(device).empty(); }
  std::string why_not(Device device) const;
  /// What the file holds: calls, targets, constants, bytes.
  std::string text() const;
  size_t call_count() const;

 private:
  friend Loaded load(const std::string& path, SourceLine line);
  explicit Loaded(std::shared_ptr<const saved::Library> library) : library_(std::move(library)) {}
  std::shared_ptr<const saved::Library> library_;
};

/// Reads a function that Compiled::save() wrote. The file is checked completely (length, checksum, every index);
/// UserError if it cannot be read, is cut off, changed or of another version. Code is loaded when first called.
Loaded load(const std::string& path, SourceLine line = SourceLine::current());

}  // namespace sinter
#pragma GCC visibility pop
