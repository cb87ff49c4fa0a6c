// SPDX-License-Identifier: Apache-2.0
#include "src/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/graph/registry.h"
#include "src/lower/collapse.h"
#include "src/lower/groups.h"
#include "src/lower/nest_reader.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::Graph;
using graph::NodeId;
using loop::Program;

class Lowering {
 public:
  Lowering(const Graph& g, const Options& options) : g_(g), options_(options) {}

  Program run() {
    program_.name = g_.name;
    program_.ranges = g_.ranges;
    note_numbers();
    buffers_.assign(static_cast<size_t>(g_.size()), -1);
    stores_.resize(static_cast<size_t>(g_.size()));
    for (size_t i = 0; i < g_.inputs().size(); ++i) add_input(i);
    find_aliases();
    Materialized m = choose_materialized(g_, options_);
    for (size_t i = 0; i < g_.outputs().size(); ++i)
      if (!is_alias(i)) add_buffer(g_.outputs()[i].node, loop::BufferRole::output, static_cast<int>(i));
    drop_aliased(m);
    for (NodeId id = 0; id < g_.size(); ++id)
      if (m.nodes[static_cast<size_t>(id)] && stores_[static_cast<size_t>(id)].empty())
        add_buffer(id, loop::BufferRole::temporary, temporaries_++);
    int number = 0;
    for (const NodeGroup& group : choose_groups(g_, m, options_)) {
      program_.groups.push_back(lower_group(group, number++));
      for (NodeId id : group.outputs) buffers_[static_cast<size_t>(id)] = stores_[static_cast<size_t>(id)][0];
    }
    return std::move(program_);
  }

 private:
  void note_numbers() {
    program_.symbol_count = g_.symbol_count();
    program_.number_types.assign(static_cast<size_t>(g_.symbol_count()), boolean);
    for (NodeId id = 0; id < g_.size(); ++id)
      for (const graph::Scalar& s : g_.node(id).attributes.scalars)
        if (s.symbol >= 0)
          program_.number_types[static_cast<size_t>(s.symbol)] =
              s.literal.kind == graph::Number::Kind::floating ? f64 : i64;
  }

  void add_input(size_t i) {
    const graph::Value v = g_.inputs()[i];
    const graph::Layout& l = g_.input_layout(i);
    program_.buffers.push_back(
        {g_.type(v).dtype, loop::BufferRole::input, static_cast<int>(i), g_.type(v).shape, l.strides, l.offset});
    buffers_[static_cast<size_t>(v.node)] = static_cast<int>(program_.buffers.size()) - 1;
  }

  void add_buffer(NodeId id, loop::BufferRole role, int position) {
    loop::Buffer b{g_.type({id, 0}).dtype, role, position, g_.type({id, 0}).shape, {}, Expr(int64_t{0})};
    b.strides.assign(b.shape.size(), Expr(int64_t{1}));
    for (size_t d = b.shape.size(); d-- > 1;) b.strides[d - 1] = b.strides[d] * b.shape[d];
    program_.buffers.push_back(std::move(b));
    stores_[static_cast<size_t>(id)].push_back(static_cast<int>(program_.buffers.size()) - 1);
  }

  graph::Ranges ranges_for(const std::vector<loop::Axis>& axes) const {
    graph::Ranges r = g_.ranges;
    for (size_t a = 0; a < axes.size(); ++a) r.set_axis_extent(static_cast<int>(a), axes[a].extent);
    return r;
  }

  static std::vector<Expr> axis_index(size_t rank) {
    std::vector<Expr> index;
    for (size_t d = 0; d < rank; ++d) index.push_back(Expr::axis(static_cast<int>(d)));
    return index;
  }

  /// An output made of view ops alone is a view of an input when its address is affine in its index, with strides >= 0.
  void find_aliases() {
    for (size_t i = 0; i < g_.outputs().size(); ++i) {
      const NodeId id = g_.outputs()[i].node;
      NodeId source = id;
      while (g_.node(source).op != nullptr && g_.node(source).op->op_class == graph::OpClass::view)
        source = g_.node(source).operands[0].node;
      if (g_.node(source).op != nullptr) continue;
      loop::Nest nest;
      for (Expr e : g_.type({id, 0}).shape) nest.axes.push_back({e, false});
      Program scratch;
      NestReader reader(g_, buffers_, scratch, nest, options_, ranges_for(nest.axes));
      const loop::Value v = reader.element(id, axis_index(nest.axes.size()));
      const loop::Instruction& load = nest.body[v.id];
      const loop::Buffer& buffer = program_.buffers[static_cast<size_t>(load.id)];
      if (load.kind != loop::InstructionKind::load || load.operands[0] >= 0) continue;
      const auto affine = affine_address(buffer, load.index, nest.axes.size());
      if (!affine) continue;
      const bool forward = std::ranges::all_of(affine->strides, [&](Expr s) { return g_.ranges.of(s).first >= 0; });
      if (forward) program_.aliases.push_back({static_cast<int>(i), buffer.position, affine->offset, affine->strides});
    }
  }

  bool is_alias(size_t output) const {
    return std::ranges::any_of(program_.aliases,
                               [&](const loop::Alias& a) { return a.output == static_cast<int>(output); });
  }

  /// Views that only leave as aliases need no memory.
  void drop_aliased(Materialized& m) const {
    for (const loop::Alias& a : program_.aliases) {
      const auto id = static_cast<size_t>(g_.outputs()[static_cast<size_t>(a.output)].node);
      if (stores_[id].empty()) m.nodes[id] = false;
    }
  }

  std::optional<NodeId> reduction_below(NodeId id) const {
    const graph::Node& n = g_.node(id);
    if (n.op == nullptr || (buffers_[static_cast<size_t>(id)] >= 0)) return std::nullopt;
    if (n.op->op_class == graph::OpClass::reduction) return id;
    for (graph::Value v : n.operands)
      if (const auto r = reduction_below(v.node)) return r;
    return std::nullopt;
  }

  /// The function's name as a C identifier.
  std::string kernel_name(int number) const {
    std::string name = g_.name.empty() ? "kernel" : g_.name;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "k");
    return fmt::format("{}_{}", name, number);
  }

  loop::Group lower_group(const NodeGroup& group, int number) {
    loop::Group out;
    out.name = kernel_name(number);
    out.notes = group.notes;
    loop::Nest nest;
    for (Expr e : g_.type({group.outputs[0], 0}).shape) nest.axes.push_back({e, false});
    const auto parallel = static_cast<int>(nest.axes.size());
    if (const auto r = reduction_below(group.outputs[0]))
      for (int d : reduction_of(g_, *r).dims)
        nest.axes.push_back({g_.type(g_.node(*r).operands[0]).shape[static_cast<size_t>(d)], true});
    NestReader reader(g_, buffers_, program_, nest, options_, ranges_for(nest.axes));
    reader.first_reduction_axis = parallel;
    for (NodeId id : group.outputs) {
      const auto index = axis_index(static_cast<size_t>(parallel));
      loop::Value v = reader.element(id, index);
      v = reader.builder().round_to(v, g_.type({id, 0}).dtype);
      for (int buffer : stores_[static_cast<size_t>(id)]) nest.stores.push_back({buffer, index, v.id});
    }
    for (NodeId id : reader.visited()) {
      out.nodes.push_back(id);
      const graph::Node& n = g_.node(id);
      out.comments.push_back(fmt::format("%{} = {}{}", id, n.op->name, n.line.file ? "   " + n.line.text() : ""));
    }
    const bool empty =
        std::ranges::any_of(nest.axes, [](const loop::Axis& a) { return !a.reduction && a.extent.is_constant(0); });
    if (empty) return out;  // nothing to write
    collapse_axes(nest, program_, ranges_for(nest.axes));
    out.nests.push_back(std::move(nest));
    return out;
  }

  const Graph& g_;
  const Options& options_;
  Program program_;
  BufferOfNode buffers_;
  std::vector<std::vector<int>> stores_;
  int temporaries_ = 0;
};

}  // namespace

Program lower(const Graph& graph, const Options& options) { return Lowering(graph, options).run(); }

}  // namespace sinter::lower
