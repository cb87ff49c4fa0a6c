// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/activations.h>
#include <sinter/views.h>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/pointwise.h"
#include "src/ops/refusals.h"
#include "src/ops/transcendental.h"

namespace sinter {

Tensor glu(Operand x, int64_t dim) {
  const SourceLine line = x.line();
  if (!x.is_tensor() || !x.tensor().defined()) return ops::pointwise<"glu">(x, x);
  const Tensor& whole = x.tensor();
  const bool has_dim = dim >= -whole.rank() && dim < whole.rank();
  if (!has_dim || whole.size(static_cast<int>(dim)) % 2 != 0)
    ops::refuse("glu", line,
                fmt::format("dim {} of {} {} has no two halves", dim, whole.dtype().name(), whole.shape().text()),
                "give a dim of even extent");
  const int64_t half = whole.size(static_cast<int>(dim)) / 2;
  Operand value(slice(Operand(whole, line.file, line.line), dim, 0, half), line.file, line.line);
  Operand gate(slice(Operand(whole, line.file, line.line), dim, half), line.file, line.line);
  x.release();
  return ops::pointwise<"glu">(value, gate);
}

}  // namespace sinter

namespace sinter::ops {

void register_gating() {
  graph::register_op(
      pointwise_op({.name = "glu",
                    .doc = "a * sigmoid(b) of the halves of a tensor, rounded once for f16 and bf16.",
                    .arguments = 2,
                    .types = keeps_dtype,
                    .refuse = refuse_integers_and_mixed,
                    .compute = [](loop::Builder& b, std::span<const loop::Value> v, DType operating,
                                  graph::AttributeReader) { return b.mul(v[0], sigmoid_value(b, v[1], operating)); },
                    .low = -12,
                    .high = 12,
                    .samples_all_pairs = false}));
}

}  // namespace sinter::ops
