// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/exec/input_key.h"
#include "src/graph/attributes.h"

namespace sinter::capture {

using exec::append_inputs;
using exec::Key;
using exec::KeyLayout;
using exec::layout_of;
using exec::MemoryOrder;
using exec::meta_device;
using exec::meta_dtype;
using exec::meta_frozen;
using exec::meta_has_strides;
using exec::meta_order;
using exec::meta_overlapped;
using exec::meta_rank;

/// An input whose memory gets a value when the region ends.
struct RegionWrite {
  int32_t slot;
  int32_t input;
  friend bool operator==(const RegionWrite&, const RegionWrite&) = default;
};
/// Says in the meta words of inputs that are written which of them other inputs overlap.
void mark_overlapped(Key& key, std::span<const Tensor> inputs, std::span<const RegionWrite> writes);

/// Is `position` an extent of an input?
bool is_extent_word(const KeyLayout& layout, std::span<const int64_t> key, size_t position);
/// "input 0", "input 1", ...: in order of first use.
std::vector<std::string> input_names(size_t count);

/// A number as the user wrote it.
std::string number_text(graph::Number::Kind kind, int64_t bits);
/// "input 1: dim 0 was 50, now 37": the first difference that matters, in words; empty if there is none.
std::string difference(std::span<const int64_t> was, std::span<const int64_t> now, size_t input_count,
                       std::span<const graph::Number::Kind> number_kinds, std::span<const std::string> input_names);

}  // namespace sinter::capture
