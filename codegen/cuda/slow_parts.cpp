// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/slow_parts.h"

#include <algorithm>

namespace sinter::cuda {
namespace {

using tile_ir::Instruction;
using tile_ir::ValueId;

/// Is v the slow operand and no other one?
bool reads_as_slow_alone(const Instruction& rare, ValueId v) {
  return rare.operands[2] == v && rare.operands[0] != v && rare.operands[1] != v;
}

}  // namespace

std::map<const Instruction*, std::vector<const Instruction*>> slow_parts(
    std::span<const Instruction* const> group, const std::set<ValueId>& escaping,
    const std::vector<std::vector<const Instruction*>>& users) {
  std::map<const Instruction*, std::vector<const Instruction*>> parts;
  std::set<const Instruction*> owned;
  for (size_t at = 0; at < group.size(); ++at) {
    const Instruction& rare = *group[at];
    if (rare.op != tile_ir::Op::scalar || rare.scalar != scalar::ScalarOp::rare) continue;
    std::set<const Instruction*> needed;
    for (size_t i = at; i-- > 0;) {
      const ValueId v = group[i]->results[0];
      const auto serves = [&](const Instruction* user) {
        return needed.contains(user) || (user == &rare && reads_as_slow_alone(rare, v));
      };
      if (!escaping.contains(v) && std::ranges::all_of(users[static_cast<size_t>(v)], serves)) needed.insert(group[i]);
    }
    for (const Instruction* in : group.first(at))
      if (needed.contains(in) && owned.insert(in).second) parts[&rare].push_back(in);
  }
  return parts;
}

}  // namespace sinter::cuda
