// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/allocator.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/gone_graphs.h"
#include "runtime/device/memory_source.h"

namespace sinter::device {

/// Memory from the program's own allocator, while one is set. It orders memory by streams itself, so blocks go back to
/// it at once, but for two kinds that it cannot know of:
///
/// - a block that work on another stream uses waits until that work is done;
/// - a block that a graph writes to on every replay stays until the graph is gone, is reused within the capture
///   meanwhile, and goes back when all work of the device is waited for: any stream may have replayed it.
///
/// The allocator is called without a lock of ours. Thread safe.
class UserAllocator {
 public:
  explicit UserAllocator(MemorySource& source) : source_(source) {}
  UserAllocator(const UserAllocator&) = delete;
  UserAllocator& operator=(const UserAllocator&) = delete;

  /// Later blocks come from `allocator`; from nobody if it has no functions.
  void set(Allocator allocator);
  /// nullptr if no allocator is set. DeviceError if it has nothing left, also not after empty().
  void* allocate(size_t bytes, StreamHandle stream);
  /// False if the block is none of the program's; so for record_use().
  bool release(void* block) noexcept;
  bool record_use(void* block, StreamHandle stream);
  /// Waits for the device if blocks are held, and gives them back.
  void empty();
  MemoryStats stats() const;

 private:
  struct Block {
    std::shared_ptr<const Allocator> maker;
    void* address;
    size_t bytes;
    StreamHandle stream;
    uint64_t capture = 0;  ///< != 0: a graph's
    bool in_use = true;
    std::vector<StreamHandle> other_uses = {};
  };
  struct Waiting {
    Block block;
    std::vector<EventHandle> marks;
  };

  std::shared_ptr<const Allocator> current() const;
  void* reuse_in_capture(size_t bytes, StreamHandle stream, uint64_t capture);
  void* ask(const std::shared_ptr<const Allocator>& maker, size_t bytes, StreamHandle stream, size_t asked);
  void keep(Block&& block);
  bool release_locked(void* block, std::vector<Block>& finished);
  void release_behind(Block block);
  void collect_gone_graphs();
  void collect_waiting(std::vector<Block>& finished);
  void give_back_finished() noexcept;
  void give_back(const std::vector<Block>& blocks) noexcept;

  MemorySource& source_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Allocator> allocator_;
  std::atomic<bool> active_{false};          ///< an allocator is set
  std::atomic<size_t> outstanding_{0};       ///< blocks in `blocks_`: a release without any need not look
  std::unordered_map<void*, Block> blocks_;  ///< in use, or kept for a graph
  std::vector<Waiting> waiting_;
  std::vector<Block> retired_;  ///< go back with empty()
  GoneGraphs gone_graphs_;
  MemoryStats stats_;
};

}  // namespace sinter::device
