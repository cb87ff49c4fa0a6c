// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "src/compiler/custom_op.h"

namespace sinter::compiler {

/// Calls by a kernel of the user's: its code is made once for an op and device, and kept on disk.
std::shared_ptr<const exec::PreparedCall> cuda_call(std::shared_ptr<const RegisteredOp> op, const CustomCall& call);
std::shared_ptr<const exec::PreparedCall> tile_call(std::shared_ptr<const RegisteredOp> op, const CustomCall& call);

}  // namespace sinter::compiler
