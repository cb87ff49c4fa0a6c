// SPDX-License-Identifier: Apache-2.0
#include "src/ops/product_reference.h"

#include <utility>
#include <vector>

#include "src/reference/elementwise.h"
#include "src/reference/reduce.h"

namespace sinter::ops {

using reference::Array;
using scalar::Constant;
using scalar::ScalarOp;

namespace {

Constant converted(const Constant& v, DType compute) { return scalar::evaluate(ScalarOp::convert, {&v, 1}, compute); }

/// The element of an operand whose last two indices are given and whose batch is the result's, broadcast.
Constant element(const Array& x, const Dims& batch, int64_t row, int64_t column) {
  Dims index = Dims::filled(x.shape.size(), 0);
  const size_t batches = x.shape.size() - 2, skipped = batch.size() - batches;
  for (size_t d = 0; d < batches; ++d) index[d] = x.shape[d] == 1 ? 0 : batch[skipped + d];
  index[batches] = row;
  index[batches + 1] = column;
  return x.at(index);
}

Array batches_of(const Array& x) { return Array::zeros(boolean, Dims(x.shape.span().first(x.shape.size() - 2))); }

}  // namespace

DType accumulator_of(DType dtype) { return dtype.is_floating() ? scalar::compute_type(dtype) : i64; }

Array accumulated_product(const Array& a, const Array& b) {
  const DType wide = accumulator_of(a.dtype);
  const Array batches[] = {batches_of(a), batches_of(b)};
  const Dims batch_shape = reference::broadcast_shape(batches);
  Dims shape = batch_shape;
  shape.push_back(a.shape[a.shape.size() - 2]);
  shape.push_back(b.shape.back());
  const int64_t depth = a.shape.back();
  Array out = Array::zeros(wide, shape);
  int64_t next = 0;
  reference::for_each_index(shape, [&](const Dims& index) {
    const Dims batch(index.span().first(batch_shape.size()));
    const int64_t i = index[index.size() - 2], j = index.back();
    std::vector<Constant> products;
    for (int64_t k = 0; k < depth; ++k) {
      const Constant factors[] = {element(a, batch, i, k), element(b, batch, k, j)};
      Constant product = scalar::evaluate(ScalarOp::mul, factors);
      if (!a.dtype.is_floating()) product = reference::rounded(product, a.dtype);
      products.push_back(product.dtype == wide ? product : converted(product, wide));
    }
    out.set(next++, reference::fold(graph::ReduceKind::sum, wide, products));
  });
  return out;
}

Array rounded_to(const Array& array, DType dtype) {
  if (array.dtype == dtype) return array;
  Array out = Array::zeros(dtype, array.shape);
  for (int64_t i = 0; i < array.size(); ++i)
    out.set(i, reference::rounded(converted(array.at(i), scalar::compute_type(dtype)), dtype));
  return out;
}

Array sum_of(const Array& x, const Array& y) {
  Array out = Array::zeros(x.dtype, x.shape);
  int64_t next = 0;
  reference::for_each_index(x.shape, [&](const Dims& index) {
    const Constant terms[] = {x.at(next), converted(reference::broadcast_element(y, index), x.dtype)};
    out.set(next++, scalar::evaluate(ScalarOp::add, terms));
  });
  return out;
}

Array transposed(const Array& matrix) {
  Dims shape = matrix.shape;
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  Array out = Array::zeros(matrix.dtype, shape);
  reference::for_each_index(shape, [&](const Dims& index) {
    Dims source = index;
    std::swap(source[source.size() - 1], source[source.size() - 2]);
    out.set(index, matrix.at(source));
  });
  return out;
}

}  // namespace sinter::ops
