// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::cuda {

/// For each `rare` of a group of elementwise instructions, those that its slow operand alone needs, in order: they are
/// printed inside of a branch, so that threads without a rare element jump over them. An instruction that several
/// nested ones need is the innermost one's. `escaping` values are read outside of the group; `users` is by value.
std::map<const tile_ir::Instruction*, std::vector<const tile_ir::Instruction*>> slow_parts(
    std::span<const tile_ir::Instruction* const> group, const std::set<tile_ir::ValueId>& escaping,
    const std::vector<std::vector<const tile_ir::Instruction*>>& users);

}  // namespace sinter::cuda
