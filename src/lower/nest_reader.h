// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "src/loop/program.h"
#include "src/loop/reader.h"
#include "src/lower/lower.h"

namespace sinter::lower {

/// Which buffer holds a node's value, or -1.
using BufferOfNode = std::vector<int>;

/// Writes the expressions of one nest: a read of a node with a buffer is a load, any other read expands that node's
/// lowering at the index. (node, index, guard) is expanded once.
class NestReader final : public loop::Reader {
 public:
  NestReader(const graph::Graph& graph, const BufferOfNode& buffers, loop::Program& program, loop::Nest& nest,
             const Options& options, graph::Ranges ranges);

  /// The element of a node at an index, in the compute type of its dtype, rounded to it.
  loop::Value element(graph::NodeId node, std::vector<graph::Expr> index);
  const std::set<graph::NodeId>& visited() const { return visited_; }
  /// First reduction axis; reduction dims take axes from here on, in order.
  int first_reduction_axis = 0;

  // Reader
  loop::Builder& builder() override { return builder_; }
  const graph::Node& node() const override { return graph_.node(current_); }
  const graph::ValueType& operand_type(size_t operand) const override;
  loop::Value read(size_t operand, std::span<const graph::Expr> index) override;
  loop::Value read_masked(size_t operand, std::span<const graph::Expr> index, loop::Value mask,
                          loop::Value fill) override;
  loop::Value number(const graph::Scalar& number, DType type) override;

 private:
  loop::Value expand(graph::NodeId id, const std::vector<graph::Expr>& index);
  loop::Value expand_reduction(const graph::Node& n, const std::vector<graph::Expr>& index);
  loop::Value rounded(const graph::Node& n, loop::Value v);

  struct Key {
    graph::NodeId node;
    std::vector<graph::Expr> index;
    loop::ValueId guard;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const;
  };

  const graph::Graph& graph_;
  const BufferOfNode& buffers_;
  loop::Program& program_;
  loop::Nest& nest_;
  const Options& options_;
  graph::Ranges ranges_;
  loop::Builder builder_;
  graph::NodeId current_ = -1;
  loop::Value guard_;  ///< loads and checks are for nothing where it is false
  std::unordered_map<Key, loop::Value, KeyHash> memo_;
  std::set<graph::NodeId> visited_;
};

/// Reduced dims and kind of a reduction node.
graph::ReductionSpec reduction_of(const graph::Graph& graph, graph::NodeId id);

}  // namespace sinter::lower
