// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// for (number = 0; number < count; number += step) body(number), at least once; count is a multiple of step.
void emit_counted_loop(Builder& b, int64_t count, int64_t step, const std::function<void(llvm::Value*)>& body);

}  // namespace sinter::llvm_codegen
