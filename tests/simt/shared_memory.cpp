// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/shared_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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
  if (s.writer.thread < 0) return fmt::format("thread {} reads shared byte {}, which nobody wrote", who.thread, byte);
  if (!ordered(s.writer, who))
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
  if (!ordered(s.writer, who))
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
