// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"

namespace sinter::test {

/// How many instructions of an op stand in a region and in those inside it.
inline int count_instructions(const tile_ir::Region& region, tile_ir::Op op) {
  int n = 0;
  for (const tile_ir::Instruction& i : region.body) {
    n += i.op == op;
    for (const tile_ir::Region& inner : i.regions) n += count_instructions(inner, op);
  }
  return n;
}

/// The first one of an op, in order; nullptr if there is none.
inline const tile_ir::Instruction* find_instruction(const tile_ir::Region& region, tile_ir::Op op) {
  for (const tile_ir::Instruction& i : region.body) {
    if (i.op == op) return &i;
    for (const tile_ir::Region& inner : i.regions)
      if (const tile_ir::Instruction* found = find_instruction(inner, op)) return found;
  }
  return nullptr;
}

}  // namespace sinter::test
