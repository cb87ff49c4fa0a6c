// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "src/graph/expr.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::graph {

/// Kinds of op parameters. Structural ones select code (compared when a call is matched); numbers and extents are
/// values: they go into the call's flat value array and may be promoted to run-time symbols.
enum class ParamKind : uint8_t {
  flag,             ///< bool, structural: 1 word
  integer,          ///< int64, structural: 1 word
  integers,         ///< Dims, structural: length, then the values
  dtype,            ///< DType, structural: 1 word
  enumeration,      ///< enum, structural: 1 word (names in Param::names)
  device,           ///< Device, structural: 1 word
  number,           ///< Number, promotable
  optional_number,  ///< structural presence word, then a Number if present
  extent,           ///< int64 promotable (sizes, starts, stops, steps stay structural)
  extents,          ///< structural length word, then promotable values
};

struct Param {
  std::string_view name;
  ParamKind kind;
  std::vector<std::string_view> names = {};  ///< spellings of an enumeration
};

/// A number given by the user: integer, floating or boolean, as PyTorch's promotion distinguishes them.
struct Number {
  enum class Kind : uint8_t { boolean, integer, floating };
  Kind kind = Kind::integer;
  int64_t bits = 0;  ///< the integer, or the bits of the double

  static Number of(bool v) { return {Kind::boolean, v}; }
  template <class T>
    requires std::is_integral_v<T>
  static Number of(T v) {
    return {Kind::integer, static_cast<int64_t>(v)};
  }
  static Number of(double v) {
    Number n{Kind::floating, 0};
    std::memcpy(&n.bits, &v, sizeof v);
    return n;
  }
  static Number of(float v) { return of(static_cast<double>(v)); }
  double as_double() const {
    if (kind != Kind::floating) return static_cast<double>(bits);
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
  int64_t as_int() const { return kind == Kind::floating ? static_cast<int64_t>(as_double()) : bits; }
  friend bool operator==(const Number&, const Number&) = default;
};

/// The number as a constant of a compute type: floating ones by the convert rule, integers wrap into integers and round
/// once to floating types. A promoted number is converted the same way, on the host.
scalar::Constant constant_of(const Number& number, DType compute);

/// A number or extent inside a graph: a literal, or a symbol whose run-time value is the bits of a Number of that kind.
struct Scalar {
  Number literal;       ///< kind always valid; bits valid if symbol < 0
  int32_t symbol = -1;  ///< >= 0: graph symbol id (for extents: use expr)
  Expr expr;            ///< for extent parameters: the extent expression
  bool is_extent = false;
  /// Same value in every call; what the literal of a symbol or an extent was when recorded does not count.
  friend bool operator==(const Scalar& a, const Scalar& b) {
    if (a.is_extent || b.is_extent) return a.is_extent == b.is_extent && a.expr == b.expr;
    if (a.symbol != b.symbol || a.literal.kind != b.literal.kind) return false;
    return a.symbol >= 0 || a.literal.bits == b.literal.bits;
  }
};

/// Attributes of a graph node: structural words in schema order, then scalars in schema order.
struct Attributes {
  std::vector<int64_t> words;
  std::vector<Scalar> scalars;
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// Structural words of a dtype and a device.
inline int64_t word_of(DType t) {
  int64_t w = 0;
  std::memcpy(&w, &t, sizeof t);
  return w;
}
inline int64_t word_of(Device d) {
  return static_cast<int64_t>(d.kind) | static_cast<int64_t>(static_cast<uint16_t>(d.index)) << 8;
}

/// Attributes of a call while it is being recorded or matched: fixed arrays, no allocation.
class CallAttributes {
 public:
  static constexpr size_t max_words = 64, max_values = 24;

  CallAttributes() = default;
  /// Those of an earlier call.
  CallAttributes(std::span<const int64_t> words, std::span<const Number> values, uint32_t extent_mask)
      : extent_mask_(extent_mask) {
    for (const int64_t w : words) word(w);
    for (const Number v : values) value(v);
  }
  /// Those of a node; its numbers and extents must be literals.
  static CallAttributes of(const Attributes& literal);

  CallAttributes& flag(bool v) { return word(v); }
  CallAttributes& integer(int64_t v) { return word(v); }
  CallAttributes& integers(const Dims& v) {
    word(static_cast<int64_t>(v.size()));
    for (int64_t d : v) word(d);
    return *this;
  }
  CallAttributes& dtype(DType t) { return word(word_of(t)); }
  CallAttributes& device(Device d) { return word(word_of(d)); }
  template <class E>
    requires std::is_enum_v<E>
  CallAttributes& enumeration(E v) {
    return word(static_cast<int64_t>(v));
  }
  CallAttributes& number(Number v) { return value(v); }
  /// A number that is another one in every call, such as the place of a draw of random numbers: compiled code takes it
  /// at run time from the first call on.
  CallAttributes& varying(Number v) {
    varying_mask_ |= 1u << n_values_;
    return value(v);
  }
  CallAttributes& extent(int64_t v) {
    extent_mask_ |= 1u << n_values_;
    return value(Number::of(v));
  }
  CallAttributes& extents(const Dims& v) {
    word(static_cast<int64_t>(v.size()));
    for (int64_t d : v) extent(d);
    return *this;
  }

  std::span<const int64_t> words() const { return {words_.data(), n_words_}; }
  std::span<const Number> values() const {
    return {std::launder(reinterpret_cast<const Number*>(values_.data())), n_values_};
  }
  bool is_extent(size_t i) const { return (extent_mask_ >> i) & 1; }
  bool is_varying(size_t i) const { return (varying_mask_ >> i) & 1; }

 private:
  CallAttributes& word(int64_t w) {
    if (n_words_ == max_words) too_many("attributes");
    words_[n_words_++] = w;
    return *this;
  }
  CallAttributes& value(Number v) {
    if (n_values_ == max_values) too_many("numbers");
    std::memcpy(values_.data() + n_values_++ * sizeof v, &v, sizeof v);
    return *this;
  }
  [[noreturn]] static void too_many(std::string_view what);

  size_t n_words_ = 0, n_values_ = 0;
  uint32_t extent_mask_ = 0, varying_mask_ = 0;
  std::array<int64_t, max_words> words_;
  /// Numbers, made as they are written: giving all of them a value first would be a fifth of what matching a call
  /// costs.
  alignas(Number) std::array<std::byte, max_values * sizeof(Number)> values_;
};

/// Reads attributes back in the order they were written; throws CompileError past their end.
class AttributeReader {
 public:
  explicit AttributeReader(const Attributes& a) : a_(a) {}
  bool flag() { return word() != 0; }
  int64_t integer() { return word(); }
  Dims integers();
  DType dtype();
  Device device() {
    const int64_t w = word();
    return {static_cast<DeviceKind>(w & 0xff), static_cast<int16_t>(w >> 8)};
  }
  template <class E>
  E enumeration() {
    return static_cast<E>(word());
  }
  const Scalar& number();
  Expr extent() { return number().expr; }
  std::vector<Expr> extents();
  /// Has everything been read?
  bool done() const { return word_ == a_.words.size() && scalar_ == a_.scalars.size(); }

 private:
  int64_t word();
  const Attributes& a_;
  size_t word_ = 0, scalar_ = 0;
};

/// The graph form of a call's attributes with every number and extent as a literal.
Attributes literal_attributes(const CallAttributes& call);

}  // namespace sinter::graph
