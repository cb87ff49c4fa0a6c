// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/input_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter::exec {
namespace {

struct Meta {
  DType dtype;
  Device device;
  uint8_t rank = 0;
  MemoryOrder order = MemoryOrder::strided;
  bool frozen = false;
  bool overlapped = false;
};

constexpr int overlapped_bit = 51;

uint64_t pack(const Meta& m) {
  return static_cast<uint64_t>(m.dtype.kind()) | static_cast<uint64_t>(m.dtype.bits()) << 8 |
         static_cast<uint64_t>(m.device.kind) << 16 |
         static_cast<uint64_t>(static_cast<uint16_t>(m.device.index)) << 24 | static_cast<uint64_t>(m.rank) << 40 |
         static_cast<uint64_t>(m.order) << 48 | static_cast<uint64_t>(m.frozen) << 50 |
         static_cast<uint64_t>(m.overlapped) << overlapped_bit;
}

Meta unpack(uint64_t w) {
  Meta m;
  m.dtype = DType(static_cast<DType::Kind>(w & 0xff), static_cast<int>(w >> 8 & 0xff));
  m.device = {static_cast<DeviceKind>(w >> 16 & 0xff), static_cast<int16_t>(w >> 24 & 0xffff)};
  m.rank = static_cast<uint8_t>(w >> 40 & 0xff);
  m.order = static_cast<MemoryOrder>(w >> 48 & 3);
  m.frozen = (w >> 50 & 1) != 0;
  m.overlapped = (w >> overlapped_bit & 1) != 0;
  return m;
}

constexpr size_t max_input_words = 1 + 2 * Dims::max_size;

/// Writes the words of one input; returns their end.
int64_t* write_input(int64_t* to, const tensor::TensorImpl& t) {
  const uint64_t meta = meta_word(t);
  *to++ = static_cast<int64_t>(meta);
  for (int64_t d : t.shape) *to++ = d;
  if (meta_has_strides(meta))
    for (int64_t d : t.strides) *to++ = d;
  return to;
}

}  // namespace

uint64_t meta_word(const tensor::TensorImpl& t) {
  const MemoryOrder order = tensor::is_contiguous(t.shape, t.strides)      ? MemoryOrder::row_major
                            : tensor::is_channels_last(t.shape, t.strides) ? MemoryOrder::channels_last
                                                                           : MemoryOrder::strided;
  return pack({t.dtype, t.device, static_cast<uint8_t>(t.shape.size()), order, t.frozen});
}

DType meta_dtype(uint64_t meta) { return unpack(meta).dtype; }
Device meta_device(uint64_t meta) { return unpack(meta).device; }
int meta_rank(uint64_t meta) { return unpack(meta).rank; }
MemoryOrder meta_order(uint64_t meta) { return unpack(meta).order; }
bool meta_frozen(uint64_t meta) { return unpack(meta).frozen; }
bool meta_overlapped(uint64_t meta) { return unpack(meta).overlapped; }

void Key::set_overlapped(const KeyLayout::Input& in) { words_[in.meta] |= int64_t{1} << overlapped_bit; }

void Key::grow(size_t words) {
  capacity_ = 2 * (size_ + words);
  auto larger = std::make_unique_for_overwrite<int64_t[]>(capacity_);
  std::copy(begin(), end(), larger.get());
  words_ = std::move(larger);
}

void append_inputs(Key& key, std::span<const Tensor> inputs) {
  int64_t* to = key.room(inputs.size() * max_input_words);
  for (const Tensor& t : inputs) to = write_input(to, *t.impl());
  key.end_at(to);
}

void append_inputs(Key& key, std::span<const Tensor* const> inputs) {
  int64_t* to = key.room(inputs.size() * max_input_words);
  for (const Tensor* t : inputs) to = write_input(to, *t->impl());
  key.end_at(to);
}

KeyLayout layout_of(std::span<const int64_t> key, size_t input_count) {
  KeyLayout layout;
  size_t at = 0;
  for (size_t i = 0; i < input_count; ++i) {
    const uint64_t meta = static_cast<uint64_t>(key[at]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    layout.inputs.push_back({at, at + 1, at + 1 + rank});
    at += 1 + rank + (meta_has_strides(meta) ? rank : 0);
  }
  layout.numbers = at;
  return layout;
}

std::string describe_input(std::span<const int64_t> key, const KeyLayout::Input& in) {
  const Meta m = unpack(static_cast<uint64_t>(key[in.meta]));
  std::string s = fmt::format("{} [", m.dtype.name());
  for (int d = 0; d < m.rank; ++d) s += fmt::format("{}{}", d ? "," : "", key[in.extents + static_cast<size_t>(d)]);
  const char* orders[] = {"", " contiguous", " channels-last"};
  return s + fmt::format("] {}{}{}{}", m.device.text(), orders[static_cast<size_t>(m.order)], m.frozen ? " frozen" : "",
                         m.overlapped ? " written and overlapped by another input" : "");
}

}  // namespace sinter::exec
