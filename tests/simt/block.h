// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/simt/device_memory.h"
#include "tests/simt/fiber.h"
#include "tests/simt/host_table.h"
#include "tests/simt/shared_memory.h"

namespace sinter::simt {

/// The order in which runnable threads of a block get their turn.
enum class Order : uint8_t { forward, reverse, random };

/// Kernel text as a host function.
using HostKernel = void (*)(const uint64_t* slots);

struct Launch {
  HostKernel kernel = nullptr;
  const uint64_t* slots = nullptr;
  unsigned blocks = 1;
  unsigned threads = 32;
  unsigned cluster = 1;  ///< blocks that run together
  std::byte* shared = nullptr;
  size_t shared_bytes = 0;
  Order order = Order::forward;
  uint64_t seed = 0;  ///< of the random order
};

/// Runs clusters of blocks, one after another, their threads as fibers that change at barriers and shuffles. Checks
/// while it runs: barriers that not all threads reach, shuffles of part of a warp, races on shared memory, accesses
/// outside of allocations, misaligned ones, two threads that store to one place.
class BlockRunner {
 public:
  explicit BlockRunner(DeviceMemory& memory);
  /// Empty, or what went wrong, with block and thread.
  std::string run(const Launch& launch);

  HostTable* table() { return &table_; }

 private:
  enum class State : uint8_t { ready, at_block_barrier, at_warp_barrier, at_shuffle, at_cluster_barrier, ended };
  struct Thread {
    Fiber fiber;
    State state = State::ready;
    int line = 0;         ///< of the barrier
    int is_xor = 0;       ///< kind of the shuffle
    uint32_t rounds = 0;  ///< shuffles so far
    BlockRunner* runner = nullptr;
    unsigned index = 0;          ///< in its block
    bool has_arrived = false;    ///< at the cluster's barrier, and has not waited yet
    uint32_t arrived_epoch = 0;  ///< in which it did
  };
  struct Warp {
    unsigned waiting = 0;
    uint32_t epoch = 0;
    uint32_t values[2][32]{};
  };

  static constexpr unsigned several = ~0u;
  struct Block {
    unsigned number = 0;  ///< in the grid
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    SharedMemory shared;
    uint32_t read_epoch = 0;  ///< of the cluster, in which another block read the memory last
    unsigned at_barrier = 0;
    uint32_t epoch = 0;
    int any[2]{};  ///< of the values at a __syncthreads_or, by epoch
    /// Global memory in the epoch (1 + its number): who stored, `several` if not one thread; who added to a word.
    uint32_t store_epoch = 0, add_epoch = 0, fence_epoch = 0;
    unsigned store_thread = 0, add_thread = 0, fence_thread = 0;
    unsigned ended = 0;       ///< threads
    bool met_others = false;  ///< it added to a word of global memory, then fenced: it may read what others stored
    bool has_ended() const { return ended == threads.size(); }
  };

  static void enter(void* thread);
  void run_cluster(unsigned first);
  void prepare(Block& block, unsigned number);
  bool run_threads(Block& block);
  void take_turn(Block& block);
  void fill_order(std::vector<unsigned>& order, size_t n) const;
  void wait(State state, int line);
  [[noreturn]] void fail(std::string&& what);
  void check(std::string&& wrong) {
    if (!wrong.empty()) fail(std::move(wrong));
  }
  void record_failure(std::string what);
  std::string stuck() const;
  Toucher toucher() const;
  void block_barrier(int line);
  void note_store();
  void note_fence();
  void note_add();
  int block_or(int value, int line);
  void warp_barrier(unsigned mask, int line);
  unsigned shuffle(unsigned mask, unsigned value, int lane, int is_xor);
  void arrive_in_warp(State state, int line);
  void cluster_arrive();
  void cluster_wait();
  void cluster_load(void* to, const void* from, size_t bytes, unsigned block);
  void bulk_copy(void* to, const void* from, int bytes, const void* word);

  DeviceMemory& memory_;
  HostTable table_{};
  FiberStacks stacks_;
  Launch launch_;
  std::vector<Block> blocks_;  ///< of the cluster
  Block* block_ = nullptr;     ///< whose turn it is
  std::vector<unsigned> order_, block_order_;
  std::vector<std::byte> copied_;  ///< by a bulk copy; here, so that a thread that fails owns nothing
  std::mt19937_64 random_;
  Thread* running_ = nullptr;
  size_t at_cluster_barrier_ = 0;
  uint32_t cluster_epoch_ = 1;
  std::string failure_;
};

}  // namespace sinter::simt
