// SPDX-License-Identifier: Apache-2.0
// Functions that divide a tensor along a dim: one narrow() or select() for each part.
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/dispatch.h"
#include "src/ops/host_operand.h"

namespace sinter::ops {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

std::vector<Tensor> parts_of(const Operand& x, size_t dim, const std::vector<int64_t>& sizes) {
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    Operand whole = borrowed(x);
    parts.push_back(dispatch(op<"narrow">(), {&whole},
                             graph::CallAttributes().integer(static_cast<int64_t>(dim)).extent(start).extent(size)));
    start += size;
  }
  return parts;
}

/// Parts of `size` elements; the last one has what is left. An empty dim is one empty part.
std::vector<int64_t> equal_sizes(int64_t extent, int64_t size) {
  std::vector<int64_t> sizes;
  for (int64_t start = 0; start < extent; start += size) sizes.push_back(std::min(size, extent - start));
  if (sizes.empty()) sizes.push_back(0);
  return sizes;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

std::vector<Tensor> split(Operand x, int64_t size, int64_t dim) {
  const size_t d = ops::require_dim(x, dim, "split");
  const int64_t extent = x.tensor().size(static_cast<int>(d));
  if (size < 0 || (size == 0 && extent > 0))
    ops::refuse("split", x.line(),
                fmt::format("parts of {} elements of dim {} of {}", size, d, x.tensor().shape().text()),
                "give a size of 1 or more");
  return ops::parts_of(x, d, ops::equal_sizes(extent, size));
}

std::vector<Tensor> split_with_sizes(Operand x, const std::vector<int64_t>& sizes, int64_t dim) {
  const size_t d = ops::require_dim(x, dim, "split_with_sizes");
  const int64_t extent = x.tensor().size(static_cast<int>(d));
  int64_t left = extent;
  for (const int64_t size : sizes) {
    if (size < 0)
      ops::refuse("split_with_sizes", x.line(), fmt::format("size {} is negative", size), "give sizes of 0 or more");
    left -= std::min(size, left + 1);  // never below -1, whatever the sizes
  }
  if (left != 0)
    ops::refuse(
        "split_with_sizes", x.line(),
        fmt::format("the sizes do not add up to the {} elements of dim {} of {}", extent, d, x.tensor().shape().text()),
        "their sum must be the extent; split() gives equal parts");
  return ops::parts_of(x, d, sizes);
}

std::vector<Tensor> chunk(Operand x, int64_t chunks, int64_t dim) {
  const size_t d = ops::require_dim(x, dim, "chunk");
  if (chunks < 1)
    ops::refuse("chunk", x.line(), fmt::format("{} chunks; expected 1 or more", chunks), "give a number of 1 or more");
  const int64_t extent = x.tensor().size(static_cast<int>(d));
  if (extent == 0) return ops::parts_of(x, d, std::vector<int64_t>(static_cast<size_t>(chunks), 0));
  return ops::parts_of(x, d, ops::equal_sizes(extent, ops::ceil_div(extent, chunks)));
}

std::vector<Tensor> unbind(Operand x, int64_t dim) {
  const size_t d = ops::require_dim(x, dim, "unbind");
  std::vector<Tensor> parts;
  for (int64_t i = 0, n = x.tensor().size(static_cast<int>(d)); i < n; ++i) {
    Operand whole = ops::borrowed(x);
    parts.push_back(ops::dispatch(ops::op<"select">(), {&whole},
                                  graph::CallAttributes().integer(static_cast<int64_t>(d)).extent(i)));
  }
  return parts;
}

}  // namespace sinter
