// SPDX-License-Identifier: Apache-2.0
// Sorts on the CPU: rows are handed to threads.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/device/cpu/thread_pool.h"
#include "runtime/exec/library/builtin.h"
#include "runtime/exec/library/sort/row_sort.h"

namespace sinter::exec {
namespace {

struct Item {
  uint64_t key;
  int64_t position;
};

constexpr int64_t few = 128;  ///< items that a comparison sort takes less time for

/// Least significant byte first, each pass stable; bytes that all keys share are left out.
void radix_sort(std::vector<Item>& items, std::vector<Item>& other) {
  std::array<std::array<size_t, 256>, 8> counts{};
  for (const Item& i : items)
    for (size_t byte = 0; byte < 8; ++byte) ++counts[byte][i.key >> (8 * byte) & 255];
  other.resize(items.size());
  for (size_t byte = 0; byte < 8; ++byte) {
    std::array<size_t, 256>& starts = counts[byte];
    if (starts[items[0].key >> (8 * byte) & 255] == items.size()) continue;
    size_t next = 0;
    for (size_t& s : starts) next += std::exchange(s, next);
    for (const Item& i : items) other[starts[i.key >> (8 * byte) & 255]++] = i;
    items.swap(other);
  }
}

class HostSort final : public PreparedCall {
 public:
  explicit HostSort(const RowSort& sort) : sort_(sort) {}

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle) const override {
    Rows rows{sort_, static_cast<const std::byte*>(operands[0]), static_cast<int64_t*>(results[0])};
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, sort_.length));
    device::cpu::parallel_for(
        sort_.rows, grain,
        [](void* context, int64_t begin, int64_t end) { static_cast<Rows*>(context)->run(begin, end); }, &rows);
  }

 private:
  struct Rows {
    const RowSort& sort;
    const std::byte* from;
    int64_t* to;

    void run(int64_t begin, int64_t end) const {
      std::vector<Item> items(static_cast<size_t>(sort.length)), other;
      for (int64_t row = begin; row < end; ++row) {
        read(items, from + row * sort.length * sort.dtype.bytes());
        if (sort.length < few)
          std::ranges::stable_sort(items, {}, &Item::key);
        else
          radix_sort(items, other);
        for (size_t i = 0; i < items.size(); ++i) to[row * sort.length + static_cast<int64_t>(i)] = items[i].position;
      }
    }

    void read(std::vector<Item>& items, const std::byte* elements) const {
      const auto bytes = static_cast<size_t>(sort.dtype.bytes());
      for (size_t i = 0; i < items.size(); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, elements + i * bytes, bytes);
        const uint64_t key = sort_key(sort.dtype, bits);
        items[i] = {sort.descending ? ~key : key, static_cast<int64_t>(i)};
      }
    }
  };

  RowSort sort_;
};

class HostSorter final : public Provider {
 public:
  std::string_view name() const override { return "sort"; }
  bool serves(std::string_view op, Device device) const override { return op == "argsort" && device.is_cpu(); }
  std::string identity(Device) const override { return "1"; }
  std::string why_not(const CallDescription&, Device) const override { return {}; }
  std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device) const override {
    return std::make_shared<HostSort>(row_sort_of(call));
  }
};

}  // namespace

std::unique_ptr<Provider> make_host_sort_provider() { return std::make_unique<HostSorter>(); }

}  // namespace sinter::exec
