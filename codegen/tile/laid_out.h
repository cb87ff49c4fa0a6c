// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "codegen/tile/ir.h"
#include "codegen/tile/layout/linear_layout.h"

namespace sinter::tile_ir {

/// The laid-out form of a kernel: every tile value has a layout, and convert_layout instructions stand where two meet.
/// Stores round to the pointer's dtype by themselves. Only the CUDA emitter reads it.
struct LaidOutKernel {
  Kernel kernel;
  std::vector<Type> types;            ///< by value id
  std::vector<LinearLayout> layouts;  ///< by value id; meaningless for scalars
};

/// Gives every tile a layout.
///
/// Values joined by elementwise ops, gathers and loop-carried slots form a class with one layout. A class takes the
/// layout that coalesces its widest store, else that of what is made of it (broadcast, reshape, trans), else its widest
/// load, else of the value it is derived from, else a plain blocked one. A load keeps its class's layout unless that
/// would scatter it over memory; then it is loaded coalesced and converted.
/// Precondition: verify(kernel) holds. threads = 32 * num_warps.
LaidOutKernel assign_layouts(Kernel kernel);

}  // namespace sinter::tile_ir
