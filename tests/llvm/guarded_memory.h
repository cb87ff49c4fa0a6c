// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace sinter::llvm_codegen {

/// Memory with an unmapped page on each side: an access outside faults. The bytes end where the page behind begins, or
/// begin where the page before ends.
class GuardedMemory {
 public:
  enum class Flush { end, begin };

  GuardedMemory(size_t bytes, Flush flush = Flush::end) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t inner = (bytes + page - 1) / page * page;
    mapped_ = inner + 2 * page;
    void* p = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(p);
    if (inner > 0 && mprotect(map_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = flush == Flush::end ? map_ + page + inner - bytes : map_ + page;
  }
  ~GuardedMemory() { munmap(map_, mapped_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte *map_, *data_;
  size_t bytes_, mapped_;
};

}  // namespace sinter::llvm_codegen
