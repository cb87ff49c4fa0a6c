// SPDX-License-Identifier: Apache-2.0
#include "src/capture/key.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter::capture {
namespace {

constexpr uint64_t overlapped_bit = uint64_t{1} << 49;

struct Meta {
  DType dtype;
  Device device;
  uint8_t rank = 0;
  bool contiguous = false;
};

uint64_t pack(const Meta& m) {
  return static_cast<uint64_t>(m.dtype.kind()) | static_cast<uint64_t>(m.dtype.bits()) << 8 |
         static_cast<uint64_t>(m.device.kind) << 16 |
         static_cast<uint64_t>(static_cast<uint16_t>(m.device.index)) << 24 | static_cast<uint64_t>(m.rank) << 40 |
         static_cast<uint64_t>(m.contiguous) << 48;
}

Meta unpack(uint64_t w) {
  Meta m;
  m.dtype = DType(static_cast<DType::Kind>(w & 0xff), static_cast<int>(w >> 8 & 0xff));
  m.device = {static_cast<DeviceKind>(w >> 16 & 0xff), static_cast<int16_t>(w >> 24 & 0xffff)};
  m.rank = static_cast<uint8_t>(w >> 40 & 0xff);
  m.contiguous = (w >> 48 & 1) != 0;
  return m;
}

std::string describe_input(std::span<const int64_t> key, const KeyLayout::Input& in) {
  const Meta m = unpack(static_cast<uint64_t>(key[in.meta]));
  std::string s = fmt::format("{} [", m.dtype.name());
  for (int d = 0; d < m.rank; ++d) s += fmt::format("{}{}", d ? "," : "", key[in.extents + static_cast<size_t>(d)]);
  const bool overlapped = meta_overlapped(static_cast<uint64_t>(key[in.meta]));
  return s + fmt::format("] {}{}{}", m.device.text(), m.contiguous ? " contiguous" : "",
                         overlapped ? " written and overlapped by another input" : "");
}

}  // namespace

std::string number_text(graph::Number::Kind kind, int64_t bits) {
  const graph::Number n{kind, bits};
  if (kind == graph::Number::Kind::floating) return fmt::format("{}", n.as_double());
  return fmt::format("{}", bits);
}

namespace {

constexpr size_t max_input_words = 1 + 2 * Dims::max_size;

/// Writes the words of one input; returns their end.
int64_t* write_input(int64_t* to, const tensor::TensorImpl& t) {
  const uint64_t meta = meta_word(t);
  *to++ = static_cast<int64_t>(meta);
  for (int64_t d : t.shape) *to++ = d;
  if (!unpack(meta).contiguous)
    for (int64_t d : t.strides) *to++ = d;
  return to;
}

}  // namespace

uint64_t meta_word(const tensor::TensorImpl& t) {
  return pack({t.dtype, t.device, static_cast<uint8_t>(t.shape.size()), tensor::is_contiguous(t.shape, t.strides)});
}

DType meta_dtype(uint64_t meta) { return unpack(meta).dtype; }
Device meta_device(uint64_t meta) { return unpack(meta).device; }
int meta_rank(uint64_t meta) { return unpack(meta).rank; }
bool meta_contiguous(uint64_t meta) { return unpack(meta).contiguous; }
bool meta_overlapped(uint64_t meta) { return (meta & overlapped_bit) != 0; }

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

void mark_overlapped(Key& key, std::span<const Tensor> inputs, std::span<const RegionWrite> writes) {
  if (writes.empty()) return;
  const KeyLayout layout = layout_of({key.begin(), key.end()}, inputs.size());
  for (const RegionWrite& w : writes) {
    const auto written = static_cast<size_t>(w.input);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != written && tensor::overlap(*inputs[written].impl(), *inputs[i].impl()))
        key[layout.inputs[written].meta] |= static_cast<int64_t>(overlapped_bit);
  }
}

KeyLayout layout_of(std::span<const int64_t> key, size_t input_count) {
  KeyLayout layout;
  size_t at = 0;
  for (size_t i = 0; i < input_count; ++i) {
    const uint64_t meta = static_cast<uint64_t>(key[at]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    layout.inputs.push_back({at, at + 1, at + 1 + rank});
    at += 1 + rank + (meta_contiguous(meta) ? 0 : rank);
  }
  layout.numbers = at;
  return layout;
}

bool is_extent_word(const KeyLayout& layout, std::span<const int64_t> key, size_t position) {
  for (const KeyLayout::Input& in : layout.inputs) {
    const auto rank = static_cast<size_t>(meta_rank(static_cast<uint64_t>(key[in.meta])));
    if (position >= in.extents && position < in.extents + rank) return true;
  }
  return false;
}

std::vector<std::string> input_names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(fmt::format("input {}", i));
  return names;
}

std::string difference(std::span<const int64_t> was, std::span<const int64_t> now, size_t input_count,
                       std::span<const graph::Number::Kind> number_kinds, std::span<const std::string> input_names) {
  const KeyLayout a = layout_of(was, input_count), b = layout_of(now, input_count);
  for (size_t i = 0; i < input_count; ++i) {
    if (was[a.inputs[i].meta] != now[b.inputs[i].meta])
      return fmt::format("{}: was {}, now {}", input_names[i], describe_input(was, a.inputs[i]),
                         describe_input(now, b.inputs[i]));
    const auto meta = static_cast<uint64_t>(was[a.inputs[i].meta]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    for (size_t d = 0; d < rank; ++d) {
      const int64_t x = was[a.inputs[i].extents + d], y = now[b.inputs[i].extents + d];
      if (x != y) return fmt::format("{}: dim {} was {}, now {}", input_names[i], d, x, y);
    }
    if (meta_contiguous(meta)) continue;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t x = was[a.inputs[i].strides + d], y = now[b.inputs[i].strides + d];
      if (x != y) return fmt::format("{}: stride of dim {} was {}, now {}", input_names[i], d, x, y);
    }
  }
  for (size_t k = 0; k < number_kinds.size(); ++k) {
    const int64_t x = was[a.numbers + k], y = now[b.numbers + k];
    if (x != y)
      return fmt::format("number {} was {}, now {}", k, number_text(number_kinds[k], x),
                         number_text(number_kinds[k], y));
  }
  return {};
}

}  // namespace sinter::capture
