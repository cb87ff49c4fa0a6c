// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/graph/attributes.h"
#include "src/tensor/impl.h"

namespace sinter::capture {

/// An input whose memory gets a value when the region ends.
struct RegionWrite {
  int32_t slot;
  int32_t input;
  friend bool operator==(const RegionWrite&, const RegionWrite&) = default;
};

/// The key of a call of a region: everything a compiled entry may depend on, as one flat array of 64-bit words, so that
/// guards are one masked compare. Per input: a meta word (dtype, device, rank, contiguous, overlapped), the extents,
/// and the strides where not contiguous; then the bits of every number and extent attribute, in program order. The
/// position of a word is also the id of the graph symbol that stands for it once it is promoted.
struct KeyLayout {
  struct Input {
    size_t meta, extents, strides;  ///< positions; strides == extents + rank, absent if contiguous
  };
  std::vector<Input> inputs;
  size_t numbers = 0;  ///< position of the first number
};

uint64_t meta_word(const tensor::TensorImpl& t);
DType meta_dtype(uint64_t meta);
Device meta_device(uint64_t meta);
int meta_rank(uint64_t meta);
bool meta_contiguous(uint64_t meta);
/// Does the region write to the input, and does another input overlap it?
bool meta_overlapped(uint64_t meta);

/// A key under construction, reused from call to call: unlike a vector's, new words have no value before they are
/// written.
class Key {
 public:
  void clear() { size_ = 0; }
  void push_back(int64_t word) {
    *room(1) = word;
    ++size_;
  }
  /// Space for `words` more behind the end; what was written there becomes part of the key by end_at().
  int64_t* room(size_t words) {
    if (capacity_ - size_ < words) grow(words);
    return words_.get() + size_;
  }
  void end_at(const int64_t* end) { size_ = static_cast<size_t>(end - words_.get()); }

  int64_t& operator[](size_t i) { return words_[i]; }
  const int64_t* begin() const { return words_.get(); }
  const int64_t* end() const { return words_.get() + size_; }

 private:
  void grow(size_t words);
  std::unique_ptr<int64_t[]> words_;
  size_t size_ = 0, capacity_ = 0;
};

/// Appends the words of the inputs.
void append_inputs(Key& key, std::span<const Tensor> inputs);
/// Says in the meta words of inputs that are written which of them other inputs overlap.
void mark_overlapped(Key& key, std::span<const Tensor> inputs, std::span<const RegionWrite> writes);
/// Is `position` an extent of an input?
bool is_extent_word(const KeyLayout& layout, std::span<const int64_t> key, size_t position);
/// "input 0", "input 1", ...: in order of first use.
std::vector<std::string> input_names(size_t count);
KeyLayout layout_of(std::span<const int64_t> key, size_t input_count);

/// A number as the user wrote it.
std::string number_text(graph::Number::Kind kind, int64_t bits);
/// "input 1: dim 0 was 50, now 37": the first difference that matters, in words; empty if there is none.
std::string difference(std::span<const int64_t> was, std::span<const int64_t> now, size_t input_count,
                       std::span<const graph::Number::Kind> number_kinds, std::span<const std::string> input_names);

}  // namespace sinter::capture
