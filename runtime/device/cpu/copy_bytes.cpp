// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/copy_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/device/cpu/thread_pool.h"

namespace sinter::device::cpu {
namespace {

constexpr size_t part_bytes = size_t{1} << 20;
constexpr size_t long_bytes = 4 * part_bytes;  ///< below it one thread is as fast

struct Copy {
  char* to;
  const char* from;
  size_t bytes;
};

void copy_parts(void* context, int64_t begin, int64_t end) {
  const Copy& c = *static_cast<const Copy*>(context);
  const size_t first = static_cast<size_t>(begin) * part_bytes;
  const size_t last = std::min(static_cast<size_t>(end) * part_bytes, c.bytes);
  std::memcpy(c.to + first, c.from + first, last - first);
}

}  // namespace

void copy_bytes(void* to, const void* from, size_t bytes) {
  Copy c{static_cast<char*>(to), static_cast<const char*>(from), bytes};
  const auto a = reinterpret_cast<uintptr_t>(to), b = reinterpret_cast<uintptr_t>(from);
  const bool overlap = a < b + bytes && b < a + bytes;
  if (bytes < long_bytes || overlap) {
    std::memmove(to, from, bytes);
    return;
  }
  parallel_for(static_cast<int64_t>((bytes + part_bytes - 1) / part_bytes), 1, copy_parts, &c);
}

}  // namespace sinter::device::cpu
