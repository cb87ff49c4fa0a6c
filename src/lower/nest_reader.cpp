// SPDX-License-Identifier: Apache-2.0
#include "src/lower/nest_reader.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

#include "src/graph/seeded_fault.h"
#include "src/lower/legality.h"
#include "src/lower/limits.h"

namespace sinter::lower {

using graph::Expr;
using graph::NodeId;
using graph::OpClass;
using loop::Value;

bool is_accumulation(const graph::Node& node) {
  return node.op != nullptr && node.op->op_class == OpClass::accumulation;
}

graph::Expr element_count(const graph::ValueType& type) { return graph::product(type.shape); }

std::vector<Expr> wide_extents(std::span<const Expr> shape) {
  std::vector<Expr> wide;
  for (Expr e : shape)
    if (!e.is_constant(1)) wide.push_back(e);
  return wide;
}

size_t NestReader::KeyHash::operator()(const Key& k) const {
  size_t h = static_cast<size_t>(k.node) * 31 + static_cast<size_t>(k.guard + 1);
  for (Expr e : k.index) h = (h ^ e.hash()) * 0x9e3779b97f4a7c15u;
  return h;
}

NestReader::NestReader(const graph::Graph& graph, const Options& options, Materialized& materialized, Space space,
                       std::vector<NodeId> roots)
    : graph_(graph),
      options_(options),
      materialized_(materialized),
      space_(std::move(space)),
      roots_(std::move(roots)),
      ranges_(graph.ranges) {
  body_.keep_approximations();
  set_axis_ranges();
  body_.use_ranges(&ranges_);
}

void NestReader::set_axis_ranges() {
  for (size_t a = 0; a < space_.extents.size(); ++a) ranges_.set_axis_extent(static_cast<int>(a), space_.extents[a]);
}

loop::Body NestReader::take_body() {
  body_.use_ranges(nullptr);
  return std::move(body_);
}

std::vector<loop::Axis> NestReader::axes() const {
  std::vector<loop::Axis> axes;
  for (size_t a = 0; a < space_.extents.size(); ++a) axes.push_back({space_.extents[a], a >= space_.parallel});
  return axes;
}

namespace {

/// Axes are the dims but those of extent 1.
std::vector<Expr> axes_index(std::span<const Expr> shape) {
  std::vector<Expr> index;
  int axis = 0;
  for (Expr e : shape) index.push_back(e.is_constant(1) ? Expr(0) : Expr::axis(axis++));
  return index;
}

}  // namespace

std::vector<Expr> NestReader::store_index(NodeId root) const { return axes_index(graph_.type({root, 0}).shape); }

Value NestReader::root_element(NodeId root) {
  return builder_.round_to(element(root, store_index(root)), graph_.type({root, 0}).dtype);
}

loop::Store NestReader::root_store(NodeId root) {
  if (is_accumulation(graph_.node(root))) return contribution(root);
  return {root, store_index(root), root_element(root).id};
}

loop::Store NestReader::contribution(NodeId root) {
  const graph::Node& n = graph_.node(root);
  current_ = root;
  body_.set_message(root);
  loop::Contribution c = n.op->accumulate(*this, axes_index(graph_.type(n.operands[0]).shape));
  costs_.emplace(root, 1);
  return {root, std::move(c.index), c.value.id, c.fold};
}

bool NestReader::has_memory(NodeId id) const { return graph_.node(id).op == nullptr || materialized_.contains(id); }

bool NestReader::is_own_store(NodeId id, const std::vector<Expr>& index) const {
  return std::ranges::find(roots_, id) != roots_.end() && index == store_index(id);
}

Value NestReader::element(NodeId id, std::vector<Expr> index) {
  for (Expr& e : index) e = simplify(e, ranges_);
  const Key key{id, index, guard_.id};
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  const bool own = graph_.node(id).op != nullptr && is_own_store(id, index);
  Value v;
  if (has_memory(id) && !own) {
    v = load(id, index);
  } else if (const std::string why = own ? "" : why_before_expanding(id); !why.empty()) {
    v = materialize(id, index, why);
  } else {
    v = expand(id, index);
  }
  memo_.emplace(key, v);
  return v;
}

Value NestReader::load(NodeId id, const std::vector<Expr>& index) {
  buffers_.insert(id);
  return body_.load(id, graph_.type({id, 0}).dtype, index);
}

Value NestReader::materialize(NodeId id, const std::vector<Expr>& index, std::string why) {
  materialized_.emplace(id, std::move(why));
  found_ = true;
  return load(id, index);
}

Value NestReader::expand(NodeId id, const std::vector<Expr>& index) {
  const NodeId outer = std::exchange(current_, id);
  body_.set_message(id);
  ++depth_;
  const size_t before = body_.size();
  const graph::Node& n = graph_.node(id);
  const bool reduction = n.op->op_class == OpClass::reduction, scan = n.op->op_class == OpClass::scan;
  Value v = reduction ? expand_reduction(id, index) : scan ? expand_scan(id, index) : expand_op(n, index);
  --depth_;
  current_ = outer;
  body_.set_message(outer);
  const int cost = weight(before);
  costs_.emplace(id, cost);
  ++addresses_[id];
  if (!reduction && !scan && !is_own_store(id, index) && !has_memory(id))
    if (std::string why = why_after_expanding(id, index, cost); !why.empty())
      v = materialize(id, index, std::move(why));
  return v;
}

Value NestReader::expand_op(const graph::Node& n, const std::vector<Expr>& index) {
  return rounded(n, n.op->lower(*this, index));
}

Value NestReader::rounded(const graph::Node& n, Value v) {
  const DType t = n.results[0].dtype, compute = scalar::compute_type(t);
  if (v.type != compute)
    throw CompileError(fmt::format("internal: {} lowers to {}, not {}", n.op->name, v.type.name(), compute.name()));
  if (n.op->op_class == OpClass::view) return v;
  if (planted(graph::Fault::dropped_round_to)) return v;  // tests only
  const bool half = t == f16 || t == bf16;
  return half && !options_.round_each_op ? v : builder_.round_to(v, t);
}

int NestReader::weight(size_t first) const {
  int w = 0;
  for (size_t i = first; i < body_.size(); ++i) {
    const loop::InstructionKind kind = body_[static_cast<loop::ValueId>(i)].kind;
    if (kind == loop::InstructionKind::constant || kind == loop::InstructionKind::number) continue;
    w += kind == loop::InstructionKind::load ? load_weight : 1;
  }
  return w;
}

std::string NestReader::why_before_expanding(NodeId id) const {
  const graph::Node& n = graph_.node(id);
  if (n.op->op_class == OpClass::view) return {};
  if (!options_.fuse) return "fusion is off";
  const bool leaf = std::ranges::all_of(n.operands, [&](graph::Value v) { return has_memory(v.node); });
  if (!leaf || n.op->op_class == OpClass::reduction || n.op->op_class == OpClass::scan) {
    if (depth_ >= max_depth || costs_.size() >= max_nodes)
      return fmt::format("{} ops are enough for one kernel", costs_.size());
    if (body_.size() >= max_instructions) return fmt::format("{} instructions are enough for one kernel", body_.size());
    if (buffers_.size() >= max_buffers) return fmt::format("{} buffers are enough for one kernel", buffers_.size());
  }
  const auto seen = addresses_.find(id);
  if (seen == addresses_.end()) return {};
  const int again = costs_.at(id) * seen->second;
  if (again <= max_repeated) return {};
  return fmt::format("{} reads it at {} addresses: {} instructions again are dearer than memory",
                     current_ < 0 ? "the kernel" : graph_.node(current_).op->name, seen->second + 1, again);
}

std::string NestReader::why_after_expanding(NodeId id, const std::vector<Expr>& index, int cost) {
  if (cost <= max_repeated || graph_.node(id).op->op_class == OpClass::view) return {};
  // Beside a fold, what varies with the parallel axes alone is computed once a row.
  const bool inner = axes_of(index) >> space_.parallel != 0;
  const auto all = points(0, inner ? space_.extents.size() : space_.parallel).constant();
  const auto own = element_count(graph_.type({id, 0})).constant();
  if (!own || !all || *own > *all / 8) return {};
  return fmt::format("its {} elements are read {} times: {} instructions each are dearer than memory", *own,
                     *all / std::max<int64_t>(*own, 1), cost);
}

Expr NestReader::points(size_t first, size_t last) const {
  return graph::product(std::span(space_.extents).subspan(first, last - first));
}

loop::AxisSet NestReader::axes_of(const std::vector<Expr>& index) {
  const loop::AxisSet reduced = ~loop::AxisSet{0} << space_.parallel;
  while (dependence_.size() < body_.size()) {
    const loop::Instruction& in = body_[static_cast<loop::ValueId>(dependence_.size())];
    loop::AxisSet a = 0;
    for (loop::ValueId v : in.operands)
      if (v >= 0) a |= dependence_[static_cast<size_t>(v)];
    for (Expr e : in.index) a |= loop::axes_of(e, dependence_);
    dependence_.push_back(in.kind == loop::InstructionKind::reduce ? a & ~reduced : a);
  }
  loop::AxisSet a = 0;
  for (Expr e : index) a |= loop::axes_of(e, dependence_);
  return a;
}

/// Tries to give the reduction the nest's reduction axes, which it fixes if it is the first one.
std::string NestReader::why_reduction_does_not_fit(NodeId id, const std::vector<Expr>& index,
                                                   const std::vector<Expr>& reduced) {
  if (guard_.id >= 0) return "a reduction is read under a mask";
  if (space_.scans()) return "the kernel scans";
  if (is_accumulation(graph_.node(roots_[0]))) return "a kernel that accumulates has no folds";
  const loop::AxisSet used = axes_of(index);
  if (!space_.reduces()) {
    // Each point of the nest needs one fold: append the folded dims. Or the folded dims are the nest's last axes.
    const size_t rank = space_.extents.size();
    size_t kept = rank;
    while (kept > 0 && (used >> (kept - 1) & 1) == 0) --kept;
    const std::vector<Expr> last(space_.extents.begin() + static_cast<std::ptrdiff_t>(kept), space_.extents.end());
    if (kept == rank) {
      space_.extents.insert(space_.extents.end(), reduced.begin(), reduced.end());
    } else if (last == reduced) {
      if (std::string why = why_row_is_too_long(options_, points(0, kept), graph::product(reduced)); !why.empty())
        return why;
    } else {
      return "it is read again along axes that are not the folded ones";
    }
    space_.parallel = kept;
    set_axis_ranges();
    dependence_.clear();
  }
  const std::vector<Expr> folded(space_.extents.begin() + static_cast<std::ptrdiff_t>(space_.parallel),
                                 space_.extents.end());
  if (folded != reduced) return "another reduction of the kernel folds other extents";
  const loop::AxisSet all = (loop::AxisSet{1} << space_.parallel) - 1;
  if ((used & ~all) != 0) return "it is read along the folded axes of another reduction";
  const Expr own = element_count(graph_.type({id, 0})), rows = points(0, space_.parallel);
  const bool once = own == rows || (own.constant() && rows.constant() && *own.constant() >= *rows.constant());
  return once ? std::string() : "its elements are read several times each";
}

Value NestReader::expand_reduction(NodeId id, const std::vector<Expr>& index) {
  const graph::Node& n = graph_.node(id);
  const graph::ReductionSpec spec = n.op->reduction(n, graph_);
  const graph::ValueType& operand = graph_.type(n.operands[0]);
  std::vector<Expr> extents;
  for (int d : spec.dims) extents.push_back(operand.shape[static_cast<size_t>(d)]);
  const std::vector<Expr> reduced = wide_extents(extents);
  if (!reduced.empty())
    if (std::string why = why_reduction_does_not_fit(id, index, reduced); !why.empty())
      return materialize(id, index, std::move(why));
  std::vector<Expr> at;
  size_t kept = 0, next = 0;
  auto axis = static_cast<int>(space_.parallel);
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    const bool folded = next < spec.dims.size() && spec.dims[next] == static_cast<int>(d);
    if (!folded) {
      at.push_back(index[kept++]);
      continue;
    }
    ++next;
    kept += spec.keepdim ? 1 : 0;
    at.push_back(operand.shape[d].is_constant(1) ? Expr(0) : Expr::axis(axis++));
  }
  const Value v = builder_.convert(element(n.operands[0].node, at), n.results[0].dtype);
  if (reduced.empty()) return rounded(n, v);
  const Value folded = body_.reduce(spec.kind, v);
  folds_.emplace_back(folded.id, id);
  return rounded(n, folded);
}

void NestReader::part_stages() {
  if (!space_.reduces() || folds_.size() < 2) return;
  const std::string why = why_row_is_too_long(options_, space_);
  if (why.empty()) return;
  const std::vector<bool> folded = loop::folded_instructions(body_);
  for (const auto& [value, id] : folds_)
    if (folded[static_cast<size_t>(value)] && std::ranges::find(roots_, id) == roots_.end())
      found_ = materialized_.emplace(id, why).second || found_;
}

/// A scan goes along the axis that it is read along, once for each point of the other axes.
std::string NestReader::why_scan_does_not_fit(NodeId id, const std::vector<Expr>& index, size_t dim) {
  if (guard_.id >= 0) return "a scan is read under a mask";
  if (space_.reduces()) return "the kernel folds";
  const Expr at = index[dim], extent = graph_.type({id, 0}).shape[dim];
  const bool along = at.kind() == Expr::Kind::axis && space_.extents[static_cast<size_t>(at.id())] == extent;
  if (!along) return "it is not read along an axis of the kernel";
  if (space_.scans() && space_.scan != at.id()) return "another scan of the kernel goes along another axis";
  std::vector<Expr> others = index;
  others[dim] = 0;
  if ((axes_of(others) >> at.id() & 1) != 0) return "it is read along its axis in other dims too";
  const Expr own = element_count(graph_.type({id, 0})), all = points(0, space_.extents.size());
  const bool once = own == all || (own.constant() && all.constant() && *own.constant() >= *all.constant());
  if (!once) return "its elements are read several times each";
  space_.scan = at.id();
  return {};
}

Value NestReader::expand_scan(NodeId id, const std::vector<Expr>& index) {
  const graph::Node& n = graph_.node(id);
  const graph::ValueType& operand = graph_.type(n.operands[0]);
  const graph::ScanSpec spec = operand.rank() == 0 ? graph::ScanSpec{} : n.op->scan(n, graph_);
  const bool single = operand.rank() == 0 || operand.shape[static_cast<size_t>(spec.dim)].is_constant(1);
  if (!single)
    if (std::string why = why_scan_does_not_fit(id, index, static_cast<size_t>(spec.dim)); !why.empty())
      return materialize(id, index, std::move(why));
  const graph::ScanKind kind = n.op->scan(n, graph_).kind;
  const bool pairs = scalar::scans_pairs(kind);
  if (single && pairs) return builder_.i64(0);
  Value v = element(n.operands[0].node, index);
  if (!pairs) v = builder_.convert(v, n.results[0].dtype);
  if (single) return rounded(n, v);
  const int axis = index[static_cast<size_t>(spec.dim)].id();
  const Value position = pairs ? body_.index_value(Expr::axis(axis), i64) : Value{};
  return rounded(n, body_.scan(kind, axis, v, position));
}

const graph::ValueType& NestReader::operand_type(size_t operand) const { return graph_.type(node().operands[operand]); }

Value NestReader::read(size_t operand, std::span<const Expr> index) {
  return element(node().operands[operand].node, {index.begin(), index.end()});
}

Value NestReader::read_masked(size_t operand, std::span<const Expr> index, Value mask, Value fill) {
  const loop::Instruction& in = body_[mask.id];
  if (in.kind == loop::InstructionKind::constant) return in.bits != 0 ? read(operand, index) : fill;
  const Value outer = guard_;
  guard_ = outer.id < 0 ? mask : builder_.bit_and(outer, mask);
  body_.set_guard(guard_);
  const Value v = read(operand, index);
  guard_ = outer;
  body_.set_guard(guard_);
  const loop::Instruction& read = body_[v.id];
  const bool takes_fill = read.kind == loop::InstructionKind::load && read.operands[0] == mask.id;
  if (!takes_fill) return builder_.select(mask, v, fill);
  return body_.load(read.id, read.attribute, read.index, mask, fill);
}

Value NestReader::number(const graph::Scalar& s, DType type) {
  const DType t = scalar::compute_type(type);
  const bool frozen = planted(graph::Fault::frozen_number);  // tests only
  if (s.symbol >= 0 && !frozen) return body_.number(s.symbol, t);
  const bool floating = s.literal.kind == graph::Number::Kind::floating;
  const scalar::Constant given =
      floating ? scalar::constant_f64(s.literal.as_double()) : scalar::constant_int(i64, s.literal.bits);
  return body_.constant(scalar::evaluate(loop::ScalarOp::convert, {{given}}, t));
}

}  // namespace sinter::lower
