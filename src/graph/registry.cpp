// SPDX-License-Identifier: Apache-2.0
#include "src/graph/registry.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace sinter::graph {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::deque<OpDef> ops;  ///< addresses stay
  std::vector<const OpDef*> order;
  std::unordered_map<std::string_view, const OpDef*> by_name;
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

}  // namespace

std::span<const OpDef* const> all_ops() {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  return r.order;
}

const OpDef* find_op(std::string_view name) {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  const auto it = r.by_name.find(name);
  return it == r.by_name.end() ? nullptr : it->second;
}

const OpDef& register_op(OpDef op) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  if (r.by_name.contains(op.name)) throw CompileError("op " + std::string(op.name) + " is registered twice");
  const OpDef& stored = r.ops.emplace_back(std::move(op));
  r.order.push_back(&stored);
  r.by_name.emplace(stored.name, &stored);
  return stored;
}

}  // namespace sinter::graph
