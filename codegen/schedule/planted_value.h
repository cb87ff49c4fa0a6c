// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "codegen/tile/builder.h"
#include "src/loop/body.h"

namespace sinter::schedule {

/// What a planted miscompile (src/graph/seeded_fault.h) makes of a scalar op, if it is one that it breaks.
std::optional<tile_ir::Value> planted_value(tile_ir::KernelBuilder& b, const loop::Instruction& in,
                                            std::span<const tile_ir::Value> operands);

}  // namespace sinter::schedule
