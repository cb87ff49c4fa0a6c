// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/library/gemm.h"

#include <sinter/error.h>

#include <algorithm>

namespace sinter::exec {
namespace {

/// One dim of batches, with the step that each matrix takes along it.
struct BatchDim {
  int64_t extent, a, b, d;
};

GemmMatrix matrix_of(const CallTensor& t) {
  const size_t rank = t.shape.size();
  const int64_t rows = t.shape[rank - 2], columns = t.shape[rank - 1];
  const int64_t row_step = t.strides[rank - 2], column_step = t.strides[rank - 1];
  GemmMatrix m;
  m.row_major = (columns == 1 || column_step == 1) && (rows == 1 || row_step >= columns);
  if (m.row_major)
    m.leading = rows == 1 ? std::max<int64_t>(columns, 1) : row_step;
  else
    m.leading = columns == 1 ? std::max<int64_t>(rows, 1) : column_step;
  const bool fits = m.row_major || ((rows == 1 || row_step == 1) && m.leading >= rows);
  if (!fits) throw CompileError("internal: a gemm reads a matrix that is neither row-major nor column-major");
  return m;
}

/// The step along dim `d` of the result's batch, from the last one: 0 where the operand broadcasts.
int64_t batch_step(const CallTensor& t, size_t from_last) {
  const size_t batches = t.shape.size() - 2;
  if (from_last > batches || t.shape[batches - from_last] == 1) return 0;
  return t.strides[batches - from_last];
}

/// Outermost first, merged where all three walk on evenly.
std::vector<BatchDim> batch_dims(const CallTensor& a, const CallTensor& b, const CallTensor& d) {
  std::vector<BatchDim> dims;
  const size_t count = d.shape.size() - 2;
  for (size_t i = 0; i < count; ++i) {
    const BatchDim next{d.shape[i], batch_step(a, count - i), batch_step(b, count - i), batch_step(d, count - i)};
    if (next.extent == 1) continue;
    if (!dims.empty()) {
      BatchDim& outer = dims.back();
      const auto walks_on = [&](int64_t BatchDim::* step) { return outer.*step == next.extent * (next.*step); };
      if (walks_on(&BatchDim::a) && walks_on(&BatchDim::b) && walks_on(&BatchDim::d)) {
        outer = {outer.extent * next.extent, next.a, next.b, next.d};
        continue;
      }
    }
    dims.push_back(next);
  }
  return dims;
}

/// The innermost batch as further rows of a and d, where b stays the same.
void fold_into_rows(Gemm& g, std::vector<BatchDim>& dims) {
  if (dims.empty() || !g.a.row_major) return;
  const BatchDim inner = dims.back();
  if (g.m == 1 && inner.a >= g.k) g.a.leading = inner.a;  // one row has no step of its own
  if (inner.b != 0 || inner.a != g.m * g.a.leading || inner.d != g.m * g.d.leading) return;
  g.m *= inner.extent;
  dims.pop_back();
}

void add_offsets(Gemm& g, std::span<const BatchDim> outer) {
  g.offsets = {{0, 0, 0}};
  for (const BatchDim& dim : outer) {
    std::vector<std::array<int64_t, 3>> all;
    for (const auto& o : g.offsets)
      for (int64_t i = 0; i < dim.extent; ++i) all.push_back({o[0] + i * dim.a, o[1] + i * dim.b, o[2] + i * dim.d});
    g.offsets = std::move(all);
  }
}

}  // namespace

Gemm gemm_of(const CallDescription& call) {
  const CallTensor &a = call.operands[0], &b = call.operands[1], &d = call.results[0];
  Gemm g;
  g.m = a.shape[a.shape.size() - 2];
  g.k = a.shape[a.shape.size() - 1];
  g.n = b.shape[b.shape.size() - 1];
  g.a = matrix_of(a);
  g.b = matrix_of(b);
  g.d = {true, std::max<int64_t>(g.n, 1), 0};
  g.bias = call.operands.size() > 2;
  g.epilogue = static_cast<GemmEpilogue>(call.words.at(0));
  g.operands = a.dtype;
  g.result = d.dtype;
  std::vector<BatchDim> dims = batch_dims(a, b, d);
  fold_into_rows(g, dims);
  if (!dims.empty()) {
    g.batches = dims.back().extent;
    g.a.batch_stride = dims.back().a;
    g.b.batch_stride = dims.back().b;
    g.d.batch_stride = dims.back().d;
    dims.pop_back();
  }
  add_offsets(g, dims);
  return g;
}

std::string why_no_gemm(const CallDescription& call) {
  const DType t = call.operands[0].dtype;
  if (t != f32 && t != f16 && t != bf16) return "only f32, f16 and bf16, not " + std::string(t.name());
  if (call.operands[0].shape.back() == 0) return "the inner extent is 0";
  if (call.operands.size() > 2 && call.results[0].dtype != t) return "no bias in another dtype than the result";
  return {};
}

}  // namespace sinter::exec
