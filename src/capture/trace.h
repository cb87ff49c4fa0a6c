// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/graph/recorder.h"
#include "src/graph/registry.h"

namespace sinter::capture {

struct RegionEnd;

/// How an op refers to an operand: >= 0 is the value slot of this region, < 0 is input ~code, numbered by first use.
using OperandCode = int32_t;

/// One recorded op: structure only. Values (numbers, extents) are positions of the call's key.
///
/// The nodes of a function form a trie that many threads match at once without a lock: children are published by one
/// atomic store and never change or move afterwards.
struct TraceNode {
  const graph::OpDef* op = nullptr;  ///< nullptr: the root of a region
  std::vector<OperandCode> operands;
  std::vector<int64_t> words;
  std::vector<graph::Number::Kind> kinds;  ///< of the values
  uint32_t extent_mask = 0;                ///< which values are extents
  uint32_t varying_mask = 0;               ///< which values differ in every call
  SourceLine line;
  TraceNode* parent = nullptr;
  int depth = 0;  ///< root 0; the node's result is slot depth - 1

  std::atomic<TraceNode*> first_child{nullptr};
  std::atomic<TraceNode*> next_sibling{nullptr};
  std::atomic<RegionEnd*> first_end{nullptr};

  TraceNode() = default;
  ~TraceNode();
  TraceNode(const TraceNode&) = delete;
  TraceNode& operator=(const TraceNode&) = delete;

  bool matches(const graph::Call& call, std::span<const OperandCode> codes) const;
};

/// The nodes from the region's root (exclusive) to `last`, in order.
std::vector<const TraceNode*> path_to(const TraceNode* last);
enum class ValueKind : uint8_t { number, extent, varying };

/// Of the values of a path's calls, in order: what they are, and how the user wrote them.
std::vector<ValueKind> value_kinds(std::span<const TraceNode* const> path);
std::vector<graph::Number::Kind> number_kinds(std::span<const TraceNode* const> path);
/// Appends under the caller's lock, or returns the equal child another thread appended.
TraceNode* append_child(TraceNode* parent, const graph::Call& call, std::span<const OperandCode> codes);

}  // namespace sinter::capture
