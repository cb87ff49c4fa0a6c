// SPDX-License-Identifier: Apache-2.0
#include "src/capture/trace.h"

#include <algorithm>
#include <cstring>

#include "src/capture/region_end.h"

namespace sinter::capture {

TraceNode::~TraceNode() {
  // Iterative along both lists: a trace can be thousands of ops deep.
  std::vector<TraceNode*> nodes;
  auto take = [&](TraceNode& n) {
    for (TraceNode* c = n.first_child.exchange(nullptr); c != nullptr;) {
      nodes.push_back(c);
      c = c->next_sibling.load(std::memory_order_relaxed);
    }
    for (RegionEnd* e = n.first_end.exchange(nullptr); e != nullptr;) {
      RegionEnd* next = e->next.load(std::memory_order_relaxed);
      delete e;
      e = next;
    }
  };
  take(*this);
  while (!nodes.empty()) {
    TraceNode* n = nodes.back();
    nodes.pop_back();
    take(*n);
    delete n;
  }
}

bool TraceNode::matches(const graph::Call& call, std::span<const OperandCode> codes) const {
  if (op != call.op || codes.size() != operands.size()) return false;
  const auto call_words = call.attributes->words();
  const auto values = call.attributes->values();
  if (call_words.size() != words.size() || values.size() != kinds.size()) return false;
  for (size_t i = 0; i < codes.size(); ++i)
    if (codes[i] != operands[i]) return false;
  for (size_t i = 0; i < words.size(); ++i)
    if (call_words[i] != words[i]) return false;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (values[i].kind != kinds[i]) return false;
  return true;
}

std::vector<const TraceNode*> path_to(const TraceNode* last) {
  std::vector<const TraceNode*> path;
  path.reserve(static_cast<size_t>(last->depth));
  for (const TraceNode* n = last; n->op != nullptr; n = n->parent) path.push_back(n);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<ValueKind> value_kinds(std::span<const TraceNode* const> path) {
  std::vector<ValueKind> kinds;
  for (const TraceNode* n : path)
    for (size_t i = 0; i < n->kinds.size(); ++i)
      kinds.push_back((n->extent_mask >> i & 1) != 0    ? ValueKind::extent
                      : (n->varying_mask >> i & 1) != 0 ? ValueKind::varying
                                                        : ValueKind::number);
  return kinds;
}

std::vector<graph::Number::Kind> number_kinds(std::span<const TraceNode* const> path) {
  std::vector<graph::Number::Kind> kinds;
  for (const TraceNode* n : path) kinds.insert(kinds.end(), n->kinds.begin(), n->kinds.end());
  return kinds;
}

TraceNode* append_child(TraceNode* parent, const graph::Call& call, std::span<const OperandCode> codes) {
  std::atomic<TraceNode*>* link = &parent->first_child;
  for (TraceNode* n = link->load(std::memory_order_acquire); n != nullptr; n = link->load(std::memory_order_acquire)) {
    if (n->matches(call, codes)) return n;
    link = &n->next_sibling;
  }
  auto* node = new TraceNode;
  node->op = call.op;
  node->operands.assign(codes.begin(), codes.end());
  node->words.assign(call.attributes->words().begin(), call.attributes->words().end());
  const auto values = call.attributes->values();
  for (size_t i = 0; i < values.size(); ++i) {
    node->kinds.push_back(values[i].kind);
    if (call.attributes->is_extent(i)) node->extent_mask |= 1u << i;
    if (call.attributes->is_varying(i)) node->varying_mask |= 1u << i;
  }
  node->line = call.line;
  node->parent = parent;
  node->depth = parent->depth + 1;
  link->store(node, std::memory_order_release);
  return node;
}

}  // namespace sinter::capture
