// SPDX-License-Identifier: Apache-2.0
#include "src/capture/fold_saved.h"

#include <memory>
#include <utility>
#include <vector>

#include "src/capture/entries.h"
#include "src/capture/key.h"
#include "src/compiler/folded.h"
#include "src/graph/needed_nodes.h"
#include "src/passes/rewriter.h"

namespace sinter::capture {
namespace {

using Kind = saved::TensorSource::Kind;

/// Of each input: a constant that its owner froze.
std::vector<bool> frozen_constants(const FrozenRegion& region, const FrozenParts& parts) {
  std::vector<bool> frozen;
  const KeyLayout layout = layout_of(region.key, region.inputs.size());
  for (size_t i = 0; i < region.inputs.size(); ++i)
    frozen.push_back(parts.call.inputs[i].kind == Kind::constant &&
                     meta_frozen(static_cast<uint64_t>(region.key[layout.inputs[i].meta])));
  return frozen;
}

std::vector<Tensor> compute(const graph::Graph& constants, const FrozenRegion& region, compiler::Options options) {
  options.aligned = are_aligned(region.inputs);
  const std::shared_ptr<const exec::Executable> executable = compiler::compile(constants, options).executable;
  std::vector<Tensor> results;
  std::vector<tensor::TensorImpl*> inputs, outputs;
  for (const Tensor& t : region.inputs) inputs.push_back(t.impl());
  for (size_t i = 0; i < executable->plan().outputs.size(); ++i) {
    results.push_back(Tensor::adopt(tensor::new_impl()));
    outputs.push_back(results.back().impl());
  }
  executable->run({inputs, region.key}, outputs);
  return results;
}

/// Leaves out inputs that nothing reads.
graph::Graph without_unread(const graph::Graph& g, saved::FrozenCall& call) {
  const std::vector<bool> needed = graph::needed_nodes(g);
  passes::Rewriter rewrite(g, needed);
  for (graph::NodeId id = 0; id < g.size(); ++id)
    if (g.node(id).op != nullptr && needed[static_cast<size_t>(id)]) rewrite.copy(id);
  std::vector<saved::TensorSource> read;
  for (size_t i = 0; i < g.inputs().size(); ++i)
    if (needed[static_cast<size_t>(g.inputs()[i].node)]) read.push_back(call.inputs[i]);
  call.inputs = std::move(read);
  return rewrite.finish();
}

/// Leaves out constants that are neither inputs nor results.
void drop_unused_constants(FrozenParts& parts) {
  std::vector<Tensor> used;
  std::vector<int32_t> number(parts.constants.size(), -1);
  for (auto* sources : {&parts.call.inputs, &parts.call.results})
    for (saved::TensorSource& s : *sources) {
      if (s.kind != Kind::constant) continue;
      int32_t& n = number[static_cast<size_t>(s.index)];
      if (n < 0) {
        n = static_cast<int32_t>(used.size());
        used.push_back(parts.constants[static_cast<size_t>(s.index)]);
      }
      s.index = n;
    }
  parts.constants = std::move(used);
}

}  // namespace

graph::Graph fold_for_saving(const FrozenRegion& region, const compiler::Options& options, FrozenParts& parts) {
  const graph::Graph& graph = *region.entry->graph;
  if (options.fusion == Fusion::none || !graph.writes().empty()) return graph;
  const auto split = compiler::fold_frozen(graph, frozen_constants(region, parts));
  if (!split) return graph;
  for (Tensor& t : compute(split->constants, region, options)) {
    parts.call.inputs.push_back({Kind::constant, static_cast<int32_t>(parts.constants.size()), false});
    parts.constants.push_back(std::move(t));
  }
  graph::Graph rest = without_unread(split->rest, parts.call);
  drop_unused_constants(parts);
  return rest;
}

}  // namespace sinter::capture
