// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/redundant.h"

namespace sinter::tile_ir {

uint32_t redundant_bits(const LinearLayout& layout, BitGroup group) {
  return static_cast<uint32_t>(layout.size(group) - 1) & ~layout.pivots(group);
}

std::vector<RegisterMove> copies_of_registers(const LinearLayout& layout) {
  const uint32_t redundant = redundant_bits(layout, BitGroup::reg);
  const BitMap holder = layout.holder();
  std::vector<RegisterMove> copies;
  for (int reg = 0; reg < layout.registers(); ++reg) {
    if ((static_cast<uint32_t>(reg % layout.registers_per_part()) & redundant) == 0) continue;
    // Register pivots come first, so an element that registers of this thread hold has its holder among them.
    uint32_t original = holder.apply(layout.element(static_cast<uint32_t>(reg), 0));
    copies.push_back({reg, layout.part_of(reg) * layout.registers_per_part() + static_cast<int>(original)});
  }
  return copies;
}

}  // namespace sinter::tile_ir
