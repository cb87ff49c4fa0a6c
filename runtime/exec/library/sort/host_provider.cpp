// SPDX-License-Identifier: Apache-2.0
// Sorts on the CPU: rows are handed to threads.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

/// The first of many items, which come by ascending position: those that may be among them are collected, and
/// whenever there are enough, the others go.
class FirstItems {
 public:
  explicit FirstItems(int64_t count) : count_(static_cast<size_t>(count)), most_(2 * count_ + 1024) {}

  void add(const Item& item) {
    if (has_bound_ && item.key >= bound_) return;
    items_.push_back(item);
    if (items_.size() == most_) keep_first();
  }

  /// In their order.
  const std::vector<Item>& take() {
    keep_first();
    std::ranges::sort(items_, is_before);
    has_bound_ = false;
    return items_;
  }
  void clear() { items_.clear(); }

 private:
  static bool is_before(const Item& a, const Item& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  }
  void keep_first() {
    if (items_.size() <= count_) return;
    const auto last = items_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::ranges::nth_element(items_, last, is_before);
    bound_ = last->key;
    has_bound_ = true;
    items_.resize(count_);
  }

  size_t count_, most_;
  std::vector<Item> items_;
  uint64_t bound_ = 0;  ///< later items come after those that are there, unless their keys are less
  bool has_bound_ = false;
};

/// The rows of one call. Elements are their bits, at any address.
template <class Bits>
struct HostRows {
  const RowSort& sort;
  SortKey key;
  const std::byte* from;
  int64_t* to;

  void run(int64_t begin, int64_t end) const {
    if (sort.kept < sort.length / 4)
      select(begin, end);
    else
      sort_whole(begin, end);
  }

  void select(int64_t begin, int64_t end) const {
    FirstItems first(sort.kept);
    for (int64_t row = begin; row < end; ++row) {
      first.clear();
      for (int64_t i = 0; i < sort.length; ++i) first.add(item(row, i));
      write(row, first.take());
    }
  }

  void sort_whole(int64_t begin, int64_t end) const {
    std::vector<Item> items(static_cast<size_t>(sort.length)), other;
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t i = 0; i < sort.length; ++i) items[static_cast<size_t>(i)] = item(row, i);
      if (sort.length < few)
        std::ranges::stable_sort(items, {}, &Item::key);
      else
        radix_sort(items, other);
      write(row, items);
    }
  }

  Item item(int64_t row, int64_t i) const {
    Bits bits = 0;
    std::memcpy(&bits, from + static_cast<size_t>(row * sort.length + i) * sizeof bits, sizeof bits);
    return {key(bits), i};
  }

  void write(int64_t row, const std::vector<Item>& items) const {
    for (int64_t i = 0; i < sort.kept; ++i) to[row * sort.kept + i] = items[static_cast<size_t>(i)].position;
  }
};

class HostSort final : public PreparedCall {
 public:
  explicit HostSort(const RowSort& sort) : sort_(sort) {}

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle) const override {
    switch (sort_.dtype.bytes()) {
      case 1:
        return run_on<uint8_t>(operands[0], results[0]);
      case 2:
        return run_on<uint16_t>(operands[0], results[0]);
      case 4:
        return run_on<uint32_t>(operands[0], results[0]);
      default:
        return run_on<uint64_t>(operands[0], results[0]);
    }
  }

 private:
  template <class Bits>
  void run_on(const void* from, void* to) const {
    HostRows<Bits> rows{sort_, SortKey(sort_.dtype, sort_.descending), static_cast<const std::byte*>(from),
                        static_cast<int64_t*>(to)};
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, sort_.length));
    device::cpu::parallel_for(
        sort_.rows, grain,
        [](void* context, int64_t begin, int64_t end) { static_cast<HostRows<Bits>*>(context)->run(begin, end); },
        &rows);
  }

  RowSort sort_;
};

class HostSorter final : public Provider {
 public:
  std::string_view name() const override { return "sort"; }
  bool serves(std::string_view op, Device device) const override { return is_row_sort(op) && device.is_cpu(); }
  std::string identity(Device) const override { return "1"; }
  std::string why_not(const CallDescription&, Device) const override { return {}; }
  std::shared_ptr<const PreparedCall> prepare(const CallDescription& call, Device) const override {
    return std::make_shared<HostSort>(row_sort_of(call));
  }
};

}  // namespace

std::unique_ptr<Provider> make_host_sort_provider() { return std::make_unique<HostSorter>(); }

}  // namespace sinter::exec
