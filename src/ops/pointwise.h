// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/arguments.h"

namespace sinter::ops {

/// dtypes of a pointwise op: its arguments are converted to `operating`, and its arithmetic gives `result`.
struct PointwiseTypes {
  DType operating;
  DType result;
};

/// Why an op refuses dtypes, and what to do about it.
struct Refusal {
  std::string what;
  std::string fix;
};

/// Everything that distinguishes one pointwise op from another; pointwise_op() makes the definition.
struct Pointwise {
  std::string_view name;
  std::string_view doc;
  size_t arguments = 1;
  bool numbers = false;  ///< arguments may be numbers (always so for two and three arguments)
  NumberUse number_use = NumberUse::compute;
  NumberUse last_number_use = number_use;  ///< of the last argument, where it is no value like the others
  /// Names of number parameters, which take no part in promotion; `compute` gets them after the arguments.
  std::vector<std::string_view> constants = {};
  NumberUse constant_use = NumberUse::compute;
  std::vector<graph::Param> params = {};  ///< beyond the numbers
  PointwiseTypes (*types)(DType common) = nullptr;
  std::optional<Refusal> (*refuse)(std::span<const ArgumentType> arguments, DType common) = nullptr;
  /// The arithmetic, on values of compute_type(operating); `rest` reads `params`. The framework rounds the result.
  std::function<loop::Value(loop::Builder&, std::span<const loop::Value>, DType operating, graph::AttributeReader rest)>
      compute = nullptr;
  /// The same by what hardware approximates, if that is cheaper: OpDef::lower_approximate.
  std::function<loop::Value(loop::Builder&, std::span<const loop::Value>, DType operating, graph::AttributeReader rest)>
      approximate = nullptr;
  double low = -4, high = 4;  ///< sampled operand values
  /// Samples pair every dtype with every other; else with two others, which do where the promotion is that of an op
  /// that has all pairs.
  bool samples_all_pairs = true;
  /// Forms of `constants` and `params` that samples run through; one empty form if there are none.
  std::vector<graph::Attributes> forms = {{}};
};

/// Broadcasts, promotes, reads and converts operands, and samples dtypes, shapes and numbers.
graph::OpDef pointwise_op(Pointwise op);

// Arithmetic that is one scalar op.
template <loop::Value (loop::Builder::*method)(loop::Value)>
loop::Value unary_value(loop::Builder& b, std::span<const loop::Value> v, DType, graph::AttributeReader) {
  return (b.*method)(v[0]);
}
template <loop::Value (loop::Builder::*method)(loop::Value, loop::Value)>
loop::Value binary_value(loop::Builder& b, std::span<const loop::Value> v, DType, graph::AttributeReader) {
  return (b.*method)(v[0], v[1]);
}

// Type rules.
inline PointwiseTypes keeps_dtype(DType t) { return {t, t}; }
inline PointwiseTypes gives_floating(DType t) { return {floating_result(t), floating_result(t)}; }
inline PointwiseTypes gives_boolean(DType t) { return {t, boolean}; }
/// Integers and booleans stay what they are until the arithmetic converts them.
inline PointwiseTypes quotient_is_floating(DType t) { return {t, floating_result(t)}; }
inline PointwiseTypes of_truth_values(DType) { return {boolean, boolean}; }

// Refusals.
std::optional<Refusal> refuse_boolean(std::span<const ArgumentType>, DType common);
std::optional<Refusal> refuse_integers(std::span<const ArgumentType>, DType common);
std::optional<Refusal> refuse_floats(std::span<const ArgumentType>, DType common);
/// For ops that promote nothing: every tensor is of the common dtype.
std::optional<Refusal> refuse_mixed(std::span<const ArgumentType> arguments, DType common);
std::optional<Refusal> refuse_integers_and_mixed(std::span<const ArgumentType> arguments, DType common);

/// A form of number parameters, in their order.
graph::Attributes constants_form(std::initializer_list<double> numbers);

}  // namespace sinter::ops
