// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/narrowing_stores.h"

namespace sinter::tile_ir {
namespace {

bool is_round(const Instruction& in) { return in.op == Op::scalar && in.scalar == ScalarOp::round_to; }

void visit(Region& r, const auto& f) {
  for (Instruction& in : r.body) {
    f(in);
    for (Region& inner : in.regions) visit(inner, f);
  }
}

void erase_unread(Region& r, const std::vector<int>& reads) {
  std::erase_if(r.body,
                [&](const Instruction& in) { return is_round(in) && reads[static_cast<size_t>(in.results[0])] == 0; });
  for (Instruction& in : r.body)
    for (Region& inner : in.regions) erase_unread(inner, reads);
}

}  // namespace

void store_unrounded(Kernel& kernel) {
  struct Rounding {
    ValueId operand = -1;
    DType dtype;
  };
  const auto values = static_cast<size_t>(kernel.value_count);
  std::vector<Rounding> roundings(values);
  visit(kernel.body, [&](Instruction& in) {
    if (is_round(in)) roundings[static_cast<size_t>(in.results[0])] = {in.operands[0], in.dtype};
    if (in.op != Op::block_store && in.op != Op::scatter) return;
    ValueId& stored = in.operands[in.op == Op::scatter ? 1 : 0];
    const Rounding& r = roundings[static_cast<size_t>(stored)];
    if (r.operand >= 0 && r.dtype == kernel.parameters[static_cast<size_t>(in.index)].dtype) stored = r.operand;
  });
  std::vector<int> reads(values);
  visit(kernel.body, [&](const Instruction& in) {
    for (ValueId v : in.operands) ++reads[static_cast<size_t>(v)];
  });
  erase_unread(kernel.body, reads);
}

}  // namespace sinter::tile_ir
