// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/device.h>
#include <sinter/dims.h>
#include <sinter/dtype.h>
#include <sinter/error.h>

#include <memory>
#include <string>
#include <vector>

#include "src/graph/attributes.h"
#include "src/graph/expr.h"

namespace sinter::graph {

struct OpDef;

using NodeId = int32_t;

/// A value of the graph: result `result` of node `node`.
struct Value {
  NodeId node = -1;
  int32_t result = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

/// More elements than this along a dim, and extents, offsets and sizes beyond it, are refused: sums of them stay in
/// i64.
inline constexpr int64_t max_extent = int64_t{1} << 40;

/// Type of a value. Extents are expressions over symbols; literals until a symbol is needed.
struct ValueType {
  DType dtype;
  std::vector<Expr> shape;
  int rank() const { return static_cast<int>(shape.size()); }
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// How the storage of an input is addressed (element units): offset + sum index[d] * strides[d].
struct Layout {
  std::vector<Expr> strides;
  Expr offset;
};

/// An input's memory gets a value when everything else was computed: what in-place ops did to it.
struct Write {
  Value value;     ///< of the input's type
  int input = -1;  ///< position among the inputs; each is written once at most
  /// Another input overlaps this one, so that no value may still be read while it is written.
  bool overlapped = false;
  friend bool operator==(const Write&, const Write&) = default;
};

class Graph;

/// One operation. Functional SSA: operands are earlier results. `op == nullptr` marks a graph input.
struct Node {
  const OpDef* op = nullptr;
  std::vector<Value> operands;
  Attributes attributes;  ///< structural words and numbers, see attributes.h
  std::vector<ValueType> results;
  std::vector<std::shared_ptr<Graph>> subgraphs;  ///< bodies of cond and the like
  int32_t effect_order = -1;                      ///< >= 0: ordered among random numbers and checks
  SourceLine line;                                ///< the user's source line; never compared
};

/// A function over tensors: nodes in execution order.
class Graph {
 public:
  std::string name;
  Device device = Device::cpu();
  Ranges ranges;  ///< of the symbols: extents are at least 2

  /// Adds an input; its layout says how the buffer is addressed (row-major contiguous if none is given).
  Value add_input(ValueType type, std::optional<Layout> layout = {}, SourceLine line = {});
  /// Adds a node; result types come from the op's type rule, which throws UserError on bad operands.
  /// Returns the node's id; result i is Value{id, i}.
  NodeId add(const OpDef& op, std::vector<Value> operands, Attributes attributes, SourceLine line = {});
  /// `order`: dim d of the output is dim order[d] of v, in v's memory; none: v as it is.
  void add_output(Value v, const Dims& order = {}) {
    outputs_.push_back(v);
    output_orders_.push_back(order);
  }
  void add_write(Write w) { writes_.push_back(w); }
  void clear_writes() { writes_.clear(); }
  int new_symbol() { return symbol_count_++; }

  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  const ValueType& type(Value v) const { return node(v.node).results[static_cast<size_t>(v.result)]; }
  const std::vector<Value>& inputs() const { return inputs_; }
  const Layout& input_layout(size_t input) const { return layouts_[input]; }
  const std::vector<Value>& outputs() const { return outputs_; }
  void set_outputs(std::vector<Value> v) {
    output_orders_.assign(v.size(), {});
    outputs_ = std::move(v);
  }
  const Dims& output_order(size_t output) const { return output_orders_[output]; }
  const std::vector<Write>& writes() const { return writes_; }
  /// Equalities that type rules relied on and could not prove (InferContext::assumptions of every added node).
  const std::vector<std::pair<Expr, Expr>>& assumptions() const { return assumptions_; }
  /// Two expressions that code for the graph relies on to be equal.
  void assume(Expr a, Expr b);
  int symbol_count() const { return symbol_count_; }
  void set_symbol_count(int n) { symbol_count_ = n; }

 private:
  void assume_ordinary_extents(const ValueType& operand);
  std::vector<Node> nodes_;
  std::vector<Value> inputs_;
  std::vector<Layout> layouts_;
  std::vector<Value> outputs_;
  std::vector<Dims> output_orders_;
  std::vector<Write> writes_;
  std::vector<std::pair<Expr, Expr>> assumptions_;
  int symbol_count_ = 0;
};

/// Canonical text: it holds everything but source lines, so equal texts are equal graphs, and parse() reads it back to
/// a graph that prints the same. `with_lines` appends the user's source lines as comments.
///
///     graph "pre" on cpu {
///       symbols 1, s0 in [2,4096]
///       %0 f32 [s0,224] = input strides=[1,s0], offset=0
///       %1 f32 [s0] = sum(%0) dims=[-1], keepdim=false
///       %2 f32 [s0] = add(%1) lhs=none, rhs=1  // model.cpp:41
///       write %2 to input 1
///       return %2
///     }
std::string print(const Graph& graph, bool with_lines = false);
/// Throws CompileError naming the line, also where the type rule gives other types than the text.
Graph parse(std::string_view text);
/// Throws CompileError naming the node if an invariant is broken: order of operands and effects, types as the
/// type rule gives, attributes as the op's parameters say, symbols known, inputs listed once with a layout of their
/// rank.
void verify(const Graph& graph);
/// Graphviz text.
std::string to_dot(const Graph& graph);

}  // namespace sinter::graph
