// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/custom_op.h>
#include <sinter/sinter.h>

#include <string>

namespace sinter::test {

/// The emulator as cuda:0, from now on.
void install_emulator();

/// A definition that lacks only what a test adds: y = reverse(x) * scale over the elements of f32, by its reference.
OpDefinition reversed_definition(const std::string& name);
/// What it computes, in terms of other ops, for rank 1.
Tensor reversed(const Tensor& x, double scale = 1);

/// y = transpose(x) of f32 matrices as a tile program; any extents.
const CustomOp& turned();

}  // namespace sinter::test
