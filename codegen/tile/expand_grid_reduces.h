// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// Replaces every grid_reduce by what it means: a program stores its values and arrives; the last one of its group
/// loads what all stored, and folds it. First step of both back ends; logical form to logical form.
void expand_grid_reduces(Kernel& kernel);

}  // namespace sinter::tile_ir
