// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/operand.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "src/graph/attributes.h"
#include "src/graph/registry.h"

namespace sinter::ops {

/// An op's name as a template argument.
template <size_t n>
struct OpName {
  char text[n];
  constexpr OpName(const char (&s)[n]) { std::copy_n(s, n, text); }  // NOLINT(google-explicit-constructor)
  constexpr std::string_view view() const { return {text, n - 1}; }
};

/// The registered op of that name; registers all ops first.
const graph::OpDef& registered_op(std::string_view name);

/// The same, looked up once per process.
template <OpName name>
const graph::OpDef& op() {
  static const graph::OpDef& found = registered_op(name.view());
  return found;
}

graph::Number number_of(const Operand& operand);

/// The leading attributes of an op whose arguments may be numbers: for each argument an optional_number, present where
/// the argument is a number. The tensors among the arguments become the operands, in order.
graph::CallAttributes number_attributes(std::initializer_list<const Operand*> arguments);

/// Hands the call to this thread's recorder. Arguments that are numbers must stand in `attributes` already
/// (number_attributes). Moved-in tensors die here, so that a temporary is not alive when a later op of the same
/// expression ends the region. Throws UserError for an undefined tensor, and for a number where the op takes none.
Tensor dispatch(const graph::OpDef& op, std::initializer_list<Operand*> arguments,
                const graph::CallAttributes& attributes = {});

/// The same for an op whose result becomes the contents of the first argument (Recorder::write).
void dispatch_write(const graph::OpDef& op, std::initializer_list<Operand*> arguments,
                    const graph::CallAttributes& attributes);

/// The same for ops over a list of tensors.
Tensor dispatch_list(const graph::OpDef& op, std::vector<Tensor> tensors, const graph::CallAttributes& attributes,
                     SourceLine line);

/// An op without tensor operands.
Tensor dispatch_creation(const graph::OpDef& op, const graph::CallAttributes& attributes, SourceLine line);

/// An op of tensors and numbers with no further attributes.
template <OpName name>
Tensor pointwise(Operand& a) {
  return dispatch(op<name>(), {&a});
}
template <OpName name>
Tensor pointwise(Operand& a, Operand& b) {
  return dispatch(op<name>(), {&a, &b}, number_attributes({&a, &b}));
}
template <OpName name>
Tensor pointwise(Operand& a, Operand& b, Operand& c) {
  return dispatch(op<name>(), {&a, &b, &c}, number_attributes({&a, &b, &c}));
}

}  // namespace sinter::ops
