// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/tensor/impl.h"

namespace sinter::exec {

/// The key of a call of a region: everything a compiled entry may depend on, as one flat array of 64-bit words, so that
/// guards are one masked compare. Per input: a meta word (dtype, device, rank, memory order, frozen, overlapped), the
/// extents, and the strides where neither order gives them; then the bits of every number and extent attribute, in
/// program order. The position of a word is also the id of the graph symbol that stands for it once it is promoted.
struct KeyLayout {
  struct Input {
    size_t meta, extents, strides;  ///< positions; strides == extents + rank, absent unless meta_has_strides()
  };
  std::vector<Input> inputs;
  size_t numbers = 0;  ///< position of the first number
};

uint64_t meta_word(const tensor::TensorImpl& t);
DType meta_dtype(uint64_t meta);
Device meta_device(uint64_t meta);
int meta_rank(uint64_t meta);
/// Where strides follow from the extents.
enum class MemoryOrder : uint8_t { strided, row_major, channels_last };
MemoryOrder meta_order(uint64_t meta);
inline bool meta_has_strides(uint64_t meta) { return meta_order(meta) == MemoryOrder::strided; }
bool meta_frozen(uint64_t meta);
/// Does the region write to the input, and does another input overlap it? Not said by meta_word(): see
/// set_overlapped().
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
  std::span<const int64_t> words() const { return {words_.get(), size_}; }
  void set_overlapped(const KeyLayout::Input& in);

  const int64_t* begin() const { return words_.get(); }
  const int64_t* end() const { return words_.get() + size_; }

 private:
  void grow(size_t words);
  std::unique_ptr<int64_t[]> words_;
  size_t size_ = 0, capacity_ = 0;
};

/// Appends the words of the inputs.
void append_inputs(Key& key, std::span<const Tensor> inputs);
void append_inputs(Key& key, std::span<const Tensor* const> inputs);
KeyLayout layout_of(std::span<const int64_t> key, size_t input_count);

/// "f32 [2,3] cpu contiguous"
std::string describe_input(std::span<const int64_t> key, const KeyLayout::Input& in);

}  // namespace sinter::exec
