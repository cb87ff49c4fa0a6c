// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/simt/stream.h"

namespace sinter::simt {
namespace {

constexpr int poison = 0xcb;
constexpr size_t alignment = 256;                     // what cuMemAlloc promises
constexpr size_t largest_watched = size_t{64} << 20;  // stores to larger allocations are not told apart

}  // namespace

void* DeviceMemory::take(size_t bytes) {
  void* block = nullptr;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
}

void DeviceMemory::give_back(void* block, size_t) noexcept { std::free(block); }

uint64_t DeviceMemory::capture(device::StreamHandle stream) {
  const Stream* s = capturing(stream);
  return s != nullptr ? s->capture_number : 0;
}

void DeviceMemory::when_graph_is_gone(device::StreamHandle stream, const std::function<void()>& gone) {
  capturing(stream)->capture->when_gone.push_back(gone);
}

void DeviceMemory::begin(void* address, size_t bytes, bool of_graph) {
  std::memset(address, poison, bytes);
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (const auto before = live_.find(at); of_graph && before != live_.end())
    bytes = std::max(bytes, before->second.bytes);
  live_[at] = {.address = at, .bytes = bytes};
  last_ = nullptr;
}

void DeviceMemory::end(void* address) noexcept {
  live_.erase(reinterpret_cast<uintptr_t>(address));
  last_ = nullptr;
}

void DeviceMemory::begin_launch() { ++launch_; }

DeviceMemory::Allocation* DeviceMemory::find(uintptr_t address) {
  if (last_ != nullptr && address - last_->address < last_->bytes) return last_;
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  Allocation& a = std::prev(after)->second;
  if (address - a.address >= a.bytes) return nullptr;
  return last_ = &a;
}

std::string DeviceMemory::check(const void* at, size_t bytes, const char* what) {
  const auto address = reinterpret_cast<uintptr_t>(at);
  if (address % bytes != 0) return fmt::format("{} of {} bytes at the misaligned address {:#x}", what, bytes, address);
  const Allocation* a = find(address);
  if (a == nullptr || address + bytes > a->address + a->bytes) {
    auto after = live_.upper_bound(address);
    if (after == live_.begin())
      return fmt::format("{} of {} bytes at {:#x}, outside of all memory", what, bytes, address);
    const Allocation& below = std::prev(after)->second;
    return fmt::format("{} of {} bytes at offset {} of an allocation of {}", what, bytes, address - below.address,
                       below.bytes);
  }
  return {};
}

std::string DeviceMemory::load(void* to, const void* from, size_t bytes, bool read_only) {
  if (std::string wrong = check(from, bytes, "a load"); !wrong.empty()) return wrong;
  if (read_only && last_->launch == launch_)
    for (size_t b = 0; b < bytes; ++b)
      if (last_->owners[reinterpret_cast<uintptr_t>(from) - last_->address + b] != 0)
        return fmt::format("a read-only load at offset {} of memory that the launch has written",
                           reinterpret_cast<uintptr_t>(from) - last_->address);
  std::memcpy(to, from, bytes);
  return {};
}

std::string DeviceMemory::check_own(const void* at, size_t bytes, uint32_t block, uint32_t threads_per_block) {
  const auto address = reinterpret_cast<uintptr_t>(at);
  const Allocation* a = find(address);
  if (a == nullptr || a->launch != launch_) return {};
  for (size_t b = 0; b < bytes; ++b)
    if (const uint32_t owner = a->owners[address - a->address + b];
        owner != 0 && (owner - 1) / threads_per_block != block)
      return fmt::format("a load of what block {} stored, before this block met it", (owner - 1) / threads_per_block);
  return {};
}

std::string DeviceMemory::store(void* to, const void* from, size_t bytes, uint32_t thread) {
  if (std::string wrong = check(to, bytes, "a store"); !wrong.empty()) return wrong;
  if (last_->bytes <= largest_watched) {
    if (last_->launch != launch_) last_->owners.assign(last_->bytes, 0);
    last_->launch = launch_;
    const size_t offset = reinterpret_cast<uintptr_t>(to) - last_->address;
    for (size_t b = 0; b < bytes; ++b) {
      uint32_t& owner = last_->owners[offset + b];
      if (owner != 0 && owner != thread + 1)
        return fmt::format("two threads of a launch store at offset {} of an allocation of {}", offset + b,
                           last_->bytes);
      owner = thread + 1;
    }
  }
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace sinter::simt
