// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/exec/library/call.h"

namespace sinter::exec {

/// The epilogues of the op gemm, as its first structural word has them (src/ops/gemm.h).
enum class GemmEpilogue : uint8_t { none, relu, gelu_tanh };

/// A matrix of a gemm: element (r, c) is at r * leading + c where it is row-major, else at r + c * leading.
struct GemmMatrix {
  bool row_major = true;
  int64_t leading = 1;       ///< at least the length of a row, or of a column
  int64_t batch_stride = 0;  ///< 0: the same matrix for every batch
};

/// What the op gemm asks for, as matrix libraries take it: d [m,n] = epilogue(a [m,k] @ b [k,n] + bias [n]), for
/// `batches` of one stride, and that at each of `offsets`.
struct Gemm {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  GemmMatrix a, b, d;
  bool bias = false;
  GemmEpilogue epilogue = GemmEpilogue::none;
  DType operands, result;
  std::vector<std::array<int64_t, 3>> offsets;  ///< elements into a, b and d; one where all batches have one stride
};

/// Reads a call of gemm that is ready to run. Batches that walk through one dense matrix become rows of it, so that a
/// linear layer over [batch, time, features] is one product; dims of batches merge as far as their strides allow.
Gemm gemm_of(const CallDescription& call);

/// Why a library of f32, f16 and bf16 products does not take a call; empty if it does.
std::string why_no_gemm(const CallDescription& call);

}  // namespace sinter::exec
