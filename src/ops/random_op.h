// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/ops/random_block.h"
#include "src/ops/samples.h"
#include "src/tensor/random_state.h"

namespace sinter::ops {

using tensor::Draw;
using tensor::next_draw;

/// What distinguishes ops whose result holds random numbers. Their operand is the generator's state, their attributes
/// are `draw`, `shape`, `dtype` and `params`.
struct RandomOp {
  std::string_view name;
  std::string_view doc;
  /// The same of the first operand's shape and, unless one is given, dtype.
  std::string_view like_name;
  std::string_view like_doc;
  std::vector<graph::Param> params = {};
  /// Fails for a dtype, or for literals among `rest`, that the op refuses.
  void (*check)(const graph::InferContext& context, DType dtype, graph::AttributeReader rest) = nullptr;
  /// How many elements share a block of words: 2^k.
  int (*k)(DType dtype) = nullptr;
  /// The element, of the compute type of `dtype` and representable in it.
  loop::Value (*element)(loop::Reader& reader, const RandomBlock& block, DType dtype,
                         graph::AttributeReader rest) = nullptr;
  /// The same on the host: element `place` of a block.
  scalar::Constant (*reference)(const PhiloxWords& words, uint32_t place, DType dtype,
                                graph::AttributeReader rest) = nullptr;
  std::vector<graph::SampleCall> (*samples)() = nullptr;
};

/// Registers the op and the one of its `like_name`.
void register_random(const RandomOp& op);

/// The call with this thread's recorder.
Tensor dispatch_draw(const graph::OpDef& op, const Draw& draw, const graph::CallAttributes& attributes,
                     SourceLine line);

/// A sampled call without tensors but the state.
graph::SampleCall random_sample(const graph::CallAttributes& attributes);

}  // namespace sinter::ops
