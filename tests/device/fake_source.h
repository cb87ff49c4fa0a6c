// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runtime/device/memory_source.h"

namespace sinter::device {

inline StreamHandle stream(uintptr_t n) { return reinterpret_cast<StreamHandle>(n); }

/// A device whose streams advance when the test says so.
class FakeSource final : public MemorySource {
 public:
  void* take(size_t bytes) override {
    ++takes;
    if (used + bytes > capacity) return nullptr;
    used += bytes;
    void* block = std::aligned_alloc(64, bytes);
    blocks[block] = bytes;
    return block;
  }
  void give_back(void* block, size_t bytes) noexcept override {
    if (blocks.at(block) != bytes) ++wrong_sizes;
    used -= bytes;
    blocks.erase(block);
    std::free(block);
  }
  std::string device() const override { return "fake:0"; }
  std::string remaining() const override { return "nothing is free"; }
  std::optional<EventHandle> mark(StreamHandle s) override {
    if (!can_mark) return std::nullopt;
    ++live_marks;
    return new std::pair(s, queued[s]);
  }
  bool passed(EventHandle mark) override {
    const auto& [s, n] = *static_cast<std::pair<StreamHandle, int>*>(mark);
    return done[s] >= n;
  }
  void drop(EventHandle mark) noexcept override {
    --live_marks;
    delete static_cast<std::pair<StreamHandle, int>*>(mark);
  }
  void wait_for_all() override {
    ++waits;
    done = queued;
  }
  uint64_t capture(StreamHandle s) override { return captures.contains(s) ? captures[s] : 0; }
  void when_graph_is_gone(StreamHandle, const std::function<void()>& call) override { gone = call; }

  size_t capacity = SIZE_MAX, used = 0;
  int takes = 0, waits = 0, live_marks = 0, wrong_sizes = 0;
  bool can_mark = true;
  std::map<void*, size_t> blocks;
  std::map<StreamHandle, int> queued, done;  ///< work of each stream
  std::map<StreamHandle, uint64_t> captures;
  std::function<void()> gone;
};

}  // namespace sinter::device
