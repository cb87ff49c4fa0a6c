// SPDX-License-Identifier: Apache-2.0
#include "src/reference/scan.h"

#include <algorithm>
#include <span>
#include <vector>

namespace sinter::reference {
namespace {

using scalar::Constant;

constexpr size_t chunk_size = 8192;

void scan_run(std::span<Constant> v, size_t length, const Combine& combine) {
  if (v.size() < 2) return;
  const size_t half = length / 2, first = std::min(half, v.size());
  scan_run(v.first(first), half, combine);
  scan_run(v.subspan(first), half, combine);
  for (Constant& c : v.subspan(first)) c = combine(v[first - 1], c);
}

void scan_row(std::span<Constant> row, const Combine& combine) {
  for (size_t begin = 0; begin < row.size(); begin += chunk_size) {
    const std::span<Constant> chunk = row.subspan(begin, std::min(chunk_size, row.size() - begin));
    scan_run(chunk, chunk_size, combine);
    if (begin == 0) continue;
    for (Constant& c : chunk) c = combine(row[begin - 1], c);
  }
}

}  // namespace

Array scan(const Array& x, size_t dim, DType result, const Combine& combine) {
  Array out = Array::zeros(result, x.shape);
  const int64_t length = x.shape.empty() ? 1 : x.shape[dim];
  int64_t inner = 1;
  for (size_t d = dim + 1; d < x.shape.size(); ++d) inner *= x.shape[d];
  const int64_t rows = length == 0 ? 0 : x.size() / length;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t start = r / inner * inner * length + r % inner;
    std::vector<Constant> row;
    for (int64_t j = 0; j < length; ++j) {
      const Constant element = x.at(start + j * inner);
      row.push_back(scalar::evaluate(scalar::ScalarOp::convert, {&element, 1}, scalar::compute_type(result)));
    }
    scan_row(row, combine);
    for (int64_t j = 0; j < length; ++j) out.set(start + j * inner, rounded(row[static_cast<size_t>(j)], result));
  }
  return out;
}

}  // namespace sinter::reference
