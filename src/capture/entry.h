// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exec/executable.h"
#include "src/graph/graph.h"

namespace sinter::capture {

/// A compiled variant of a region: guards over the call's key, and what runs when they hold. Immutable once published,
/// but for kernel variants by alignment, which are added when first needed.
struct Entry {
  std::vector<int64_t> expected;
  std::vector<int64_t> mask;                       ///< all ones where static, 0 where a symbol stands
  std::vector<int32_t> extent_symbols;             ///< key positions of promoted extents: from 2 to max_extent
  std::vector<std::pair<int32_t, int32_t>> equal;  ///< positions that were equal when promoted
  std::vector<int32_t> symbols;                    ///< SymbolMap: the symbol of each key position, or -1
  std::vector<std::pair<graph::Expr, graph::Expr>> assumptions;  ///< equalities the type rules relied on
  std::shared_ptr<const graph::Graph> graph;
  bool has_symbols = false;  ///< some extent or stride is one
  bool has_number_symbols = false;
  bool promoted = false;  ///< some symbol stands for what was a literal before
  struct Change {
    int32_t position;
    int64_t was, then, call;
  };
  std::vector<Change> changes;  ///< what made words of the key symbols: the first change of each
  std::string backend;          ///< what runs it: the function's, or "eager" where that takes literal graphs alone
  bool by_alignment = true;     ///< is there a variant for inputs that are not 16-byte aligned?
  std::string reason;           ///< why it was made: "first call", "input 1: dim 0 was 50, now 37"
  int number = 0;               ///< 1, 2, ... within its output set

  std::atomic<Entry*> next{nullptr};
  std::mutex variant_mutex;
  std::array<std::atomic<const exec::Executable*>, 2> variants{};  ///< [0] 16-byte aligned inputs, [1] any
  std::array<std::shared_ptr<const exec::Executable>, 2> owned;
  struct Compiled {
    double milliseconds = 0;
    bool from_disk = false, from_memory = false;
    std::vector<std::vector<std::string>> kernel_notes;
    std::vector<std::string> library_notes;
  };
  std::array<Compiled, 2> compiled;  ///< written before the variant is published

  bool matches(std::span<const int64_t> key) const {
    if (key.size() != expected.size()) return false;
    if (!is_dynamic()) return std::memcmp(key.data(), expected.data(), key.size_bytes()) == 0;  // no word is masked
    uint64_t differ = 0;
    for (size_t i = 0; i < key.size(); ++i) differ |= static_cast<uint64_t>((key[i] ^ expected[i]) & mask[i]);
    return differ == 0 && symbols_hold(key);
  }
  bool is_dynamic() const { return has_symbols || has_number_symbols; }

 private:
  bool symbols_hold(std::span<const int64_t> key) const;
};

/// Append-only list, read without a lock; the last hit is tried first.
class EntryList {
 public:
  ~EntryList();
  Entry* find(std::span<const int64_t> key) const;
  void append(std::unique_ptr<Entry> entry);
  int size() const { return size_.load(std::memory_order_acquire); }
  /// Entries in order of creation.
  std::vector<Entry*> all() const;

 private:
  std::atomic<Entry*> first_{nullptr};
  mutable std::atomic<Entry*> last_hit_{nullptr};
  std::atomic<int> size_{0};
};

}  // namespace sinter::capture
