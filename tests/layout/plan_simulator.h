// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/tile/layout/convert.h"

namespace sinter::tile_ir::testing {

/// What a simulated conversion did.
struct SimulationResult {
  std::string error;       ///< empty if every register of every thread got its element
  int accesses = 0;        ///< accesses to shared memory by whole warps
  int phases = 0;          ///< phases of them (quarter warps for 16 bytes, half warps for 8)
  int bank_conflicts = 0;  ///< cycles beyond one per phase
};

/// Runs a plan on host threads one after another: every register starts with a number that names its element, is moved
/// as the plan says, and is compared with what the target layout asks for. Also an error: misaligned or overlapping
/// accesses, stores that overwrite what is not read yet, reads across warps without a block barrier, sources or targets
/// that are not registers.
SimulationResult simulate(const ConvertPlan& plan, const LinearLayout& source, const LinearLayout& target,
                          int element_bytes);

/// Cycles beyond the first that one phase of an access needs: 32 banks of 4 bytes serve one word each.
int bank_conflicts(const std::vector<uint32_t>& byte_addresses, int access_bytes);

}  // namespace sinter::tile_ir::testing
