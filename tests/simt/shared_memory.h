// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  /// A word is made ready, once, for one copy that goes on beside the threads; one asks for it; a thread reads what was
  /// copied only after it waited at the word, and the word itself only behind a barrier.
  std::string expect(void* word, const Toucher& who);
  std::string copy(void* to, const std::byte* data, size_t bytes, const void* word, const Toucher& who);
  std::string await(const void* word, const Toucher& who);
  /// Before the block ends: somebody must have seen each copy arrive.
  std::string end_block() const;
  /// Blocks of a cluster take turns with one piece of memory.
  void leave();
  void enter();

 private:
  struct Shadow {
    Toucher writer, reader;
    bool several_readers = false;  ///< since the last block barrier, in the reader's warp
    bool several_warps = false;    ///< the same, in several warps
    int64_t other_reader = -1;     ///< cluster epoch in which another block read it last
    int copied = -1;               ///< the copy that brought it
  };
  struct Copy {
    bool asked = false;
    size_t bytes = 0;
    std::vector<bool> waited = {};  ///< by thread
    bool has_waited(int thread) const {
      return static_cast<size_t>(thread) < waited.size() && waited[static_cast<size_t>(thread)];
    }
  };
  std::string check_place(const void* at, size_t bytes, const char* what) const;
  int64_t offset_of(const void* at) const { return static_cast<const std::byte*>(at) - data_; }
  std::string check_read(size_t byte, const Toucher& who);
  std::string check_write(size_t byte, const Toucher& who);

  std::byte* data_ = nullptr;
  std::vector<std::byte> left_;  ///< the content while another block has its turn
  bool has_turn_ = true;
  size_t bytes_ = 0;
  std::vector<Shadow> shadow_;
  std::vector<Copy> copies_;
  std::map<int64_t, int> words_;  ///< copy by the word's offset
};

}  // namespace sinter::simt
