// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sinter::simt {
namespace {

constexpr int shared_poison = 0xa5;

bool ordered(const Toucher& before, const Toucher& now) {
  if (before.thread < 0 || before.thread == now.thread || before.block_epoch != now.block_epoch) return true;
  return before.thread / 32 == now.thread / 32 && before.warp_epoch != now.warp_epoch;
}

}  // namespace

void SharedMemory::begin_block(std::byte* data, size_t bytes) {
  data_ = data;
  bytes_ = bytes;
  has_turn_ = true;
  if (bytes > 0) std::memset(data_, shared_poison, bytes);
  shadow_.assign(bytes, {});
  copies_.clear();
  words_.clear();
}

std::string SharedMemory::check_place(const void* at, size_t bytes, const char* what) const {
  const ptrdiff_t offset = static_cast<const std::byte*>(at) - data_;
  if (offset < 0 || static_cast<size_t>(offset) + bytes > bytes_)
    return fmt::format("{} of {} bytes at shared offset {} of {}", what, bytes, offset, bytes_);
  if (static_cast<size_t>(offset) % bytes != 0)
    return fmt::format("{} of {} bytes at the misaligned shared offset {}", what, bytes, offset);
  return {};
}

std::string SharedMemory::check_read(size_t byte, const Toucher& who) {
  Shadow& s = shadow_[byte];
  if (s.copied >= 0 && !copies_[static_cast<size_t>(s.copied)].has_waited(who.thread))
    return fmt::format("thread {} reads shared byte {}, for whose copy it did not wait", who.thread, byte);
  if (s.writer.thread < 0) return fmt::format("thread {} reads shared byte {}, which nobody wrote", who.thread, byte);
  if (s.copied < 0 && !ordered(s.writer, who))
    return fmt::format("no barrier between thread {} writing and thread {} reading shared byte {}", s.writer.thread,
                       who.thread, byte);
  const bool first = s.reader.thread < 0 || s.reader.block_epoch != who.block_epoch;
  if (first) {
    s.several_readers = s.several_warps = false;
  } else {
    s.several_readers = s.several_readers || s.reader.thread != who.thread;
    s.several_warps = s.several_warps || s.reader.thread / 32 != who.thread / 32;
  }
  s.reader = who;
  return {};
}

std::string SharedMemory::check_write(size_t byte, const Toucher& who) {
  Shadow& s = shadow_[byte];
  if (s.copied >= 0 && !copies_[static_cast<size_t>(s.copied)].has_waited(who.thread))
    return fmt::format("thread {} writes shared byte {}, for whose copy it did not wait", who.thread, byte);
  if (s.copied < 0 && !ordered(s.writer, who))
    return fmt::format("threads {} and {} both write shared byte {} without a barrier between", s.writer.thread,
                       who.thread, byte);
  if (s.reader.thread >= 0 && s.reader.block_epoch == who.block_epoch) {
    const bool same_warp = s.reader.thread / 32 == who.thread / 32 && !s.several_warps;
    const bool fine =
        same_warp && (s.reader.warp_epoch != who.warp_epoch || (s.reader.thread == who.thread && !s.several_readers));
    if (!fine)
      return fmt::format("no barrier between thread {} reading and thread {} writing shared byte {}", s.reader.thread,
                         who.thread, byte);
  }
  if (s.other_reader == int64_t{who.cluster_epoch})
    return fmt::format("no barrier of the cluster between another block reading and thread {} writing shared byte {}",
                       who.thread, byte);
  s.writer = who;
  s.reader.thread = -1;
  s.copied = -1;
  return {};
}

std::string SharedMemory::expect(void* word, const Toucher& who) {
  const uint64_t count = 1;
  if (std::string wrong = store(word, &count, sizeof count, who); !wrong.empty()) return wrong;
  if (!words_.try_emplace(offset_of(word), static_cast<int>(copies_.size())).second)
    return fmt::format("the word at shared offset {} is made ready twice", offset_of(word));
  copies_.emplace_back();
  return {};
}

std::string SharedMemory::copy(void* to, const std::byte* data, size_t bytes, const void* word, const Toucher& who) {
  const int64_t first = offset_of(to);
  const bool inside = first >= 0 && static_cast<size_t>(first) + bytes <= bytes_;
  if (bytes > 0 && (!inside || first % 16 != 0 || bytes % 16 != 0))
    return fmt::format("a bulk copy of {} bytes to shared offset {} of {}", bytes, first, bytes_);
  const auto at = words_.find(offset_of(word));
  if (at == words_.end() || std::exchange(copies_[static_cast<size_t>(at->second)].asked, true))
    return fmt::format("the word at shared offset {} is not ready for a copy", offset_of(word));
  copies_[static_cast<size_t>(at->second)].bytes = bytes;
  for (size_t b = 0; b < bytes; ++b) {
    if (std::string wrong = check_write(static_cast<size_t>(first) + b, who); !wrong.empty()) return wrong;
    shadow_[static_cast<size_t>(first) + b].copied = at->second;
  }
  if (bytes > 0) std::memcpy(to, data, bytes);
  return {};
}

std::string SharedMemory::await(const void* word, const Toucher& who) {
  uint64_t count = 0;
  if (std::string wrong = load(&count, word, sizeof count, who); !wrong.empty()) return wrong;
  const auto at = words_.find(offset_of(word));
  if (at == words_.end() || !copies_[static_cast<size_t>(at->second)].asked)
    return fmt::format("thread {} waits for a copy that nobody asked for", who.thread);
  std::vector<bool>& waited = copies_[static_cast<size_t>(at->second)].waited;
  waited.resize(std::max(waited.size(), static_cast<size_t>(who.thread) + 1));
  waited[static_cast<size_t>(who.thread)] = true;
  return {};
}

std::string SharedMemory::end_block() const {
  for (const auto& [word, number] : words_)
    if (const Copy& copy = copies_[static_cast<size_t>(number)]; copy.bytes > 0 && copy.waited.empty())
      return fmt::format("a block ends, and nobody waited for the copy whose word is at shared offset {}", word);
  return {};
}

std::string SharedMemory::load(void* to, const void* from, size_t bytes, const Toucher& who) {
  if (std::string wrong = check_place(from, bytes, "a load"); !wrong.empty()) return wrong;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(from) - data_);
  for (size_t b = 0; b < bytes; ++b)
    if (std::string wrong = check_read(offset + b, who); !wrong.empty()) return wrong;
  std::memcpy(to, from, bytes);
  return {};
}

std::string SharedMemory::load_for_other(void* to, const void* from, size_t bytes, const Toucher& who) {
  if (std::string wrong = check_place(from, bytes, "another block's load"); !wrong.empty()) return wrong;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(from) - data_);
  for (size_t b = offset; b < offset + bytes; ++b) {
    Shadow& s = shadow_[b];
    if (s.writer.thread < 0) return fmt::format("another block reads shared byte {}, which nobody wrote", b);
    if (s.writer.cluster_epoch == who.cluster_epoch)
      return fmt::format("no barrier of the cluster between thread {} writing and another block reading shared byte {}",
                         s.writer.thread, b);
    s.other_reader = who.cluster_epoch;
  }
  std::memcpy(to, (has_turn_ ? data_ : left_.data()) + offset, bytes);
  return {};
}

void SharedMemory::leave() {
  left_.assign(data_, data_ + bytes_);
  has_turn_ = false;
}

void SharedMemory::enter() {
  std::ranges::copy(left_, data_);
  has_turn_ = true;
}

std::string SharedMemory::store(void* to, const void* from, size_t bytes, const Toucher& who) {
  if (std::string wrong = check_place(to, bytes, "a store"); !wrong.empty()) return wrong;
  const auto offset = static_cast<size_t>(static_cast<std::byte*>(to) - data_);
  for (size_t b = 0; b < bytes; ++b)
    if (std::string wrong = check_write(offset + b, who); !wrong.empty()) return wrong;
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace sinter::simt
