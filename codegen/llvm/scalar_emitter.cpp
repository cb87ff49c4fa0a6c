// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/scalar_emitter.h"

namespace sinter::llvm_codegen {

llvm::Value* emit_scalar(scalar::ScalarOp op, const ScalarCall& call) {
  switch (op) {
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda) \
  case scalar::ScalarOp::name:                             \
    return emit_##name(call);
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
  }
  return nullptr;
}

}  // namespace sinter::llvm_codegen
