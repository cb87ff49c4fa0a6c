// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/loop/program.h"
#include "src/lower/call_operands.h"
#include "src/lower/nest_reader.h"

namespace sinter::lower {

/// One kernel under construction: values stored over one iteration space. In its nest a node's memory is named by the
/// node's id. Or a call: one root, no nest. An accumulation is alone in its kernel, which another one before it fills
/// with the fold's identity.
struct PlannedGroup {
  std::vector<graph::NodeId> roots;  ///< stored here, descending
  Space space;
  loop::Nest nest;
  std::map<graph::NodeId, int> costs;  ///< nodes expanded here and their instructions
  std::set<graph::NodeId> reads;       ///< nodes with memory that are loaded
  std::vector<std::string> notes;
  std::vector<CallOperand> operands = {};  ///< of a call
  bool is_call = false;
  bool stays_alone = false;  ///< a call, an accumulation

  const loop::Store& store_of(graph::NodeId root) const;
};

/// Expands roots over a space until no further node needs memory; what does is added to `materialized`.
PlannedGroup expand_group(const graph::Graph& graph, const Options& options, Materialized& materialized,
                          const Space& space, std::vector<graph::NodeId> roots);

/// The space of a value: its dims; of an accumulation those of its operand.
Space space_of(const graph::Graph& graph, graph::NodeId root);

}  // namespace sinter::lower
