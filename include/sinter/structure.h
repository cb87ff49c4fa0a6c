// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

/// True for a type whose values structure::walk() must not look into, such as an aggregate with bases.
template <class T>
inline constexpr bool is_opaque = false;

/// Arguments and results of compiled functions, seen as their tensors and host values. Known are Tensor, numbers,
/// enums, Dims, DType, Device, std::string, std::vector, array, pair, tuple and optional of them, and aggregates of up
/// to 8.
namespace structure {

/// Converts to anything, to see how many fields an aggregate has.
struct AnyField {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
struct NumberField {
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};
struct TensorField {
  operator Tensor() const;  // NOLINT(google-explicit-constructor)
};
/// Converts to classes but tensors: not to the elements of an array of numbers or tensors.
struct ClassField {
  template <class T>
    requires std::is_class_v<T> && (!std::same_as<T, Tensor>)
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <size_t>
using Any = AnyField;

template <class T, size_t... i>
constexpr bool has_fields(std::index_sequence<i...>) {
  return requires { T{Any<i>{}...}; };
}
/// Is field number sizeof...(i) an array? Of those, one initialiser does not tell how many fields there are.
template <class T, size_t... i>
constexpr bool has_array_at(std::index_sequence<i...>) {
  const bool elements = requires { T{Any<i>{}..., NumberField{}}; } || requires { T{Any<i>{}..., TensorField{}}; };
  const bool several = requires { T{Any<i>{}..., {AnyField{}, AnyField{}}}; };
  const bool whole = requires { T{Any<i>{}..., ClassField{}}; };
  return elements && several && !whole;
}

inline constexpr size_t most_fields = 8;

/// 0 for what is no aggregate, has more fields than are known, or an array among them.
template <class T>
constexpr size_t field_count() {
  if constexpr (!std::is_aggregate_v<T> || std::is_array_v<T> || std::is_union_v<T> || is_opaque<T>) {
    return 0;
  } else {
    size_t count = 0;
    bool arrays = false;
    [&]<size_t... n>(std::index_sequence<n...>) {
      ((count = has_fields<T>(std::make_index_sequence<n>()) ? n : count), ...);
      ((arrays = arrays || (n < count && has_array_at<T>(std::make_index_sequence<n>()))), ...);
    }(std::make_index_sequence<most_fields + 2>());
    return count > most_fields || arrays ? 0 : count;
  }
}

/// References to the fields, as a tuple.
template <class T>
auto fields(T& v) {
  constexpr size_t n = field_count<std::remove_const_t<T>>();
  static_assert(n >= 1 && n <= most_fields);
  if constexpr (n == 1) {
    auto& [a] = v;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = v;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = v;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = v;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = v;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = v;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = v;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = v;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

template <class T>
struct IsKnown;

template <class T>
inline constexpr bool is_known = IsKnown<std::remove_cvref_t<T>>::value;

template <class Tuple>
struct AllKnown;
template <class... T>
struct AllKnown<std::tuple<T...>> : std::bool_constant<(is_known<T> && ...)> {};

template <class T>
constexpr bool are_known_fields() {
  if constexpr (field_count<T>() > 0)
    return AllKnown<decltype(fields(std::declval<T&>()))>::value;
  else
    return false;
}

template <class T>
constexpr bool is_known_class() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return !std::is_same_v<T, long double>;
  else if constexpr (!std::is_copy_constructible_v<T>)
    return false;
  else
    return are_known_fields<T>();
}

template <class T>
struct IsKnown : std::bool_constant<is_known_class<T>()> {};
template <>
struct IsKnown<Tensor> : std::true_type {};
template <>
struct IsKnown<Dims> : std::true_type {};
template <>
struct IsKnown<DType> : std::true_type {};
template <>
struct IsKnown<Device> : std::true_type {};
template <>
struct IsKnown<std::string> : std::true_type {};
template <>
struct IsKnown<std::nullopt_t> : std::true_type {};
template <class T>
struct IsKnown<std::vector<T>> : std::bool_constant<is_known<T>> {};
template <class T, size_t n>
struct IsKnown<std::array<T, n>> : std::bool_constant<is_known<T>> {};
template <class T>
struct IsKnown<std::optional<T>> : std::bool_constant<is_known<T>> {};
template <class A, class B>
struct IsKnown<std::pair<A, B>> : std::bool_constant<is_known<A> && is_known<B>> {};
template <class... T>
struct IsKnown<std::tuple<T...>> : std::bool_constant<(is_known<T> && ...)> {};

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class T, size_t n>
inline constexpr bool is_tuple<std::array<T, n>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class N>
int64_t number_word(N number) {
  if constexpr (std::is_floating_point_v<N>)
    return std::bit_cast<int64_t>(static_cast<double>(number));
  else
    return static_cast<int64_t>(number);
}

/// Calls visitor(Tensor&) for every tensor of a value and visitor(int64_t) for every host value, in order: numbers,
/// lengths, whether an optional is there. Equal types with equal host values have their tensors at the same places.
template <class T, class Visitor>
void walk(T& value, Visitor&& visitor) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, Tensor>) {
    visitor(value);
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_enum_v<Plain>) {
    visitor(number_word(value));
  } else if constexpr (std::is_same_v<Plain, DType>) {
    visitor(number_word(value.kind()));
    visitor(number_word(value.bits()));
  } else if constexpr (std::is_same_v<Plain, Device>) {
    visitor(number_word(value.kind));
    visitor(number_word(value.index));
  } else if constexpr (std::is_same_v<Plain, std::vector<bool>> || std::is_same_v<Plain, std::string> ||
                       std::is_same_v<Plain, Dims>) {
    visitor(static_cast<int64_t>(value.size()));
    for (const auto element : value) visitor(number_word(static_cast<int64_t>(element)));
  } else if constexpr (is_list<Plain>) {
    visitor(static_cast<int64_t>(value.size()));
    for (auto& element : value) walk(element, visitor);
  } else if constexpr (std::is_same_v<Plain, std::nullopt_t>) {
    visitor(int64_t{0});  // as an empty optional
  } else if constexpr (is_optional<Plain>) {
    visitor(static_cast<int64_t>(value.has_value()));
    if (value) walk(*value, visitor);
  } else if constexpr (is_tuple<Plain>) {
    std::apply([&](auto&... element) { (walk(element, visitor), ...); }, value);
  } else {
    std::apply([&](auto&... field) { (walk(field, visitor), ...); }, fields(value));
  }
}

}  // namespace structure
}  // namespace sinter
#pragma GCC visibility pop
