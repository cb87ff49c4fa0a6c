// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

/// Sums of products named by index letters, as in einsum("ij,jk->ik", {a, b}): a letter that the result lacks is summed
/// over, one that an operand repeats takes its diagonal, and "..." stands for dims that broadcast. Without "->" the
/// result has "..." and then the letters that occur once, in alphabetical order. Extents of a letter agree or are 1.
///
/// One product over all letters and one sum of it, which one kernel does without memory between them; f16 and bf16 are
/// multiplied and added up in f32 and rounded once, integers wrap. Meant for contractions of little reuse (weighted
/// sums, batched dot products, traces): large matrix products read each operand again for every result. UserError for
/// specifications that do not fit the operands, and for more than 8 different dims.
Tensor einsum(std::string_view specification, std::vector<Tensor> operands, SourceLine line = SourceLine::current());

}  // namespace sinter
#pragma GCC visibility pop
