// SPDX-License-Identifier: Apache-2.0
#include "src/ops/dispatch.h"

#include <fmt/format.h>

#include <array>

#include "src/graph/recorder.h"
#include "src/ops/ops.h"

namespace sinter::ops {
namespace {

constexpr size_t max_arguments = 5;

[[noreturn]] void refuse_arguments(const graph::OpDef& op, SourceLine line, std::string what, std::string fix) {
  throw UserError(ErrorParts{
      .op = std::string(op.name), .what = std::move(what), .line = line, .context = {}, .fix = std::move(fix)});
}

void check_defined(const graph::OpDef& op, const Tensor& t, size_t position, SourceLine line) {
  if (!t.defined())
    refuse_arguments(op, line, fmt::format("argument {} is an undefined tensor", position),
                     "give it a value first; a default-constructed or moved-from Tensor has none");
}

/// The leading optional_number parameters belong to the last arguments: where() takes numbers but for its condition.
size_t first_number_argument(const graph::OpDef& op, size_t arguments) {
  size_t numbers = 0;
  while (numbers < op.params.size() && op.params[numbers].kind == graph::ParamKind::optional_number) ++numbers;
  return arguments > numbers ? arguments - numbers : 0;
}

/// The tensors among the arguments of a call, checked.
struct TensorArguments {
  TensorArguments(const graph::OpDef& op, std::initializer_list<Operand*> arguments)
      : line((*arguments.begin())->line()) {
    const size_t first_number = first_number_argument(op, arguments.size());
    size_t position = 0;
    for (const Operand* a : arguments) {
      if (a->is_tensor()) {
        check_defined(op, a->tensor(), position, line);
        tensors[count++] = &a->tensor();
      } else if (position < first_number) {
        refuse_arguments(op, line, fmt::format("argument {} is a number; expected a tensor", position),
                         "full({}, value, dtype) makes a 0-d tensor");
      }
      ++position;
    }
    if (count == 0)
      refuse_arguments(op, line, "all arguments are numbers; expected a tensor",
                       "compute this on the host, or use full()");
  }
  std::span<const Tensor* const> all() const { return {tensors.data(), count}; }

  std::array<const Tensor*, max_arguments> tensors;
  size_t count = 0;
  SourceLine line;
};

}  // namespace

const graph::OpDef& registered_op(std::string_view name) {
  register_all_ops();
  const graph::OpDef* found = graph::find_op(name);
  if (!found) throw CompileError(fmt::format("internal: op {} is not registered", name));
  return *found;
}

graph::Number number_of(const Operand& operand) {
  using Kind = graph::Number::Kind;
  const Kind kind = operand.kind() == Operand::Kind::boolean   ? Kind::boolean
                    : operand.kind() == Operand::Kind::integer ? Kind::integer
                                                               : Kind::floating;
  return {kind, operand.number_bits()};
}

graph::CallAttributes number_attributes(std::initializer_list<const Operand*> arguments) {
  graph::CallAttributes attributes;
  for (const Operand* a : arguments) {
    attributes.flag(!a->is_tensor());
    if (!a->is_tensor()) attributes.number(number_of(*a));
  }
  return attributes;
}

Tensor dispatch(const graph::OpDef& op, std::initializer_list<Operand*> arguments,
                const graph::CallAttributes& attributes) {
  const TensorArguments tensors(op, arguments);
  Tensor result = graph::current_recorder().call({&op, tensors.all(), &attributes, tensors.line});
  for (Operand* a : arguments) a->release();
  return result;
}

void dispatch_write(const graph::OpDef& op, std::initializer_list<Operand*> arguments,
                    const graph::CallAttributes& attributes) {
  const TensorArguments tensors(op, arguments);
  graph::current_recorder().write({&op, tensors.all(), &attributes, tensors.line});
  for (Operand* a : arguments) a->release();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the list dies here, so that temporaries do not outlive their op
Tensor dispatch_list(const graph::OpDef& op, std::vector<Tensor> tensors, const graph::CallAttributes& attributes,
                     SourceLine line) {
  if (tensors.empty()) refuse_arguments(op, line, "the list of tensors is empty; expected at least one", {});
  std::vector<const Tensor*> operands;
  for (const Tensor& t : tensors) {
    check_defined(op, t, operands.size(), line);
    operands.push_back(&t);
  }
  return graph::current_recorder().call({&op, operands, &attributes, line});
}

Tensor dispatch_creation(const graph::OpDef& op, const graph::CallAttributes& attributes, SourceLine line) {
  return graph::current_recorder().call({&op, {}, &attributes, line});
}

}  // namespace sinter::ops
