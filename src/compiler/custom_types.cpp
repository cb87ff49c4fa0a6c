// SPDX-License-Identifier: Apache-2.0
// How the type rule and the reference of a user's op become those of a graph op.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "src/compiler/custom_op.h"
#include "src/compiler/recorded_graph.h"
#include "src/graph/user_code.h"
#include "src/reference/array.h"
#include "src/tensor/impl.h"

namespace sinter {

/// An Extent is an expression of the graph; its node is all that the public type holds.
struct ExtentAccess {
  static_assert(sizeof(graph::Expr) == sizeof(const void*));
  static Extent wrap(graph::Expr e) {
    Extent x;
    x.node_ = std::bit_cast<const void*>(e);
    return x;
  }
  static graph::Expr unwrap(Extent x) { return std::bit_cast<graph::Expr>(x.node_); }
};

namespace {

Extent wrap(graph::Expr e) { return ExtentAccess::wrap(e); }
graph::Expr unwrap(Extent x) { return ExtentAccess::unwrap(x); }

}  // namespace

Extent::Extent(int64_t value) : Extent(wrap(graph::Expr(value))) {}
std::optional<int64_t> Extent::constant() const { return unwrap(*this).constant(); }
std::string Extent::text() const { return unwrap(*this).text(); }
Extent operator+(Extent a, Extent b) { return wrap(unwrap(a) + unwrap(b)); }
Extent operator-(Extent a, Extent b) { return wrap(unwrap(a) - unwrap(b)); }
Extent operator*(Extent a, Extent b) { return wrap(unwrap(a) * unwrap(b)); }
Extent floor_div(Extent a, Extent b) { return wrap(graph::floordiv(unwrap(a), unwrap(b))); }
Extent ceil_div(Extent a, Extent b) { return wrap(graph::ceildiv(unwrap(a), unwrap(b))); }
Extent min(Extent a, Extent b) { return wrap(graph::min(unwrap(a), unwrap(b))); }
Extent max(Extent a, Extent b) { return wrap(graph::max(unwrap(a), unwrap(b))); }

TypeRule same_as_operand(size_t i) {
  return [i](TypeContext& c) {
    if (i >= c.operands().size()) c.fail(fmt::format("has no operand {}", i));
    return c.operands()[i];
  };
}

}  // namespace sinter

namespace sinter::compiler {
namespace {

class Context final : public TypeContext {
 public:
  explicit Context(graph::InferContext& infer) : infer_(infer) {
    for (size_t i = 0; i < infer.operand_count(); ++i) {
      TensorType t{infer.operand(i).dtype, {}};
      for (graph::Expr e : infer.operand(i).shape) t.shape.push_back(wrap(e));
      operands_.push_back(std::move(t));
    }
    graph::AttributeReader reader = infer.attributes();
    for (const graph::Param& p : infer.op().params)
      if (p.kind == graph::ParamKind::number)
        (void)reader.number();
      else
        attributes_.push_back({std::string(p.name), read_attribute(reader, p)});
  }

  const AttributeValue& attribute(std::string_view name) const override {
    for (const graph::Param& p : infer_.op().params)
      if (p.name == name && p.kind == graph::ParamKind::number)
        infer_.fail(fmt::format("its type rule reads {}, a number that may change from call to call", name),
                    "declare the attribute as an integer");
    return attribute_named(name, attributes_, std::string(infer_.op().name), {});
  }
  bool same(Extent a, Extent b) override { return infer_.same_extent(unwrap(a), unwrap(b)); }
  [[noreturn]] void fail(const std::string& what, const std::string& fix) const override { infer_.fail(what, fix); }

 private:
  graph::InferContext& infer_;
  std::vector<Attribute> attributes_;
};

/// What a user's rule gave, if it is a type.
graph::ValueType checked(graph::InferContext& c, const TensorType& type) {
  if (std::ranges::find(all_dtypes, type.dtype) == std::end(all_dtypes))
    c.fail("its type rule gives a dtype that there is not", "give one of boolean, u8 .. f64");
  if (type.shape.size() > Dims::max_size)
    c.fail(fmt::format("its type rule gives rank {}; at most {} dims are possible", type.shape.size(), Dims::max_size));
  graph::ValueType result{type.dtype, {}};
  for (Extent extent : type.shape) {
    const graph::Expr e = unwrap(extent);
    const auto value = e.constant();
    if (value && (*value < 0 || *value > graph::max_extent))
      c.fail(fmt::format("its type rule gives dim {} the extent {}", result.shape.size(), *value),
             "give extents from 0 on, or refuse the operands with fail()");
    const bool is_symbol = e.kind() == graph::Expr::Kind::symbol;
    if (!value && !is_symbol)
      (void)c.same_extent(graph::max(e, graph::Expr(int64_t{0})), e);  // a guard: never negative
    result.shape.push_back(e);
  }
  return result;
}

CustomTensor host_tensor(const reference::Array& a) {
  return {const_cast<std::byte*>(a.data.data()), a.dtype, a.shape, tensor::contiguous_strides(a.shape)};
}

std::vector<reference::Array> run_reference(const RegisteredOp& op, const graph::Node& node,
                                            std::span<const reference::Array> operands) {
  Dims shape;
  for (graph::Expr e : node.results[0].shape) shape.push_back(*e.constant());
  std::vector<reference::Array> results = {reference::Array::zeros(node.results[0].dtype, shape)};
  CustomCall call;
  for (const reference::Array& a : operands) call.operands.push_back(host_tensor(a));
  call.result = host_tensor(results[0]);
  call.attributes = recorded_attributes(*op.op, node.attributes);
  call.device = Device::cpu();
  const graph::UserCode user_code(&op, op.definition.name);
  op.definition.reference(call);
  return results;
}

graph::ParamKind param_kind(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::flag:
      return graph::ParamKind::flag;
    case AttributeKind::integer:
      return graph::ParamKind::integer;
    case AttributeKind::integers:
      return graph::ParamKind::integers;
    case AttributeKind::dtype:
      return graph::ParamKind::dtype;
    case AttributeKind::number:
      return graph::ParamKind::number;
  }
  throw UserError("register_op: an attribute of no kind");
}

}  // namespace

graph::OpDef graph_definition(const std::shared_ptr<RegisteredOp>& op) {
  const OpDefinition& d = op->definition;
  graph::OpDef def;
  def.name = d.name;
  def.doc = "An op of the user's own.";
  def.op_class = graph::OpClass::call;
  def.min_operands = d.min_operands;
  def.max_operands = d.max_operands;
  for (const AttributeSchema& a : d.attributes) def.params.push_back({a.name, param_kind(a.kind)});
  def.infer = [op](graph::InferContext& c) {
    Context context(c);
    TensorType type;
    {
      const graph::UserCode user_code(op.get(), op->definition.name);
      type = op->definition.type(context);
    }
    return std::vector{checked(c, type)};
  };
  def.reference = [op](const graph::Node& node, std::span<const reference::Array> operands) {
    return run_reference(*op, node, operands);
  };
  def.sample = [](int) -> std::optional<graph::SampleCall> { return std::nullopt; };
  def.call = graph::CallRule{[strided = d.any_strides](const graph::Node&, size_t, graph::OperandLayout& layout) {
    return strided || graph::reads_dense(layout);
  }};
  return def;
}

}  // namespace sinter::compiler
