// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/cuda_sort.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/exec/library/provider.h"
#include "runtime/exec/library/sort/row_sort.h"
#include "src/compiler/library_kernel.h"
#include "src/compiler/select_text.h"
#include "src/compiler/sort_text.h"

namespace sinter::compiler {
namespace {

using exec::RowSort;

/// A kernel with how it is launched.
struct Kernel {
  device::Function* function = nullptr;
  int threads = 1;

  template <class Text>
  Kernel(const Text& text, Device device)
      : function(&library_kernel(text.text(), text.entry(), device)), threads(text.threads) {}

  template <class... A>
  void launch(Device device, device::StreamHandle stream, int64_t grid, A... arguments) const {
    const uint64_t slots[] = {slot(arguments)...};
    device::LaunchConfig config;
    config.grid = grid;
    config.threads = threads;
    device::backend(device).launch(*function, config, slots, sizeof...(A), stream);
  }

 private:
  static uint64_t slot(const void* p) { return reinterpret_cast<uint64_t>(p); }
  static uint64_t slot(int64_t v) { return static_cast<uint64_t>(v); }
};

/// Threads and their elements for rows that fit into a block.
SortText block_for(const RowSort& sort) {
  constexpr std::pair<int, int> shapes[] = {{32, 1}, {64, 4}, {128, 8}, {256, 8}, {256, 16}};
  SortText text{SortKernel::row, sort.dtype, sort.descending};
  for (const auto& [threads, items] : shapes) {
    text.threads = threads;
    text.items = items;
    if (text.tile() >= sort.length) break;
  }
  return text;
}

class RowsInBlocks final : public exec::PreparedCall {
 public:
  RowsInBlocks(const RowSort& sort, Device device) : sort_(sort), device_(device), kernel_(block_for(sort), device) {}

  void run(std::span<void* const> operands, std::span<void* const> results, void*,
           device::StreamHandle stream) const override {
    kernel_.launch(device_, stream, sort_.rows, operands[0], results[0], sort_.length, sort_.kept);
  }

 private:
  RowSort sort_;
  Device device_;
  Kernel kernel_;
};

SortText long_text(SortKernel kernel, const RowSort& sort) {
  SortText text{kernel, sort.dtype, sort.descending};
  text.items = static_cast<int>(longest_row(sort.dtype)) / text.threads;
  return text;
}

class LongRows final : public exec::PreparedCall {
 public:
  LongRows(const RowSort& sort, Device device)
      : sort_(sort),
        device_(device),
        count_(long_text(SortKernel::count, sort), device),
        sum_(long_text(SortKernel::sum, sort), device),
        move_(long_text(SortKernel::move, sort), device),
        tiles_((sort.length + longest_row(sort.dtype) - 1) / longest_row(sort.dtype)) {}

  size_t workspace_bytes() const override { return static_cast<size_t>(layout().bytes); }

  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle stream) const override {
    const Layout l = layout();
    auto* const memory = static_cast<std::byte*>(workspace);
    const int64_t passes = sort_.dtype.bytes();
    const void* source = operands[0];
    const void* places = memory + l.places[0];
    for (int64_t pass = 0; pass < passes; ++pass) {
      const bool first = pass == 0, last = pass + 1 == passes;
      std::byte* const keys_to = memory + l.keys[pass % 2];
      std::byte* const places_to = memory + l.places[pass % 2];
      count_.launch(device_, stream, sort_.rows * tiles_, source, memory + l.counts, sort_.length, tiles_, pass * 8,
                    int64_t{first});
      sum_.launch(device_, stream, sort_.rows * 256, memory + l.counts, memory + l.totals, tiles_);
      move_.launch(device_, stream, sort_.rows * tiles_, source, places, memory + l.counts, memory + l.totals, keys_to,
                   places_to, results[0], sort_.length, tiles_, pass * 8, int64_t{first}, int64_t{last}, sort_.kept);
      source = keys_to;
      places = places_to;
    }
  }

 private:
  struct Layout {
    int64_t keys[2], places[2], counts = 0, totals = 0, bytes = 0;
  };

  Layout layout() const {
    Layout l{};
    const auto take = [&](int64_t bytes) { return std::exchange(l.bytes, l.bytes + (bytes + 255) / 256 * 256); };
    const int64_t elements = sort_.rows * sort_.length;
    for (int64_t& k : l.keys) k = take(elements * key_bytes(sort_.dtype));
    for (int64_t& p : l.places) p = take(elements * 4);
    l.counts = take(sort_.rows * 256 * tiles_ * 4);
    l.totals = take(sort_.rows * 256 * 4);
    return l;
  }

  RowSort sort_;
  Device device_;
  Kernel count_, sum_, move_;
  int64_t tiles_;
};

/// The first of rows that are much longer. Of few rows each is in pieces, and what is found in these is searched again.
class FirstOfRows final : public exec::PreparedCall {
 public:
  static bool is_faster(const RowSort& sort) {
    return sort.kept <= most_selected && sort.length >= 1024 && sort.kept <= sort.length / 8;
  }

  FirstOfRows(const RowSort& sort, Device device)
      : sort_(sort),
        device_(device),
        pieces_(pieces(sort, device)),
        kernel_(SelectText{sort.dtype, sort.descending, threads_for(sort.length / pieces_)}, device) {}

  size_t workspace_bytes() const override {
    return pieces_ == 1 ? 0 : static_cast<size_t>(sort_.rows * pieces_ * sort_.kept) * sizeof(int64_t);
  }

  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle stream) const override {
    constexpr const void* all = nullptr;
    void* const found = pieces_ == 1 ? results[0] : workspace;
    kernel_.launch(device_, stream, sort_.rows * pieces_, operands[0], all, found, sort_.length, pieces_, int64_t{0},
                   sort_.kept);
    if (pieces_ > 1)
      kernel_.launch(device_, stream, sort_.rows, operands[0], found, results[0], sort_.length, int64_t{1},
                     pieces_ * sort_.kept, sort_.kept);
  }

 private:
  static constexpr int64_t blocks_together = 4;  ///< on a multiprocessor
  static constexpr int64_t shortest_piece = 8192;

  /// As many as run at once, but what is found in them is no more than a piece.
  static int64_t pieces(const RowSort& sort, Device device) {
    const int64_t at_once = blocks_together * device::backend(device).properties().multiprocessors;
    const auto balanced =
        static_cast<int64_t>(std::sqrt(static_cast<double>(sort.length) / static_cast<double>(sort.kept)));
    return std::max<int64_t>(1, std::min({at_once / sort.rows, balanced, sort.length / shortest_piece}));
  }

  static int threads_for(int64_t length) { return length <= 8192 ? 128 : length <= 16384 ? 256 : 512; }

  RowSort sort_;
  Device device_;
  int64_t pieces_;
  Kernel kernel_;
};

class CudaSorter final : public exec::Provider {
 public:
  std::string_view name() const override { return "sort"; }
  bool serves(std::string_view op, Device device) const override { return exec::is_row_sort(op) && device.is_cuda(); }
  std::string identity(Device) const override { return "1"; }
  std::string why_not(const exec::CallDescription&, Device) const override { return {}; }
  std::shared_ptr<const exec::PreparedCall> prepare(const exec::CallDescription& call, Device device) const override {
    const RowSort sort = exec::row_sort_of(call);
    if (sort.length > std::numeric_limits<int32_t>::max())
      throw UserError(fmt::format("[{}] rows of {} elements; at most 2^31 - 1 are sorted", call.op, sort.length));
    if (FirstOfRows::is_faster(sort)) return std::make_shared<FirstOfRows>(sort, device);
    if (sort.length <= longest_row(sort.dtype)) return std::make_shared<RowsInBlocks>(sort, device);
    return std::make_shared<LongRows>(sort, device);
  }
};

}  // namespace

void register_cuda_sort() {
  static std::once_flag once;
  std::call_once(once, [] { exec::register_provider(std::make_unique<CudaSorter>()); });
}

}  // namespace sinter::compiler
