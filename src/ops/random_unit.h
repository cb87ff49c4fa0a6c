// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/ops/random_block.h"

namespace sinter::ops {

/// Elements that share a block of words in uniform numbers: each takes one word, or two for f64.
int uniform_k(DType dtype);
/// A uniform number in [0, 1) of the compute type of `dtype`, a multiple of 2^-p with the p bits of its significand.
loop::Value uniform_unit(loop::Builder& b, const RandomBlock& block, DType dtype);
double uniform_unit(const PhiloxWords& words, uint32_t place, DType dtype);

/// 64 random bits (u64) of element `place` of two that share a block.
loop::Value random_word64(loop::Builder& b, const RandomBlock& block);
uint64_t random_word64(const PhiloxWords& words, uint32_t place);

/// u64 of two words, and a choice by a bit of an element's place in its block.
loop::Value joined(loop::Builder& b, loop::Value low, loop::Value high);
loop::Value chosen(loop::Builder& b, const RandomBlock& block, uint32_t bit, loop::Value if_set, loop::Value if_clear);

}  // namespace sinter::ops
