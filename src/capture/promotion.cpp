// SPDX-License-Identifier: Apache-2.0
#include "src/capture/promotion.h"

namespace sinter::capture {
namespace {

enum class WordKind : uint8_t { meta, extent, stride, attribute_extent, number, varying };

std::vector<WordKind> word_kinds(std::span<const int64_t> key, size_t input_count,
                                 const std::vector<ValueKind>& values) {
  std::vector<WordKind> kinds(key.size(), WordKind::number);
  const KeyLayout layout = layout_of(key, input_count);
  for (const KeyLayout::Input& in : layout.inputs) {
    const auto meta = static_cast<uint64_t>(key[in.meta]);
    kinds[in.meta] = WordKind::meta;
    for (size_t d = 0; d < static_cast<size_t>(meta_rank(meta)); ++d) {
      kinds[in.extents + d] = WordKind::extent;
      if (meta_has_strides(meta)) kinds[in.strides + d] = WordKind::stride;
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == ValueKind::extent) kinds[layout.numbers + i] = WordKind::attribute_extent;
    if (values[i] == ValueKind::varying) kinds[layout.numbers + i] = WordKind::varying;
  }
  return kinds;
}

bool is_size(WordKind k) { return k == WordKind::extent || k == WordKind::attribute_extent; }

bool may_promote(WordKind kind, int64_t value) {
  if (kind == WordKind::meta) return false;
  if (kind == WordKind::stride) return value != 0 && value != 1;  // broadcast and unit strides are other code
  return !is_size(kind) || value >= 2;
}

/// Gives each word of `wanted` a symbol; sizes with the same history share the first one's.
Promotion assign(const std::vector<bool>& wanted, std::span<const int64_t> was, std::span<const int64_t> now,
                 const std::vector<WordKind>& kinds, bool share) {
  Promotion p{SymbolMap(now.size(), -1), {}};
  for (size_t i = 0; i < now.size(); ++i) {
    if (!wanted[i]) continue;
    int32_t symbol = static_cast<int32_t>(i);
    for (size_t j = 0; share && is_size(kinds[i]) && j < i; ++j)
      if (p.symbols[j] == static_cast<int32_t>(j) && is_size(kinds[j]) && was[j] == was[i] && now[j] == now[i]) {
        symbol = static_cast<int32_t>(j);
        p.equal.emplace_back(symbol, static_cast<int32_t>(i));
        break;
      }
    p.symbols[i] = symbol;
  }
  return p;
}

}  // namespace

Promotion promote_none(size_t key_size, const std::vector<ValueKind>& values) {
  Promotion p{SymbolMap(key_size, -1), {}};
  const size_t first = key_size - values.size();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] == ValueKind::varying) p.symbols[first + i] = static_cast<int32_t>(first + i);
  return p;
}

Promotion promote_all(std::span<const int64_t> key, size_t input_count, const std::vector<ValueKind>& values) {
  const auto kinds = word_kinds(key, input_count, values);
  std::vector<bool> wanted(key.size());
  for (size_t i = 0; i < key.size(); ++i) wanted[i] = may_promote(kinds[i], key[i]);
  return assign(wanted, key, key, kinds, false);
}

Promotion promote_changes(std::span<const int64_t> was, std::span<const int64_t> was_mask, std::span<const int64_t> now,
                          size_t input_count, const std::vector<ValueKind>& values) {
  const auto kinds = word_kinds(now, input_count, values);
  std::vector<bool> wanted(now.size());
  for (size_t i = 0; i < now.size(); ++i)
    wanted[i] =
        (was[i] != now[i] || was_mask[i] == 0) && may_promote(kinds[i], now[i]) && may_promote(kinds[i], was[i]);
  return assign(wanted, was, now, kinds, true);
}

bool same_structure(std::span<const int64_t> a, std::span<const int64_t> b, size_t input_count) {
  if (a.size() != b.size()) return false;
  size_t at = 0;
  for (size_t i = 0; i < input_count; ++i) {
    if (a[at] != b[at]) return false;
    const auto meta = static_cast<uint64_t>(a[at]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    at += 1 + rank + (meta_has_strides(meta) ? rank : 0);
  }
  return true;
}

}  // namespace sinter::capture
