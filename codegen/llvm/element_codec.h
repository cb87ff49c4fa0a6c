// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// A chunk of memory elements widened to the compute type, and narrowed back (the values are representable).
llvm::Value* decode(Builder& b, llvm::Value* memory, DType storage);
llvm::Value* encode(Builder& b, llvm::Value* value, DType storage);

}  // namespace sinter::llvm_codegen
