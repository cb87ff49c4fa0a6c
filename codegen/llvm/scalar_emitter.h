// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "codegen/llvm/tile_value.h"

namespace sinter::llvm_codegen {

/// One scalar op on chunks of equal length.
struct ScalarCall {
  Builder& b;
  std::array<llvm::Value*, 3> x;
  DType type;       ///< of the last operand
  DType attribute;  ///< of convert, bitcast, round_to

  int lanes() const { return lanes_of(x[0]); }
  llvm::Type* like(llvm::Type* element) const { return vector_of(element, lanes()); }
  llvm::Type* type_of(DType compute) const { return like(register_type(b.getContext(), compute)); }
};

// One builder function per row of the table.
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) llvm::Value* emit_##name(const ScalarCall& c);
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP

llvm::Value* emit_scalar(scalar::ScalarOp op, const ScalarCall& call);

/// The function of the platform's C library for f64, lane by lane.
llvm::Value* call_platform(Builder& b, const char* symbol, std::initializer_list<llvm::Value*> x);

/// Bits of bf16 (i16), round to nearest even, NaN stays NaN.
llvm::Value* narrow_to_bf16(Builder& b, llvm::Value* f32_value);
llvm::Value* widen_bf16(Builder& b, llvm::Value* bits);
/// Bits of f16 (i16), round to nearest even.
llvm::Value* narrow_to_f16(Builder& b, llvm::Value* f32_value);
llvm::Value* widen_f16(Builder& b, llvm::Value* bits);

}  // namespace sinter::llvm_codegen
