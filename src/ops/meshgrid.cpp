// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/creation.h>
#include <sinter/views.h>

#include "src/ops/host_operand.h"

namespace sinter::ops {
namespace {

void check_axes(const std::vector<Tensor>& axes, SourceLine line) {
  if (axes.empty()) refuse("meshgrid", line, "the list of tensors is empty; expected at least one", {});
  if (axes.size() > Dims::max_size)
    refuse("meshgrid", line, fmt::format("{} tensors; expected {} at most", axes.size(), Dims::max_size), {});
  for (size_t i = 0; i < axes.size(); ++i) {
    const Tensor& t = axes[i];
    if (!t.defined()) refuse("meshgrid", line, fmt::format("argument {} is an undefined tensor", i), "give it a value");
    if (t.rank() > 1)
      refuse("meshgrid", line,
             fmt::format("tensor {} is {}; expected one of one dim, or a 0-d one", i, t.shape().text()),
             "flatten it first");
    if (t.dtype() != axes[0].dtype())
      refuse("meshgrid", line,
             fmt::format("tensor {} is {} against {} of tensor 0", i, t.dtype().name(), axes[0].dtype().name()),
             "cast one with to(t, dtype)");
  }
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

// NOLINTNEXTLINE(performance-unnecessary-value-param): the list dies here, so that temporaries do not outlive their op
std::vector<Tensor> meshgrid(std::vector<Tensor> axes, MeshIndexing indexing, SourceLine line) {
  ops::check_axes(axes, line);
  const size_t n = axes.size();
  const bool swaps = indexing == MeshIndexing::xy && n > 1;
  const auto dim_of = [&](size_t i) { return swaps && i < 2 ? 1 - i : i; };
  Dims shape = Dims::filled(n, 1);
  for (size_t i = 0; i < n; ++i) shape[dim_of(i)] = axes[i].numel();
  std::vector<Tensor> grids;
  for (size_t i = 0; i < n; ++i) {
    // [n_i] stands at dim d once as many dims of extent 1 follow as the grid has after d; expand() adds those before.
    Tensor axis = axes[i];
    if (axis.rank() == 0) axis = unsqueeze(Operand(axis, line.file, line.line), 0);
    for (size_t d = dim_of(i) + 1; d < n; ++d) axis = unsqueeze(Operand(std::move(axis), line.file, line.line), -1);
    Dims wanted = shape;
    wanted[dim_of(i)] = -1;
    grids.push_back(expand(Operand(std::move(axis), line.file, line.line), wanted));
  }
  return grids;
}

}  // namespace sinter
