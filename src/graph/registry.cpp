// SPDX-License-Identifier: Apache-2.0
#include "src/graph/registry.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>

namespace sinter::graph {
namespace {

/// Grows without moving anything that was handed out: definitions stay where they are, and a list that is full is
/// replaced by a longer copy while spans of the old one live on.
class Registry {
 public:
  std::span<const OpDef* const> all() const {
    std::shared_lock lock(mutex_);
    if (lists_.empty()) return {};
    return lists_.back();
  }

  const OpDef* find(std::string_view name) const {
    std::shared_lock lock(mutex_);
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

  const OpDef& add(OpDef op) {
    std::unique_lock lock(mutex_);
    if (op.name.empty() || by_name_.contains(op.name))
      throw CompileError("op \"" + std::string(op.name) + "\" is registered twice or has no name");
    op.name = kept(op.name);
    op.doc = kept(op.doc);
    for (Param& p : op.params) {
      p.name = kept(p.name);
      for (std::string_view& n : p.names) n = kept(n);
    }
    const OpDef& stored = ops_.emplace_back(std::move(op));
    append(&stored);
    by_name_.emplace(stored.name, &stored);
    return stored;
  }

 private:
  /// Texts may come from a user's registration and must live as long as the op.
  std::string_view kept(std::string_view text) { return *texts_.emplace(text).first; }

  void append(const OpDef* op) {
    if (lists_.empty()) lists_.emplace_back().reserve(128);
    if (lists_.back().size() == lists_.back().capacity()) {
      std::vector<const OpDef*> longer;
      longer.reserve(2 * lists_.back().size());
      longer.assign(lists_.back().begin(), lists_.back().end());
      lists_.push_back(std::move(longer));
    }
    lists_.back().push_back(op);
  }

  mutable std::shared_mutex mutex_;
  std::deque<OpDef> ops_;
  std::deque<std::vector<const OpDef*>> lists_;
  std::unordered_map<std::string_view, const OpDef*> by_name_;
  std::unordered_set<std::string> texts_;
};

Registry& registry() {
  static auto* r = new Registry;  // outlives every static object that holds an OpDef
  return *r;
}

}  // namespace

std::span<const OpDef* const> all_ops() { return registry().all(); }
const OpDef* find_op(std::string_view name) { return registry().find(name); }
namespace {

/// Samples of an approximation: all dtypes and shapes of a function of one argument, less of the many pairs of two.
constexpr int first_samples = 24, later_step = 7;

/// The op that `lower_approximate` of another one makes.
OpDef approximation_of(const OpDef& op) {
  OpDef twin = op;
  twin.lower = op.lower_approximate;
  twin.lower_approximate = nullptr;
  twin.approximates = true;
  twin.sample = [sample = op.sample](int variant) {
    return sample(variant < first_samples ? variant : first_samples + later_step * (variant - first_samples));
  };
  return twin;
}

}  // namespace

const OpDef& register_op(OpDef op) {
  if (op.lower_approximate) {
    OpDef twin = approximation_of(op);
    const std::string name = std::string(op.name) + "_approx", doc = "Approximates " + std::string(op.name) + ".";
    twin.name = name;
    twin.doc = doc;
    op.approximation = &registry().add(std::move(twin));
  }
  return registry().add(std::move(op));
}

}  // namespace sinter::graph
