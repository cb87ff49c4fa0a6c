// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::device {

/// Captures whose graph is gone, as the driver reports them. It does so from a thread that must not wait for somebody
/// who may be waiting for the driver, so they are only noted, under a lock of their own; a graph may outlive whoever
/// asked.
class GoneGraphs {
 public:
  /// To be called once when the graph of `capture` is gone.
  std::function<void()> reporter(uint64_t capture) const {
    return [list = list_, capture] {
      const std::lock_guard lock(list->mutex);
      list->captures.push_back(capture);
    };
  }
  /// Those reported since the last call.
  std::vector<uint64_t> take() {
    const std::lock_guard lock(list_->mutex);
    return std::exchange(list_->captures, {});
  }

 private:
  struct List {
    std::mutex mutex;
    std::vector<uint64_t> captures;
  };
  std::shared_ptr<List> list_ = std::make_shared<List>();
};

}  // namespace sinter::device
