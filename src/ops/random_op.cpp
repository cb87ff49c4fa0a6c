// SPDX-License-Identifier: Apache-2.0
#include "src/ops/random_op.h"

#include <memory>

#include "src/graph/recorder.h"
#include "src/ops/move_elements.h"

namespace sinter::ops {
namespace {

using Shared = std::shared_ptr<const RandomOp>;
using Types = std::vector<graph::ValueType>;

/// The attributes of a call, read up to `params`.
struct RandomCall {
  graph::Scalar draw;
  std::vector<graph::Expr> shape;
  DType dtype;
  graph::AttributeReader rest;

  explicit RandomCall(graph::AttributeReader reader)
      : draw(reader.number()), shape(reader.extents()), dtype(reader.dtype()), rest(reader) {}
};

Types infer_random(const RandomOp& op, graph::InferContext& context) {
  check_state(context, 0);
  const RandomCall call(context.attributes());
  for (const graph::Expr extent : call.shape)
    if (extent.constant().value_or(0) < 0) context.fail("extent " + extent.text() + " is negative");
  op.check(context, call.dtype, call.rest);
  return {{call.dtype, call.shape}};
}

loop::Value lower_random(const RandomOp& op, loop::Reader& reader, std::span<const graph::Expr> index) {
  const RandomCall call(reader.attributes());
  return op.element(reader, random_block(reader, index, call.draw, op.k(call.dtype)), call.dtype, call.rest);
}

std::vector<reference::Array> reference_random(const RandomOp& op, const graph::Node& node,
                                               std::span<const reference::Array> operands) {
  const RandomCall call{graph::AttributeReader(node.attributes)};
  const ReferenceWords words(operands[0], call.draw);
  const int k = op.k(call.dtype);
  reference::Array result = reference::Array::zeros(call.dtype, literal_extents(call.shape));
  for (int64_t i = 0; i < result.size(); ++i) {
    const auto n = static_cast<uint64_t>(i);
    const auto place = static_cast<uint32_t>(n & ((uint64_t{1} << k) - 1));
    result.set(i, op.reference(words.block(n >> k), place, call.dtype, call.rest));
  }
  return {std::move(result)};
}

// The same like an operand

/// draw, whether a dtype is given, and which.
struct LikeCall {
  graph::Scalar draw;
  DType dtype;
  graph::AttributeReader rest;

  LikeCall(graph::AttributeReader reader, DType operand) : draw(reader.number()), dtype(operand), rest(reader) {
    const bool given = rest.flag();
    const DType wanted = rest.dtype();
    if (given) dtype = wanted;
  }
};

Types infer_like(const RandomOp& op, graph::InferContext& context) {
  check_state(context, 1);
  const LikeCall call(context.attributes(), context.operand(0).dtype);
  op.check(context, call.dtype, call.rest);
  return {{call.dtype, context.operand(0).shape}};
}

/// The attributes of the op for a node of its like-op: the shape stands in place of the flag.
graph::Attributes attributes_of(const graph::Node& node) {
  const graph::ValueType& type = node.results[0];
  graph::Attributes made;
  made.words = {static_cast<int64_t>(type.shape.size()), graph::word_of(type.dtype)};
  made.words.insert(made.words.end(), node.attributes.words.begin() + 2, node.attributes.words.end());
  made.scalars = {node.attributes.scalars[0]};
  for (const graph::Expr e : type.shape) made.scalars.push_back({graph::Number::of(0), -1, e, true});
  made.scalars.insert(made.scalars.end(), node.attributes.scalars.begin() + 1, node.attributes.scalars.end());
  return made;
}

std::vector<reference::Array> reference_like(const RandomOp& op, const graph::Node& node,
                                             std::span<const reference::Array> operands) {
  graph::Node plain = node;
  plain.results[0].shape.assign(operands[0].shape.begin(), operands[0].shape.end());
  plain.attributes = attributes_of(plain);
  return reference_random(op, plain, operands.subspan(1));
}

/// The op's samples with its shape and, for every other one, its dtype from the operand.
std::vector<graph::SampleCall> like_samples(const RandomOp& op) {
  std::vector<graph::SampleCall> list;
  for (const graph::SampleCall& sample : op.samples()) {
    const RandomCall call{graph::AttributeReader(sample.attributes)};
    const bool given = list.size() % 2 != 0;
    graph::SampleCall like = sample;
    like.operands.insert(like.operands.begin(), {given ? i8 : call.dtype, call.shape});
    like.attributes.words[0] = given;
    const auto extents = like.attributes.scalars.begin() + 1;
    like.attributes.scalars.erase(extents, extents + static_cast<std::ptrdiff_t>(call.shape.size()));
    list.push_back(std::move(like));
  }
  return list;
}

void register_plain(const Shared& op) {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = op->name;
  def.doc = op->doc;
  def.op_class = graph::OpClass::indexed;
  def.params = {{"draw", Kind::number}, {"shape", Kind::extents}, {"dtype", Kind::dtype}};
  def.params.insert(def.params.end(), op->params.begin(), op->params.end());
  def.infer = [op](graph::InferContext& context) { return infer_random(*op, context); };
  def.lower = [op](loop::Reader& reader, std::span<const graph::Expr> index) {
    return lower_random(*op, reader, index);
  };
  def.reference = [op](const graph::Node& node, std::span<const reference::Array> operands) {
    return reference_random(*op, node, operands);
  };
  def.sample = sample_list(op->samples);
  graph::register_op(std::move(def));
}

void register_like(const Shared& op) {
  using Kind = graph::ParamKind;
  graph::OpDef def;
  def.name = op->like_name;
  def.doc = op->like_doc;
  def.op_class = graph::OpClass::indexed;
  def.min_operands = def.max_operands = 2;
  def.params = {{"draw", Kind::number}, {"given", Kind::flag}, {"dtype", Kind::dtype}};
  def.params.insert(def.params.end(), op->params.begin(), op->params.end());
  def.infer = [op](graph::InferContext& context) { return infer_like(*op, context); };
  def.decompose = [op](graph::Graph& g, const graph::Node& node) -> std::vector<graph::Value> {
    return {{g.add(*graph::find_op(op->name), {node.operands[1]}, attributes_of(node), node.line), 0}};
  };
  def.reference = [op](const graph::Node& node, std::span<const reference::Array> operands) {
    return reference_like(*op, node, operands);
  };
  def.sample = sample_list([op] { return like_samples(*op); });
  graph::register_op(std::move(def));
}

}  // namespace

void register_random(const RandomOp& op) {
  const auto shared = std::make_shared<const RandomOp>(op);
  register_plain(shared);
  register_like(shared);
}

Tensor dispatch_draw(const graph::OpDef& op, const Draw& draw, const graph::CallAttributes& attributes,
                     SourceLine line) {
  const Tensor* const operands[] = {&draw.state};
  return graph::current_recorder().call({&op, operands, &attributes, line});
}

graph::SampleCall random_sample(const graph::CallAttributes& attributes) {
  // Words of the state beyond 32 bits.
  return sample_call({sample_type(u64, {2})}, attributes, 0, 1.8e19);
}

}  // namespace sinter::ops
