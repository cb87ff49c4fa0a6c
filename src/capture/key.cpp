// SPDX-License-Identifier: Apache-2.0
#include "src/capture/key.h"

#include <fmt/format.h>

namespace sinter::capture {

void mark_overlapped(Key& key, std::span<const Tensor> inputs, std::span<const RegionWrite> writes) {
  if (writes.empty()) return;
  const KeyLayout layout = layout_of(key.words(), inputs.size());
  for (const RegionWrite& w : writes) {
    const auto written = static_cast<size_t>(w.input);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != written && tensor::overlap(*inputs[written].impl(), *inputs[i].impl()))
        key.set_overlapped(layout.inputs[written]);
  }
}

std::string number_text(graph::Number::Kind kind, int64_t bits) {
  const graph::Number n{kind, bits};
  if (kind == graph::Number::Kind::floating) return fmt::format("{}", n.as_double());
  return fmt::format("{}", bits);
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
      return fmt::format("{}: was {}, now {}", input_names[i], exec::describe_input(was, a.inputs[i]),
                         exec::describe_input(now, b.inputs[i]));
    const auto meta = static_cast<uint64_t>(was[a.inputs[i].meta]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    for (size_t d = 0; d < rank; ++d) {
      const int64_t x = was[a.inputs[i].extents + d], y = now[b.inputs[i].extents + d];
      if (x != y) return fmt::format("{}: dim {} was {}, now {}", input_names[i], d, x, y);
    }
    if (!meta_has_strides(meta)) continue;
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
