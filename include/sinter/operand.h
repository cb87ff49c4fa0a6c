// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/error.h>
#include <sinter/tensor.h>

#include <concepts>
#include <cstring>
#include <type_traits>

#pragma GCC visibility push(default)
namespace sinter {

/// An argument of an op: a tensor or a number, with the user's source line (implicit, so operators have it too).
///
/// A tensor lvalue is borrowed; a tensor rvalue is moved in, so a temporary dies inside the op and never hinders
/// fusion. A number keeps its kind (bool, integer, floating) for PyTorch's promotion: a number never widens a tensor's
/// dtype within its own category.
class Operand {
 public:
  enum class Kind : uint8_t { tensor, boolean, integer, floating };

  // NOLINTBEGIN(google-explicit-constructor): the point of the class is to be implicit
  Operand(const Tensor& t, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : tensor_(&t), line_{file, line} {}
  Operand(Tensor&& t, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : owned_(std::move(t)), tensor_(&owned_), line_{file, line} {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T v, const char* file = __builtin_FILE(), int line = __builtin_LINE()) : line_{file, line} {
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::boolean;
      bits_ = v;
    } else if constexpr (std::integral<T>) {
      kind_ = Kind::integer;
      bits_ = static_cast<int64_t>(v);
    } else {
      kind_ = Kind::floating;
      const double d = static_cast<double>(v);
      std::memcpy(&bits_, &d, sizeof d);
    }
  }
  // NOLINTEND(google-explicit-constructor)
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  Kind kind() const { return kind_; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  const Tensor& tensor() const { return *tensor_; }
  /// The integer, or the bits of the double.
  int64_t number_bits() const { return bits_; }
  SourceLine line() const { return line_; }
  /// Drops a moved-in tensor: ops do so once the call is recorded, since the parameter itself may live until the end of
  /// the caller's full expression.
  void release() noexcept { owned_.reset(); }

 private:
  Tensor owned_;
  const Tensor* tensor_ = nullptr;
  SourceLine line_;
  Kind kind_ = Kind::tensor;
  int64_t bits_ = 0;
};

}  // namespace sinter
#pragma GCC visibility pop
