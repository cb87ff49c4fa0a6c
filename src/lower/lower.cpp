// SPDX-License-Identifier: Apache-2.0
#include "src/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "src/graph/registry.h"
#include "src/loop/address.h"
#include "src/lower/aliases.h"
#include "src/lower/collapse.h"
#include "src/lower/join_groups.h"
#include "src/lower/plan.h"
#include "src/lower/rebuild.h"
#include "src/lower/split_boxes.h"
#include "src/lower/writes.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::NodeId;
using loop::Program;

/// Turns a plan into a program: nodes become buffers, check numbers become messages.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const graph::Graph& g, const std::vector<InPlaceStore>& in_place)
      : g_(g), in_place_(in_place) {
    program_.name = identifier();
    program_.ranges = g_.ranges;
    program_.symbol_count = g_.symbol_count();
    program_.aliases = find_aliases(g_);
    note_numbers();
    add_inputs();
    for (size_t i = 0; i < g_.outputs().size(); ++i)
      if (!is_alias(i)) add_buffer(g_.outputs()[i].node, loop::BufferRole::output, static_cast<int>(i));
    for (const InPlaceStore& s : in_place_) add_place(s);
  }

  Program run(Plan planned) {
    int temporaries = 0;
    for (const auto& [id, why] : planned.materialized)
      if (!stores_.contains(id)) add_buffer(id, loop::BufferRole::temporary, temporaries++);
    for (PlannedGroup& group : planned.groups) {
      if (group.is_call)
        add_call(group);
      else if (is_accumulation(g_.node(group.roots[0])))
        add_accumulation(std::move(group));
      else
        add_group(std::move(group));
    }
    return std::move(program_);
  }

 private:
  void note_numbers() {
    program_.number_types.assign(static_cast<size_t>(g_.symbol_count()), boolean);
    for (NodeId id = 0; id < g_.size(); ++id)
      for (const graph::Scalar& s : g_.node(id).attributes.scalars)
        if (s.symbol >= 0)
          program_.number_types[static_cast<size_t>(s.symbol)] =
              s.literal.kind == graph::Number::Kind::floating ? f64 : i64;
  }

  void add_inputs() {
    for (size_t i = 0; i < g_.inputs().size(); ++i) {
      const graph::ValueType& t = g_.type(g_.inputs()[i]);
      const graph::Layout& l = g_.input_layout(i);
      loads_[g_.inputs()[i].node] = static_cast<int>(program_.buffers.size());
      program_.buffers.push_back({t.dtype, loop::BufferRole::input, static_cast<int>(i), t.shape, l.strides, l.offset});
    }
  }

  bool in_place_node(NodeId id) const {
    return std::ranges::find(in_place_, id, &InPlaceStore::node) != in_place_.end();
  }

  bool is_alias(size_t output) const {
    return std::ranges::any_of(program_.aliases,
                               [&](const loop::Alias& a) { return a.output == static_cast<int>(output); });
  }

  /// The part of an input's memory that is written; all of it is the input's own buffer.
  void add_place(const InPlaceStore& s) {
    const graph::ValueType& t = g_.type({s.node, 0});
    int number = loads_.at(g_.inputs()[static_cast<size_t>(s.input)].node);
    if (!s.whole) {
      number = static_cast<int>(program_.buffers.size());
      program_.buffers.push_back(
          {t.dtype, loop::BufferRole::input, s.input, t.shape, s.layout.strides, s.layout.offset});
    }
    program_.buffers[static_cast<size_t>(number)].written = true;
    stores_[s.node] = {number};
  }

  /// In a kernel that writes to an input, what it reads of it is read through the same buffer: order_writes() saw to it
  /// that these are the elements that it writes.
  void read_where_written(const PlannedGroup& planned, std::vector<loop::Instruction>& instructions) const {
    for (const InPlaceStore& s : in_place_) {
      const bool here = std::ranges::find(planned.roots, s.node) != planned.roots.end();
      if (!here || s.whole) continue;
      for (loop::Instruction& in : instructions)
        if (in.kind == loop::InstructionKind::load && in.id == g_.inputs()[static_cast<size_t>(s.input)].node) {
          in.id = s.node;
          in.index = planned.store_of(s.node).index;
        }
    }
  }

  /// A value that leaves twice is stored twice.
  void add_buffer(NodeId id, loop::BufferRole role, int position) {
    const graph::ValueType& t = g_.type({id, 0});
    const auto number = static_cast<int>(program_.buffers.size());
    program_.buffers.push_back({t.dtype, role, position, t.shape, loop::row_major_strides(t.shape), 0});
    loads_.emplace(id, number);  // an input that is copied is read where it was
    stores_[id].push_back(number);
  }

  /// An accumulation starts from the identity of its fold.
  void add_fill(const PlannedGroup& planned) {
    const loop::Store& store = planned.nest.stores[0];
    const DType t = scalar::compute_type(g_.type({store.buffer, 0}).dtype);
    loop::Group group = named_group();
    group.nodes = {store.buffer};
    group.notes = {fmt::format("%{} starts from the identity of its fold", store.buffer)};
    loop::Nest& nest = group.nests.emplace_back();
    std::vector<Expr> index = over(nest, g_.type({store.buffer, 0}).shape);
    const loop::Value identity = nest.body.constant(scalar::reduction_identity(*store.fold, t));
    nest.stores.push_back({stores_.at(store.buffer)[0], std::move(index), identity.id});
    if (!writes_something(nest)) group.nests.clear();
    program_.groups.push_back(std::move(group));
  }

  void add_accumulation(PlannedGroup planned) {
    const NodeId root = planned.roots[0];
    add_fill(planned);
    const std::vector<int> stores = std::exchange(stores_.at(root), {stores_.at(root)[0]});
    add_group(std::move(planned));
    for (size_t i = 1; i < stores.size(); ++i) add_copy(root, stores[0], stores[i]);
  }

  void add_group(PlannedGroup planned) {
    loop::Group group = named_group();
    group.notes = std::move(planned.notes);
    for (const auto& [id, cost] : planned.costs) {
      group.nodes.push_back(id);
      group.comments.push_back(comment(id));
    }
    loop::Nest& nest = planned.nest;
    std::vector<loop::Instruction> instructions(nest.body.instructions().begin(), nest.body.instructions().end());
    read_where_written(planned, instructions);
    for (loop::Instruction& in : instructions) {  // the dead ones may name nodes without memory
      if (in.kind == loop::InstructionKind::load && in_place_node(in.id))
        in.id = stores_.at(in.id).front();
      else if (in.kind == loop::InstructionKind::load && planned.reads.contains(in.id))
        in.id = loads_.at(in.id);
      if (in.kind == loop::InstructionKind::to_index && in.mode == loop::IndexMode::check) in.id = message(in.id);
    }
    rebuild(nest, std::move(instructions), loop::nest_ranges(nest, program_.ranges));
    std::vector<loop::Store> stores;
    for (const loop::Store& s : nest.stores)
      for (int buffer : stores_.at(s.buffer)) stores.push_back({buffer, s.index, s.value, s.fold});
    nest.stores = std::move(stores);
    if (writes_something(nest)) group.nests.push_back(std::move(nest));
    program_.groups.push_back(std::move(group));
  }

  void add_call(const PlannedGroup& planned) {
    const NodeId id = planned.roots[0];
    const graph::Node& n = g_.node(id);
    loop::Group group = named_group();
    group.nodes = {id};
    group.comments = {comment(id)};
    loop::Call& call = group.call.emplace();
    call.op = n.op;
    call.attributes = n.attributes;
    for (size_t i = 0; i < planned.operands.size(); ++i) {
      const auto& [view, copied] = planned.operands[i];
      call.operands.push_back({copied ? stores_.at(view.base)[0] : loads_.at(view.base), g_.type(n.operands[i]).shape,
                               view.strides, view.offset});
    }
    const std::vector<int>& stores = stores_.at(id);
    const std::vector<Expr>& shape = n.results[0].shape;
    call.results.push_back({stores[0], shape, loop::row_major_strides(shape), 0});
    program_.groups.push_back(std::move(group));
    for (size_t i = 1; i < stores.size(); ++i) add_copy(id, stores[0], stores[i]);
  }

  /// A call writes one buffer; where its result leaves twice the other one is a copy.
  void add_copy(NodeId id, int from, int to) {
    loop::Group group = named_group();
    const graph::ValueType& type = g_.type({id, 0});
    loop::Nest& nest = group.nests.emplace_back();
    const std::vector<Expr> index = over(nest, type.shape);
    nest.stores.push_back({to, index, nest.body.load(from, type.dtype, index).id});
    if (!writes_something(nest)) group.nests.clear();
    program_.groups.push_back(std::move(group));
  }

  /// An axis for each dim.
  static std::vector<Expr> over(loop::Nest& nest, const std::vector<Expr>& shape) {
    std::vector<Expr> index;
    for (Expr e : shape) {
      index.push_back(Expr::axis(static_cast<int>(nest.axes.size())));
      nest.axes.push_back({e, false});
    }
    return index;
  }

  loop::Group named_group() const {
    loop::Group group;
    group.name = fmt::format("{}_{}", program_.name, program_.groups.size());
    return group;
  }

  static bool writes_something(const loop::Nest& nest) {
    return std::ranges::none_of(nest.axes, [](const loop::Axis& a) { return !a.reduction && a.extent.is_constant(0); });
  }

  std::string identifier() const {
    std::string name = g_.name.empty() ? "kernel" : g_.name;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "k");
    return name;
  }

  std::string comment(NodeId id) const {
    const graph::Node& n = g_.node(id);
    std::string operands, shape;
    for (graph::Value v : n.operands) operands += fmt::format("{}%{}", operands.empty() ? "" : ", ", v.node);
    for (Expr e : n.results[0].shape) shape += (shape.empty() ? "" : ",") + e.text();
    const std::string line = n.line.text();
    return fmt::format("%{} {} [{}] = {}({}){}", id, n.results[0].dtype.name(), shape, n.op->name, operands,
                       line.empty() ? "" : "   " + line);
  }

  int message(NodeId id) {
    const graph::Node& n = g_.node(id);
    const std::string line = n.line.text();
    const std::string text =
        fmt::format("[{}] an index is out of range{}", n.op->speaks_for ? n.op->speaks_for(n) : n.op->name,
                    line.empty() ? "" : "\n  at " + line);
    program_.uses_status = true;
    const auto found = std::ranges::find(program_.messages, text);
    if (found == program_.messages.end()) program_.messages.push_back(text);
    return static_cast<int>(std::ranges::find(program_.messages, text) - program_.messages.begin());
  }

  const graph::Graph& g_;
  const std::vector<InPlaceStore>& in_place_;
  Program program_;
  std::map<NodeId, int> loads_;
  std::map<NodeId, std::vector<int>> stores_;
};

/// Outputs that are no view of other memory.
std::vector<NodeId> stored_outputs(const graph::Graph& g) {
  const std::vector<loop::Alias> aliases = find_aliases(g);
  std::vector<NodeId> stored;
  for (size_t i = 0; i < g.outputs().size(); ++i)
    if (std::ranges::find(aliases, static_cast<int>(i), &loop::Alias::output) == aliases.end())
      stored.push_back(g.outputs()[i].node);
  return stored;
}

}  // namespace

Program lower_to_nests(const graph::Graph& graph, const Options& options) {
  const std::vector<NodeId> outputs = stored_outputs(graph);
  if (!graph.writes().empty()) {
    WrittenPlan written = plan_writes(graph, options, outputs);
    return ProgramBuilder(written.graph, written.stores).run(std::move(written.plan));
  }
  std::vector<StoredNode> stored;
  for (const NodeId id : outputs) stored.push_back({id, "output"});
  const std::vector<InPlaceStore> none;
  return ProgramBuilder(graph, none).run(plan(graph, options, stored));
}

Program lower(const graph::Graph& graph, const Options& options) {
  Program program = lower_to_nests(graph, options);
  split_boxes(program);
  collapse(program);
  if (options.fuse && options.several_outputs) join_groups(program);
  return program;
}

}  // namespace sinter::lower
