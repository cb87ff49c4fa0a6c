// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/loop/dependence.h"
#include "src/loop/program.h"
#include "src/loop/reader.h"
#include "src/lower/lower.h"

namespace sinter::lower {

/// Nodes that have memory, and why (for explain()). Inputs are not listed.
using Materialized = std::map<graph::NodeId, std::string>;

/// Axes of a nest under construction: the dims (but those of extent 1) of its largest value, then appended reduction
/// axes. Reduction axes are known once the first reduction is read.
struct Space {
  std::vector<graph::Expr> extents;
  size_t parallel = 0;  ///< axes before it are parallel; all, as long as nothing is reduced
  int scan = -1;        ///< parallel axis along which values are scanned; -1: none is
  bool reduces() const { return parallel < extents.size(); }
  bool scans() const { return scan >= 0; }
};

/// Writes the expressions of one nest. A read of a node that has memory is a load (buffer id = node id), any other read
/// expands that node's lowering at the index; (node, index, guard) is expanded once.
///
/// While it expands, the reader finds nodes that should have memory: reductions that do not fit the nest's axes,
/// producers read at several addresses or repeated along a broadcast that are dearer to compute again than to load, and
/// what would make the kernel too large. It adds them to `materialized` and goes on with a load, so that no expansion
/// grows without bound; the caller then expands the nest anew.
class NestReader final : public loop::Reader {
 public:
  /// `roots` are stored by this nest: a read of one at its own store index is the value itself.
  NestReader(const graph::Graph& graph, const Options& options, Materialized& materialized, Space space,
             std::vector<graph::NodeId> roots);

  /// The element of a root where the nest stores it, rounded to its dtype.
  loop::Value root_element(graph::NodeId root);
  /// The store of that element; of an accumulation, whose space is that of its operand, the store of one contribution.
  loop::Store root_store(graph::NodeId root);
  /// Index at which the nest stores a root: over all axes, or over the parallel ones.
  std::vector<graph::Expr> store_index(graph::NodeId root) const;
  loop::Value element(graph::NodeId node, std::vector<graph::Expr> index);

  const Space& space() const { return space_; }
  /// Gives memory to folds with which others fold, where rows are too long for that; to be called at the end.
  void part_stages();
  /// Nodes expanded here, with the instructions that each added when it was first expanded.
  const std::map<graph::NodeId, int>& costs() const { return costs_; }
  bool found_materializations() const { return found_; }
  loop::Body take_body();
  std::vector<loop::Axis> axes() const;

  // Reader
  loop::Builder& builder() override { return builder_; }
  const graph::Node& node() const override { return graph_.node(current_); }
  const graph::ValueType& operand_type(size_t operand) const override;
  loop::Value read(size_t operand, std::span<const graph::Expr> index) override;
  loop::Value read_masked(size_t operand, std::span<const graph::Expr> index, loop::Value mask,
                          loop::Value fill) override;
  loop::Value number(const graph::Scalar& number, DType type) override;

 private:
  loop::Store contribution(graph::NodeId root);
  struct Key {
    graph::NodeId node;
    std::vector<graph::Expr> index;
    loop::ValueId guard;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const;
  };

  bool has_memory(graph::NodeId id) const;
  bool is_own_store(graph::NodeId id, const std::vector<graph::Expr>& index) const;
  loop::Value load(graph::NodeId id, const std::vector<graph::Expr>& index);
  loop::Value materialize(graph::NodeId id, const std::vector<graph::Expr>& index, std::string why);
  loop::Value expand(graph::NodeId id, const std::vector<graph::Expr>& index);
  loop::Value expand_op(const graph::Node& n, const std::vector<graph::Expr>& index);
  loop::Value expand_reduction(graph::NodeId id, const std::vector<graph::Expr>& index);
  loop::Value expand_scan(graph::NodeId id, const std::vector<graph::Expr>& index);
  std::string why_scan_does_not_fit(graph::NodeId id, const std::vector<graph::Expr>& index, size_t dim);
  loop::Value rounded(const graph::Node& n, loop::Value v);
  std::string why_before_expanding(graph::NodeId id) const;
  std::string why_after_expanding(graph::NodeId id, const std::vector<graph::Expr>& index, int cost);
  std::string why_reduction_does_not_fit(graph::NodeId id, const std::vector<graph::Expr>& index,
                                         const std::vector<graph::Expr>& reduced);
  void set_axis_ranges();
  loop::AxisSet axes_of(const std::vector<graph::Expr>& index);
  graph::Expr points(size_t first_axis, size_t last_axis) const;
  int weight(size_t first_instruction) const;

  const graph::Graph& graph_;
  const Options& options_;
  Materialized& materialized_;
  Space space_;
  std::vector<graph::NodeId> roots_;
  graph::Ranges ranges_;
  loop::Body body_;
  loop::Builder builder_{body_};
  graph::NodeId current_ = -1;
  loop::Value guard_;
  int depth_ = 0;
  bool found_ = false;
  std::unordered_map<Key, loop::Value, KeyHash> memo_;
  std::map<graph::NodeId, int> costs_;
  std::vector<std::pair<loop::ValueId, graph::NodeId>> folds_;  ///< reduces, and the nodes that they are of
  std::map<graph::NodeId, int> addresses_;                      ///< at how many indices a node was expanded
  std::set<graph::NodeId> buffers_;
  std::vector<loop::AxisSet> dependence_;  ///< of the body's instructions, extended on demand
};

/// Is the node's result accumulated in a kernel of its own?
bool is_accumulation(const graph::Node& node);
/// Number of elements of a value.
graph::Expr element_count(const graph::ValueType& type);
/// Extents but those that are literally 1.
std::vector<graph::Expr> wide_extents(std::span<const graph::Expr> shape);

}  // namespace sinter::lower
