// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/layout/convert.h"

namespace sinter::tile_ir {

/// The bits of a group that no element needs (see LinearLayout::pivots): with them zero, every element is still held.
uint32_t redundant_bits(const LinearLayout& layout, BitGroup group);

/// Register copies that fill the registers with redundant bits from those without.
std::vector<RegisterMove> copies_of_registers(const LinearLayout& layout);

}  // namespace sinter::tile_ir
