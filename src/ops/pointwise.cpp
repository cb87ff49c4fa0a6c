// SPDX-License-Identifier: Apache-2.0
#include "src/ops/pointwise.h"

#include <fmt/format.h>

#include <memory>

#include "src/ops/pointwise_samples.h"
#include "src/reference/elementwise.h"

namespace sinter::ops {
namespace {

constexpr std::string_view number_names[] = {"lhs", "rhs", "third"};

std::vector<Argument> arguments_of(const Pointwise& op, graph::AttributeReader& attributes) {
  return op.numbers ? read_arguments(attributes, op.arguments) : operand_arguments(op.arguments);
}

std::vector<graph::ValueType> infer(const Pointwise& op, graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const auto arguments = arguments_of(op, attributes);
  const auto types = argument_types(arguments, [&](size_t i) -> const graph::ValueType& { return context.operand(i); });
  const DType common = common_dtype(context, types);
  if (op.refuse)
    if (auto refusal = op.refuse(types, common)) context.fail(std::move(refusal->what), std::move(refusal->fix));
  return {{op.types(common).result, context.broadcast_operands()}};
}

loop::Value lower(const Pointwise& op, loop::Reader& reader, std::span<const graph::Expr> index,
                  const decltype(Pointwise::compute)& compute) {
  graph::AttributeReader attributes = reader.attributes();
  const auto arguments = arguments_of(op, attributes);
  const auto types =
      argument_types(arguments, [&](size_t i) -> const graph::ValueType& { return reader.operand_type(i); });
  const DType operating = op.types(*result_type(types)).operating;
  std::vector<loop::Value> values;
  for (const Argument& a : arguments) {
    const NumberUse use = &a == &arguments.back() ? op.last_number_use : op.number_use;
    values.push_back(argument_value(reader, a, index, operating, use));
  }
  for (size_t i = 0; i < op.constants.size(); ++i)
    values.push_back(argument_value(reader, {-1, attributes.number()}, index, operating, op.constant_use));
  return compute(reader.builder(), values, operating, attributes);
}

}  // namespace

std::optional<Refusal> refuse_boolean(std::span<const ArgumentType>, DType common) {
  if (!common.is_boolean()) return std::nullopt;
  return Refusal{"boolean has no arithmetic of this kind; expected an integer or floating dtype",
                 "cast with to(t, u8), or use logical_not, logical_and, logical_or, logical_xor"};
}

std::optional<Refusal> refuse_integers(std::span<const ArgumentType>, DType common) {
  if (common.is_floating()) return std::nullopt;
  return Refusal{fmt::format("expected a floating dtype, got {}", common.name()), "cast with to(t, f32)"};
}

std::optional<Refusal> refuse_floats(std::span<const ArgumentType>, DType common) {
  if (!common.is_floating()) return std::nullopt;
  return Refusal{fmt::format("expected boolean or an integer dtype, got {}", common.name()),
                 "cast with to(t, i32), or compare first"};
}

std::optional<Refusal> refuse_mixed(std::span<const ArgumentType> arguments, DType common) {
  for (const ArgumentType& a : arguments)
    if (a.weight != Weight::number && a.dtype != common)
      return Refusal{fmt::format("expected arguments of one dtype, got {} among {}", a.dtype.name(), common.name()),
                     "cast them with to(t, dtype)"};
  return std::nullopt;
}

std::optional<Refusal> refuse_integers_and_mixed(std::span<const ArgumentType> arguments, DType common) {
  auto refusal = refuse_integers(arguments, common);
  return refusal ? std::move(refusal) : refuse_mixed(arguments, common);
}

graph::Attributes constants_form(std::initializer_list<double> numbers) {
  graph::CallAttributes attributes;
  for (const double n : numbers) attributes.number(graph::Number::of(n));
  return graph::literal_attributes(attributes);
}

graph::OpDef pointwise_op(Pointwise description) {
  if (description.arguments > 1) description.numbers = true;
  const auto op = std::make_shared<const Pointwise>(std::move(description));
  graph::OpDef def;
  def.name = op->name;
  def.doc = op->doc;
  def.op_class = graph::OpClass::pointwise;
  def.min_operands = 1;
  def.max_operands = static_cast<int>(op->arguments);
  for (size_t i = 0; op->numbers && i < op->arguments; ++i)
    def.params.push_back({number_names[i], graph::ParamKind::optional_number});
  for (const std::string_view name : op->constants) def.params.push_back({name, graph::ParamKind::number});
  def.params.insert(def.params.end(), op->params.begin(), op->params.end());
  def.infer = [op](graph::InferContext& context) { return infer(*op, context); };
  def.lower = [op](loop::Reader& reader, std::span<const graph::Expr> index) {
    return lower(*op, reader, index, op->compute);
  };
  if (op->approximate)
    def.lower_approximate = [op](loop::Reader& reader, std::span<const graph::Expr> index) {
      return lower(*op, reader, index, op->approximate);
    };
  def.reference = reference::elementwise;
  def.sample = [op](int variant) { return pointwise_sample(*op, variant); };
  return def;
}

}  // namespace sinter::ops
