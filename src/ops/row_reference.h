// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "src/loop/builder.h"
#include "src/ops/reshaped_array.h"
#include "src/reference/array.h"
#include "src/reference/reduce.h"

// Plain arithmetic on rows of numbers, for the references of ops that are compositions of folds. A row holds the
// elements of some dims, in their row-major order, as numbers of one compute type; its functions are instantiated for
// float and double.

namespace sinter::ops {

template <class T>
inline constexpr DType row_type = std::is_same_v<T, double> ? f64 : f32;

template <class T>
scalar::Constant constant_from(T v) {
  return scalar::constant_of(row_type<T>, static_cast<double>(v));
}
template <class T>
T number_from(const scalar::Constant& c) {
  return static_cast<T>(scalar::as_double(c));
}

/// The fold of a row in the canonical order.
template <class T>
T fold_row(graph::ReduceKind kind, std::span<const T> row) {
  std::vector<scalar::Constant> constants;
  for (T v : row) constants.push_back(constant_from(v));
  return number_from<T>(reference::fold(kind, row_type<T>, constants));
}
template <class T>
T sum_row(std::span<const T> row) {
  return fold_row(graph::ReduceKind::sum, row);
}
template <class T>
T max_row(std::span<const T> row) {
  return fold_row(graph::ReduceKind::amax, row);
}

/// A transcendental function (src/ops/transcendental.h) of a number.
template <class T>
T apply(loop::Value (*function)(loop::Builder&, loop::Value, DType), T x) {
  loop::Body body;
  loop::Builder b(body);
  const loop::Value v = function(b, body.constant(constant_from(x)), row_type<T>);
  return number_from<T>({body[v.id].type, body[v.id].bits});
}

template <class T>
T apply(loop::Value (*function)(loop::Builder&, loop::Value, loop::Value, DType), T x, T y) {
  loop::Body body;
  loop::Builder b(body);
  const loop::Value v = function(b, body.constant(constant_from(x)), body.constant(constant_from(y)), dtype_of<T>);
  return number_from<T>({body[v.id].type, body[v.id].bits});
}

/// The array in another dtype; floating to floating.
reference::Array converted(const reference::Array& x, DType dtype);

/// Where the elements of each row stand in an array of `shape`, row by row: rows run along `dims` (ascending).
std::vector<std::vector<int64_t>> rows_along(const Dims& shape, const Dims& dims);

namespace row_detail {

template <class T, class F>
reference::Array map_rows(const reference::Array& x, const Dims& dims, const F& f) {
  reference::Array out = x;
  for (const std::vector<int64_t>& positions : rows_along(x.shape, dims)) {
    std::vector<T> row;
    for (int64_t i : positions) row.push_back(number_from<T>(x.at(i)));
    if (row.empty()) continue;
    f(std::span<T>(row));
    for (size_t i = 0; i < row.size(); ++i) out.set(positions[i], constant_from(row[i]));
  }
  return out;
}

template <class T, class F>
reference::Array fold_rows(const reference::Array& x, const Dims& dims, const Dims& result_shape, const F& f) {
  reference::Array out = reference::Array::zeros(x.dtype, result_shape);
  int64_t next = 0;
  for (const std::vector<int64_t>& positions : rows_along(x.shape, dims)) {
    std::vector<T> row;
    for (int64_t i : positions) row.push_back(number_from<T>(x.at(i)));
    out.set(next++, constant_from(f(std::span<const T>(row))));
  }
  return out;
}

}  // namespace row_detail

/// x, of f32 or f64, with each row changed in place by f, which sees no empty rows.
template <class F>
reference::Array map_rows(const reference::Array& x, const Dims& dims, const F& f) {
  return x.dtype == f64 ? row_detail::map_rows<double>(x, dims, f) : row_detail::map_rows<float>(x, dims, f);
}
/// f of each row of x, in row-major order of the other dims.
template <class F>
reference::Array fold_rows(const reference::Array& x, const Dims& dims, const Dims& result_shape, const F& f) {
  return x.dtype == f64 ? row_detail::fold_rows<double>(x, dims, result_shape, f)
                        : row_detail::fold_rows<float>(x, dims, result_shape, f);
}

/// Extents of a node's result, which are literals.
Dims result_shape(const graph::Node& node);

}  // namespace sinter::ops
