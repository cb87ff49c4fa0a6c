// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/signature.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

#include "runtime/exec/executable.h"
#include "runtime/exec/fields.h"
#include "runtime/exec/input_key.h"

namespace sinter::saved {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw CompileError(std::string("signature: ") + what);
}

bool in_range(const Signature::Range& r, std::span<const int64_t> key) {
  const int64_t v = key[static_cast<size_t>(r.word)];
  return v >= r.least && v <= r.most;
}

bool holds(const Signature& s, const Signature::Equality& e, std::span<const int64_t> key) {
  return exec::evaluate(s.code, e.left, key) == exec::evaluate(s.code, e.right, key);
}

/// "dim 1" or "the stride of dim 1" of a word of an argument.
std::string word_name(const exec::KeyLayout::Input& in, size_t rank, size_t word) {
  if (word < in.extents + rank) return fmt::format("dim {}", word - in.extents);
  return fmt::format("the stride of dim {}", word - in.strides);
}

/// What is said about an argument's words, for messages: free words have their range.
std::string word_text(const Signature& s, size_t word) {
  if (s.mask[word] != 0) return fmt::format("{}", s.expected[word]);
  const auto range = std::ranges::find(s.ranges, static_cast<int32_t>(word), &Signature::Range::word);
  return range == s.ranges.end() ? "any" : fmt::format(">={}", range->least);
}

std::string argument_text(const Signature& s, const exec::KeyLayout::Input& in) {
  const auto meta = static_cast<uint64_t>(s.expected[in.meta]);
  const auto rank = static_cast<size_t>(exec::meta_rank(meta));
  std::string text = fmt::format("{} [", exec::meta_dtype(meta).name());
  for (size_t d = 0; d < rank; ++d) text += (d ? "," : "") + word_text(s, in.extents + d);
  text += "]";
  if (!exec::meta_has_strides(meta))
    return text + (exec::meta_order(meta) == exec::MemoryOrder::row_major ? "" : " channels-last");
  text += " strides [";
  for (size_t d = 0; d < rank; ++d) text += (d ? "," : "") + word_text(s, in.strides + d);
  return text + "]";
}

}  // namespace

bool Signature::matches(std::span<const int64_t> key) const {
  if (key.size() != expected.size()) return false;
  uint64_t differ = 0;
  for (size_t i = 0; i < key.size(); ++i) differ |= static_cast<uint64_t>((key[i] ^ expected[i]) & mask[i]);
  if (differ != 0) return false;
  for (const Range& r : ranges)
    if (!in_range(r, key)) return false;
  for (const Equality& e : equal)
    if (!holds(*this, e, key)) return false;
  return true;
}

std::string Signature::mismatch(std::span<const int64_t> key, size_t argument_count) const {
  if (static_cast<size_t>(arguments) != argument_count)
    return fmt::format("{} arguments, not {}", argument_count, arguments);
  const exec::KeyLayout mine = exec::layout_of(expected, argument_count);
  const exec::KeyLayout theirs = exec::layout_of(key, argument_count);
  for (size_t i = 0; i < argument_count; ++i) {
    const auto& a = mine.inputs[i];
    const auto& b = theirs.inputs[i];
    const auto wanted = static_cast<uint64_t>(expected[a.meta]);
    if (((key[b.meta] ^ expected[a.meta]) & mask[a.meta]) != 0)
      return fmt::format("argument {}: {}, not {}{}", i, exec::describe_input(key, b), argument_text(*this, a),
                         exec::meta_order(wanted) == exec::MemoryOrder::row_major ? " contiguous" : "");
    const auto rank = static_cast<size_t>(exec::meta_rank(wanted));
    const size_t words = exec::meta_has_strides(wanted) ? 2 * rank : rank;  // the strides follow the extents
    for (size_t w = 0; w < words; ++w)
      if (((key[b.extents + w] ^ expected[a.extents + w]) & mask[a.extents + w]) != 0)
        return fmt::format("argument {}: {} is {}, not {}", i, word_name(a, rank, a.extents + w), key[b.extents + w],
                           expected[a.extents + w]);
    for (const Range& r : ranges)
      if (static_cast<size_t>(r.word) >= a.extents && static_cast<size_t>(r.word) < a.extents + rank &&
          !in_range(r, key))
        return fmt::format("argument {}: {} is {}, not from {} to {}", i,
                           word_name(a, rank, static_cast<size_t>(r.word)), key[static_cast<size_t>(r.word)], r.least,
                           r.most);
  }
  for (const Equality& e : equal)
    if (!holds(*this, e, key))
      return fmt::format("{}: {}, not {}", e.reason, exec::evaluate(code, e.left, key),
                         exec::evaluate(code, e.right, key));
  return {};
}

std::string Signature::text() const {
  const exec::KeyLayout layout = exec::layout_of(expected, static_cast<size_t>(arguments));
  std::string text;
  for (size_t i = 0; i < layout.inputs.size(); ++i) text += (i ? ", " : "") + argument_text(*this, layout.inputs[i]);
  return text.empty() ? "no arguments" : text;
}

void check(const Signature& s) {
  constexpr int32_t most = 4096;
  require(s.arguments >= 0 && s.arguments <= most, "an impossible count");
  require(s.expected.size() == s.mask.size(), "words and masks differ in number");
  size_t at = 0;
  for (int32_t i = 0; i < s.arguments; ++i) {
    require(at < s.expected.size(), "an argument has no words");
    require((s.mask[at] & meta_without_device) == meta_without_device, "dtype and rank must be fixed");
    const auto meta = static_cast<uint64_t>(s.expected[at]);
    require(exec::meta_dtype(meta).name() != "?", "unknown dtype");
    const auto rank = static_cast<size_t>(exec::meta_rank(meta));
    require(rank <= Dims::max_size, "too many dims");
    require(exec::meta_order(meta) <= exec::MemoryOrder::channels_last, "unknown memory order");
    at += 1 + rank + (exec::meta_has_strides(meta) ? rank : 0);
  }
  require(at == s.expected.size(), "words that belong to no argument");
  const auto words = static_cast<int32_t>(s.expected.size());
  for (const Signature::Range& r : s.ranges) require(r.word >= 0 && r.word < words, "a range of no word");
  exec::check_code(s.code, words);
  for (const Signature::Equality& e : s.equal) {
    exec::check_expr(s.code, e.left);
    exec::check_expr(s.code, e.right);
  }
}

}  // namespace sinter::saved
