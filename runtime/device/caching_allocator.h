// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/gone_graphs.h"
#include "runtime/device/memory_source.h"
#include "runtime/device/size_class.h"

namespace sinter::device {

/// Keeps released blocks and hands them out again in the order of streams, so that the steady state asks the device for
/// nothing.
///
/// - A block released on a stream is free for the same stream at once: what uses it next is queued behind.
/// - For another stream it is free when everything queued at the time of asking has run; nobody waits for that, the
///   allocator asks for new memory meanwhile.
/// - Memory allocated on a stream that is being captured belongs to the graph: within the capture it is reused, outside
///   it is not until the graph is gone.
/// - When the device has nothing left: wait for it, give everything cached back, try once more, then DeviceError.
///
/// Thread safe.
class CachingAllocator {
 public:
  /// `cache_limit`: more cached bytes than this and the cache is given back first.
  explicit CachingAllocator(MemorySource& source, size_t cache_limit = SIZE_MAX);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  void* allocate(size_t bytes, StreamHandle stream);
  /// `bytes` and `stream` as they were asked for.
  void release(void* block, size_t bytes, StreamHandle stream) noexcept;
  /// See Backend::record_use.
  void record_use(void* block, StreamHandle stream);
  /// The handle will come to mean another stream, or nothing: blocks cached for it become any stream's once what is
  /// queued on it has run.
  void forget(StreamHandle stream);
  /// Waits for the device and gives back everything that is cached.
  void empty();
  MemoryStats stats() const;

 private:
  using Bins = std::array<std::vector<void*>, SizeClass::count>;

  struct StreamBins {
    StreamHandle stream;
    Bins bins;
  };
  /// Released, but still used by work behind these marks.
  struct Waiting {
    void* block;
    SizeClass size;
    std::vector<EventHandle> marks;
  };
  /// A block that a graph writes to on every replay.
  struct GraphBlock {
    uint64_t capture;
    SizeClass size;
    StreamHandle stream;
    bool in_use;
  };
  struct Block {
    void* address;
    size_t bytes;
  };

  Bins& bins_of(StreamHandle stream);
  void* reuse(const SizeClass& size, StreamHandle stream);
  void* reuse_from_others(const SizeClass& size, StreamHandle stream);
  void collect_waiting();
  void* take(const SizeClass& size, size_t asked);
  void* allocate_for_graph(const SizeClass& size, size_t asked, StreamHandle stream, uint64_t capture);
  bool release_to_graph(void* block);
  void collect_gone_graphs();
  void release_behind(void* block, const SizeClass& size, std::span<const StreamHandle> streams);
  void release_outside_graph(void* block, const SizeClass& size, StreamHandle stream);
  void give_back_all();
  void give_back(Bins& bins);
  void give_back_retired();
  void give_back(const Block& block);
  void count_allocation(const SizeClass& size);

  MemorySource& source_;
  const size_t cache_limit_;
  mutable std::mutex mutex_;
  MemoryStats stats_;
  std::vector<std::unique_ptr<StreamBins>> streams_;
  std::unique_ptr<Bins> idle_ = std::make_unique<Bins>();  ///< free for every stream
  std::vector<Waiting> waiting_;
  std::vector<Block> retired_;  ///< of gone graphs: may be in use on any stream, only good to be given back
  std::unordered_map<void*, std::vector<StreamHandle>> other_uses_;
  std::unordered_map<void*, GraphBlock> graph_blocks_;
  GoneGraphs gone_graphs_;
};

}  // namespace sinter::device
