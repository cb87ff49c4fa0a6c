// SPDX-License-Identifier: Apache-2.0
#include "src/reference/reduce.h"

#include <sinter/error.h>

#include <algorithm>
#include <optional>

namespace sinter::reference {
namespace {

using graph::ReduceKind;
using scalar::Constant;
using scalar::ScalarOp;
using Partial = std::optional<Constant>;

constexpr size_t chunk_size = 1024, partial_count = 256;

ScalarOp op_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return ScalarOp::add;
    case ReduceKind::prod:
      return ScalarOp::mul;
    case ReduceKind::amax:
      return ScalarOp::max;
    case ReduceKind::amin:
      return ScalarOp::min;
  }
  throw CompileError("internal: unknown reduction");
}

struct Combine {
  ScalarOp op;
  Partial operator()(const Partial& a, const Partial& b) const {
    if (!a) return b;
    if (!b) return a;
    const Constant both[] = {*a, *b};
    return scalar::evaluate(op, both);
  }
};

/// Neighbours first: lowest bit of the position first.
Partial tree(std::vector<Partial> v, const Combine& combine) {
  while (v.size() > 1) {
    std::vector<Partial> pairs;
    for (size_t i = 0; i < v.size(); i += 2) pairs.push_back(i + 1 < v.size() ? combine(v[i], v[i + 1]) : v[i]);
    v = std::move(pairs);
  }
  return v.empty() ? std::nullopt : v[0];
}

Partial fold_chunk(std::span<const Constant> chunk, const Combine& combine) {
  std::vector<Partial> partials(partial_count);
  for (size_t j = 0; j < chunk.size(); ++j) {
    Partial& p = partials[j % partial_count];
    p = combine(p, chunk[j]);
  }
  return tree(std::move(partials), combine);
}

Constant identity(ReduceKind kind, DType t) {
  if (kind == ReduceKind::sum) return scalar::constant_int(t, 0);
  if (kind == ReduceKind::prod) return scalar::constant_int(t, 1);
  throw UserError("no elements have no extreme");
}

Dims result_shape(const Dims& shape, const std::vector<bool>& reduced, bool keepdim) {
  Dims result;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!reduced[d])
      result.push_back(shape[d]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

}  // namespace

Constant fold(ReduceKind kind, DType compute, std::span<const Constant> values) {
  const Combine combine{op_of(kind)};
  std::vector<Partial> chunks;
  for (size_t begin = 0; begin < values.size(); begin += chunk_size)
    chunks.push_back(fold_chunk(values.subspan(begin, std::min(chunk_size, values.size() - begin)), combine));
  const Partial all = tree(std::move(chunks), combine);
  return all ? *all : identity(kind, compute);
}

Array reduce(const Array& x, const graph::ReductionSpec& spec, DType result) {
  const DType compute = scalar::compute_type(result);
  std::vector<bool> reduced(x.shape.size(), false);
  for (int d : spec.dims) reduced.at(static_cast<size_t>(d)) = true;
  Array out = Array::zeros(result, result_shape(x.shape, reduced, spec.keepdim));
  // Row-major order over x visits the reduced dims of each output element in row-major order.
  std::vector<std::vector<Constant>> values(static_cast<size_t>(out.size()));
  int64_t next = 0;
  for_each_index(x.shape, [&](const Dims& index) {
    Dims kept;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!reduced[d])
        kept.push_back(index[d]);
      else if (spec.keepdim)
        kept.push_back(0);
    }
    const Constant element = x.at(next++);
    values[static_cast<size_t>(out.offset(kept))].push_back(
        scalar::evaluate(ScalarOp::convert, {&element, 1}, compute));
  });
  for (int64_t i = 0; i < out.size(); ++i)
    out.set(i, rounded(fold(spec.kind, compute, values[static_cast<size_t>(i)]), result));
  return out;
}

}  // namespace sinter::reference
