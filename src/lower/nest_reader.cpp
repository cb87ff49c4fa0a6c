// SPDX-License-Identifier: Apache-2.0
#include "src/lower/nest_reader.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

namespace sinter::lower {

using graph::Expr;
using graph::NodeId;
using loop::Value;

graph::ReductionSpec reduction_of(const graph::Graph& g, NodeId id) { return g.node(id).op->reduction(g.node(id), g); }

size_t NestReader::KeyHash::operator()(const Key& k) const {
  size_t h = static_cast<size_t>(k.node) * 31 + static_cast<size_t>(k.guard + 1);
  for (Expr e : k.index) h = (h ^ e.hash()) * 0x9e3779b97f4a7c15u;
  return h;
}

NestReader::NestReader(const graph::Graph& graph, const BufferOfNode& buffers, loop::Program& program, loop::Nest& nest,
                       const Options& options, graph::Ranges ranges)
    : graph_(graph),
      buffers_(buffers),
      program_(program),
      nest_(nest),
      options_(options),
      ranges_(std::move(ranges)),
      builder_(nest.body) {}

Value NestReader::element(NodeId id, std::vector<Expr> index) {
  for (Expr& e : index) e = graph::simplify(e, ranges_);
  const Key key{id, index, guard_.id};
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  const int buffer = buffers_[static_cast<size_t>(id)];
  Value v;
  if (buffer >= 0) {
    const DType t = graph_.type({id, 0}).dtype;
    v = nest_.body.load(buffer, t, index);
  } else {
    v = expand(id, index);
  }
  memo_.emplace(key, v);
  return v;
}

Value NestReader::expand(NodeId id, const std::vector<Expr>& index) {
  const graph::Node& n = graph_.node(id);
  visited_.insert(id);
  const NodeId outer = std::exchange(current_, id);
  nest_.body.set_message(static_cast<int>(program_.messages.size()));
  const size_t values_before = nest_.body.size();
  const Value v = n.op->op_class == graph::OpClass::reduction ? expand_reduction(n, index) : n.op->lower(*this, index);
  bool checks = false;
  for (size_t i = values_before; i < nest_.body.size(); ++i) {
    const loop::Instruction& in = nest_.body[static_cast<loop::ValueId>(i)];
    checks = checks || (in.kind == loop::InstructionKind::to_index && in.mode == loop::IndexMode::check &&
                        in.id == static_cast<int>(program_.messages.size()));
  }
  if (checks) {
    program_.messages.push_back(
        UserError({std::string(n.op->name), "an index is out of range", n.line, {}, {}}).what());
    program_.uses_status = true;
  }
  current_ = outer;
  return rounded(n, v);
}

Value NestReader::rounded(const graph::Node& n, Value v) {
  const DType t = n.results[0].dtype;
  const DType compute = scalar::compute_type(t);
  if (v.type != compute)
    throw CompileError(fmt::format("internal: {} lowers to {}, not {}", n.op->name, v.type.name(), compute.name()));
  const bool half = t == f16 || t == bf16;
  if (half && !options_.round_each_op) return v;
  return builder_.round_to(v, t);
}

Value NestReader::expand_reduction(const graph::Node& n, const std::vector<Expr>& index) {
  const graph::ReductionSpec spec = n.op->reduction(n, graph_);
  const NodeId operand = n.operands[0].node;
  const auto rank = static_cast<int>(graph_.type(n.operands[0]).shape.size());
  std::vector<Expr> at;
  size_t kept = 0;
  int axis = first_reduction_axis;
  for (int d = 0; d < rank; ++d) {
    const bool reduced = std::ranges::find(spec.dims, d) != spec.dims.end();
    if (reduced) {
      at.push_back(Expr::axis(axis++));
      kept += spec.keepdim;
    } else {
      at.push_back(index[kept++]);
    }
  }
  const Value v = element(operand, at);
  return nest_.body.reduce(spec.kind, builder_.convert(v, n.results[0].dtype));
}

const graph::ValueType& NestReader::operand_type(size_t operand) const { return graph_.type(node().operands[operand]); }

Value NestReader::read(size_t operand, std::span<const Expr> index) {
  return element(node().operands[operand].node, {index.begin(), index.end()});
}

Value NestReader::read_masked(size_t operand, std::span<const Expr> index, Value mask, Value fill) {
  const Value outer = guard_;
  guard_ = outer.id < 0 ? mask : builder_.bit_and(outer, mask);
  nest_.body.set_guard(guard_);
  const Value v = element(node().operands[operand].node, {index.begin(), index.end()});
  guard_ = outer;
  nest_.body.set_guard(guard_);
  return builder_.select(mask, v, fill);
}

Value NestReader::number(const graph::Scalar& s, DType type) {
  const DType t = scalar::compute_type(type);
  if (s.symbol >= 0) return nest_.body.number(s.symbol, t);
  if (s.literal.kind == graph::Number::Kind::floating) return builder_.constant(t, s.literal.as_double());
  if (t == f32) return builder_.f32(static_cast<float>(s.literal.bits));
  if (t == f64) return builder_.f64(static_cast<double>(s.literal.bits));
  if (t == boolean) return builder_.boolean(s.literal.bits != 0);
  return nest_.body.constant(scalar::constant_int(t, s.literal.bits));
}

}  // namespace sinter::lower
