// SPDX-License-Identifier: Apache-2.0
#include "src/loop/canonical_fold.h"

#include <algorithm>
#include <vector>

namespace sinter::loop {
namespace {

using graph::ReduceKind;
using scalar::Constant;

/// Neighbours combine, then neighbours of the results; one without a neighbour moves up as it is.
Constant tree(scalar::ScalarOp op, std::vector<Constant> v) {
  while (v.size() > 1) {
    std::vector<Constant> above;
    for (size_t i = 0; i + 1 < v.size(); i += 2) above.push_back(scalar::evaluate(op, {{v[i], v[i + 1]}}));
    if (v.size() % 2 != 0) above.push_back(v.back());
    v = std::move(above);
  }
  return v[0];
}

Constant fold_chunk(scalar::ScalarOp op, std::span<const Constant> chunk) {
  const size_t partials = std::min<size_t>(chunk.size(), reduction_partials);
  std::vector<Constant> partial(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(partials));
  for (size_t j = partials; j < chunk.size(); ++j) {
    Constant& p = partial[j % reduction_partials];
    p = scalar::evaluate(op, {{p, chunk[j]}});
  }
  return tree(op, std::move(partial));
}

}  // namespace

Constant canonical_fold(ReduceKind kind, DType type, std::span<const Constant> elements) {
  if (elements.empty()) return reduction_identity(kind, type);
  std::vector<Constant> chunks;
  for (size_t begin = 0; begin < elements.size(); begin += reduction_chunk)
    chunks.push_back(
        fold_chunk(fold_op(kind), elements.subspan(begin, std::min<size_t>(reduction_chunk, elements.size() - begin))));
  return tree(fold_op(kind), std::move(chunks));
}

}  // namespace sinter::loop
