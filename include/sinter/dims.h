// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace sinter {

/// A list of up to 8 integers (shape, strides, dims), stored inline. More than 8 is a UserError.
class Dims {
 public:
  static constexpr size_t max_size = 8;

  Dims() noexcept = default;
  Dims(std::initializer_list<int64_t> v) : Dims(std::span<const int64_t>(v.begin(), v.size())) {}
  explicit Dims(std::span<const int64_t> v) {
    for (int64_t d : v) push_back(d);
  }
  /// n copies of v.
  static Dims filled(size_t n, int64_t v) {
    Dims d;
    for (size_t i = 0; i < n; ++i) d.push_back(v);
    return d;
  }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  int64_t& operator[](size_t i) noexcept { return values_[i]; }
  int64_t operator[](size_t i) const noexcept { return values_[i]; }
  int64_t* begin() noexcept { return values_.data(); }
  int64_t* end() noexcept { return values_.data() + size_; }
  const int64_t* begin() const noexcept { return values_.data(); }
  const int64_t* end() const noexcept { return values_.data() + size_; }
  std::span<const int64_t> span() const noexcept { return {values_.data(), size_}; }
  int64_t back() const noexcept { return values_[size_ - 1]; }
  void push_back(int64_t v) {
    if (size_ == max_size) throw UserError("more than 8 dimensions");
    values_[size_++] = v;
  }
  void clear() noexcept { size_ = 0; }
  /// Product of all; 1 if empty.
  int64_t product() const noexcept {
    int64_t p = 1;
    for (int64_t d : *this) p *= d;
    return p;
  }
  /// "[2,3]"
  std::string text() const {
    std::string s = "[";
    for (size_t i = 0; i < size_; ++i) s += (i ? "," : "") + std::to_string(values_[i]);
    return s + "]";
  }
  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    if (a.size_ != b.size_) return false;  // no std::equal: <algorithm> would cost every user 0.1 s
    for (size_t i = 0; i < a.size_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  uint32_t size_ = 0;
  std::array<int64_t, max_size> values_{};
};

}  // namespace sinter
#pragma GCC visibility pop
