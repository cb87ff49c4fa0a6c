// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "src/loop/reader.h"
#include "src/ops/philox.h"
#include "src/reference/array.h"

// Which random words belong to which element. Elements of a result are numbered row-major, so that they do not depend
// on how a kernel goes over them; 2^k consecutive ones share a block of four words:
//   philox(counter = {block, offset}, key = seed), 64 bits each, low word first.

namespace sinter::ops {

/// The block of one element.
struct RandomBlock {
  std::array<loop::Value, 4> words;  ///< u32
  loop::Value place;                 ///< u32: which of the block's 2^k elements it is
};

/// For the element at `index` of the node's result. The last operand is the generator's state, `draw` how far the draw
/// lies behind the offset there.
RandomBlock random_block(loop::Reader& reader, std::span<const graph::Expr> index, const graph::Scalar& draw, int k);

/// Fails unless the operand is a generator's state: u64 [2].
void check_state(graph::InferContext& context, size_t operand);

/// For the reference: the same words by host arithmetic.
class ReferenceWords {
 public:
  ReferenceWords(const reference::Array& state, const graph::Scalar& draw);
  PhiloxWords block(uint64_t number) const;

 private:
  uint64_t seed_, offset_;
};

}  // namespace sinter::ops
