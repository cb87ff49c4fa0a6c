// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/half.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)
namespace sinter {

/// Element type of a tensor: a kind and a width in bits.
class DType {
 public:
  enum class Kind : uint8_t { boolean, unsigned_integer, signed_integer, floating, brain_floating };

  constexpr DType() = default;  ///< f32
  constexpr DType(Kind kind, int bits) : kind_(kind), bits_(static_cast<uint8_t>(bits)) {}

  constexpr Kind kind() const { return kind_; }
  constexpr int bits() const { return bits_; }
  constexpr int bytes() const { return bits_ / 8; }
  constexpr bool is_boolean() const { return kind_ == Kind::boolean; }
  constexpr bool is_floating() const { return kind_ == Kind::floating || kind_ == Kind::brain_floating; }
  /// Integers; boolean is not one.
  constexpr bool is_integer() const { return kind_ == Kind::unsigned_integer || kind_ == Kind::signed_integer; }
  constexpr bool is_signed() const { return kind_ == Kind::signed_integer || is_floating(); }
  /// "boolean", "u8", ..., "bf16", "f64".
  constexpr std::string_view name() const;
  /// The dtype of that name, or nullopt.
  static constexpr std::optional<DType> parse(std::string_view name);

  friend constexpr bool operator==(DType, DType) = default;

 private:
  Kind kind_ = Kind::floating;
  uint8_t bits_ = 32;
};

inline constexpr DType boolean{DType::Kind::boolean, 8};
inline constexpr DType u8{DType::Kind::unsigned_integer, 8};
inline constexpr DType u16{DType::Kind::unsigned_integer, 16};
inline constexpr DType u32{DType::Kind::unsigned_integer, 32};
inline constexpr DType u64{DType::Kind::unsigned_integer, 64};
inline constexpr DType i8{DType::Kind::signed_integer, 8};
inline constexpr DType i16{DType::Kind::signed_integer, 16};
inline constexpr DType i32{DType::Kind::signed_integer, 32};
inline constexpr DType i64{DType::Kind::signed_integer, 64};
inline constexpr DType f16{DType::Kind::floating, 16};
inline constexpr DType bf16{DType::Kind::brain_floating, 16};
inline constexpr DType f32{DType::Kind::floating, 32};
inline constexpr DType f64{DType::Kind::floating, 64};

inline constexpr DType all_dtypes[] = {boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64};
inline constexpr std::string_view dtype_names[] = {"boolean", "u8",  "u16", "u32",  "u64", "i8", "i16",
                                                   "i32",     "i64", "f16", "bf16", "f32", "f64"};

constexpr std::string_view DType::name() const {
  for (size_t i = 0; i < std::size(all_dtypes); ++i)
    if (all_dtypes[i] == *this) return dtype_names[i];
  return "?";
}

constexpr std::optional<DType> DType::parse(std::string_view name) {
  for (size_t i = 0; i < std::size(all_dtypes); ++i)
    if (dtype_names[i] == name) return all_dtypes[i];
  return std::nullopt;
}

/// The dtype that stores a C++ type: dtype_of<float>() is f32.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return boolean;
  else if constexpr (std::is_same_v<T, Half>)
    return f16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return bf16;
  else if constexpr (std::is_floating_point_v<T>)
    return {DType::Kind::floating, sizeof(T) * 8};
  else {
    static_assert(std::is_integral_v<T>, "no dtype stores this type");
    return {std::is_signed_v<T> ? DType::Kind::signed_integer : DType::Kind::unsigned_integer, sizeof(T) * 8};
  }
}

}  // namespace sinter
#pragma GCC visibility pop
