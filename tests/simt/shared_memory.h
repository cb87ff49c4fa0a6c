// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::simt {

/// Who accesses shared memory, and what they were last ordered by: numbers of the barriers that were passed.
struct Toucher {
  int thread = -1;
  uint32_t block_epoch = 0;
  uint32_t warp_epoch = 0;
  uint32_t cluster_epoch = 0;
};

/// The shared memory of a block: poisoned at its start, bounded, and watched for races. Two accesses to a byte by two
/// threads, one of them a write, need a barrier of the block between them, or one of the warp if both are in it; where
/// one is a thread of another block, one of the cluster.
class SharedMemory {
 public:
  void begin_block(std::byte* data, size_t bytes);
  /// Both give a description of what is wrong, or an empty text.
  std::string load(void* to, const void* from, size_t bytes, const Toucher& who);
  std::string store(void* to, const void* from, size_t bytes, const Toucher& who);
  /// For a thread of another block, which names the place in its own memory.
  std::string load_for_other(void* to, const void* from, size_t bytes, const Toucher& who);
  /// Blocks of a cluster take turns with one piece of memory.
  void leave();
  void enter();

 private:
  struct Shadow {
    Toucher writer, reader;
    bool several_readers = false;  ///< since the last block barrier, in the reader's warp
    bool several_warps = false;    ///< the same, in several warps
    int64_t other_reader = -1;     ///< cluster epoch in which another block read it last
  };
  std::string check_place(const void* at, size_t bytes, const char* what) const;
  std::string check_read(size_t byte, const Toucher& who);
  std::string check_write(size_t byte, const Toucher& who);

  std::byte* data_ = nullptr;
  std::vector<std::byte> left_;  ///< the content while another block has its turn
  bool has_turn_ = true;
  size_t bytes_ = 0;
  std::vector<Shadow> shadow_;
};

}  // namespace sinter::simt
