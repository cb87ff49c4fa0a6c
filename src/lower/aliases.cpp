// SPDX-License-Identifier: Apache-2.0
#include "src/lower/aliases.h"

#include <optional>
#include <unordered_map>

#include "src/graph/text.h"
#include "src/lower/view_layout.h"

namespace sinter::lower {
namespace {

using graph::NodeId;

/// Whose memory a value is in: an input, or an output.
struct Owner {
  int base;
  bool of_output;
  NodeId node;  ///< the input or output itself; it may be another shape of the value
};

class AliasFinder {
 public:
  explicit AliasFinder(const graph::Graph& g) : g_(g) {
    for (size_t i = 0; i < g.inputs().size(); ++i)
      owners_.emplace(g.inputs()[i].node, Owner{static_cast<int>(i), false, g.inputs()[i].node});
    for (const graph::Write& w : g.writes()) owners_.emplace(w.value.node, Owner{w.input, false, w.value.node});
  }

  std::vector<loop::Alias> run() {
    std::vector<loop::Alias> aliases;
    for (size_t i = 0; i < g_.outputs().size(); ++i) {
      const NodeId id = g_.outputs()[i].node;
      const bool ordered = !g_.output_order(i).empty();  // memory of its own, in that order
      auto alias = ordered ? std::nullopt : alias_of(id);
      if (alias) {
        alias->output = static_cast<int>(i);
        aliases.push_back(std::move(*alias));
      } else {
        const Owner owner{static_cast<int>(i), true, id};
        owners_.emplace(id, owner);
        if (const NodeId base = same_memory_as(id); !ordered) owners_.emplace(base, owner);
      }
    }
    return aliases;
  }

 private:
  /// What an output is another shape of, element by element: other views of that are views of the output. The output
  /// itself if there is no such value.
  NodeId same_memory_as(NodeId id) const {
    const StridedView view =
        view_layout(g_, id, [&](NodeId base) { return graph::contiguous_layout(g_.type({base, 0}).shape); });
    const graph::ValueType &of = g_.type({view.base, 0}), &as = g_.type({id, 0});
    const bool whole = of.dtype == as.dtype && graph::is_contiguous({view.strides, view.offset}, as.shape) &&
                       graph::product(of.shape) == graph::product(as.shape);
    return whole ? view.base : id;
  }

  /// A value that leaves twice is stored twice.
  std::optional<loop::Alias> alias_of(NodeId id) const {
    StridedView view = view_layout(g_, id, [&](NodeId base) {
      const auto memory = owners_.find(base);
      const bool of_input = memory != owners_.end() && !memory->second.of_output;
      return of_input ? g_.input_layout(static_cast<size_t>(memory->second.base))
                      : graph::contiguous_layout(g_.type({base, 0}).shape);
    });
    const auto memory = owners_.find(view.base);
    if (memory == owners_.end() || (memory->second.of_output && memory->second.node == id)) return std::nullopt;
    return loop::Alias{-1, memory->second.base, memory->second.of_output, view.offset, std::move(view.strides)};
  }

  const graph::Graph& g_;
  std::unordered_map<NodeId, Owner> owners_;
};

}  // namespace

std::vector<loop::Alias> find_aliases(const graph::Graph& g) { return AliasFinder(g).run(); }

}  // namespace sinter::lower
