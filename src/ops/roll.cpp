// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes roll_attributes(const Dims& shifts, const Dims& dims) {
  return graph::CallAttributes().integers(dims).extents(shifts);
}

/// Shifts longer than any extent, less their whole turns. What is wrong with the call is found later.
Dims without_turns(const Operand& x, Dims shifts, const Dims& dims) {
  for (size_t i = 0; i < shifts.size(); ++i) {
    if (bounded_offset(shifts[i]) == shifts[i] || !x.is_tensor() || !x.tensor().defined()) continue;
    const Dims shape = x.tensor().shape();
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t dim = dims.empty() ? 0 : i < dims.size() ? dims[i] : rank;
    if (!dims.empty() && (dim < -rank || dim >= rank)) continue;
    const int64_t extent = dims.empty() ? shape.product() : shape[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
    shifts[i] = extent == 0 ? 0 : shifts[i] % extent;
  }
  return shifts;
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor roll(Operand x, const Dims& shifts, const Dims& dims) {
  return ops::dispatch(ops::op<"roll">(), {&x}, ops::roll_attributes(ops::without_turns(x, shifts, dims), dims));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_roll(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Dims dims = attributes.integers();
  const size_t shifts = attributes.extents().size();
  const graph::ValueType& x = context.operand(0);
  if (shifts == 0) context.fail("no shifts", "give one for each dim");
  if (dims.empty() ? shifts != 1 : shifts != dims.size())
    context.fail(fmt::format("{} shifts for dims {}", shifts, dims.text()),
                 "give one shift for each dim, or one shift alone for all elements in row-major order");
  if (!dims.empty() && x.rank() == 0) context.fail("a 0-d tensor has no dim to roll", "leave out the dims");
  for (const int64_t d : dims) context.dim(d, x.rank());
  return {x};
}

/// (index - shift) mod extent without a negative number in between.
Expr rolled(Expr index, Expr shift, Expr extent) {
  const Expr n = divisor(extent);
  return mod(index + mod(Expr(0) - shift, n), n);
}

std::vector<Expr> source_of_roll(ViewContext context, std::span<const Expr> index) {
  const Dims dims = context.attributes.integers();
  const std::vector<Expr> shifts = context.attributes.extents();
  const std::vector<Expr>& shape = context.operand.shape;
  if (dims.empty()) {
    const Expr count[] = {element_count(shape)};
    const std::vector<Expr> position = reshape_index(count, shape, index);
    const Expr moved[] = {rolled(position[0], shifts[0], count[0])};
    return reshape_index(shape, count, moved);
  }
  std::vector<Expr> source(index.begin(), index.end());
  std::vector<Expr> total(shape.size());  // a dim may be named several times
  for (size_t i = 0; i < dims.size(); ++i) {
    Expr& sum = total[normalised_dim(dims[i], shape.size())];
    sum = sum + shifts[i];
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (!total[d].is_constant(0)) source[d] = rolled(index[d], total[d], shape[d]);
  return source;
}

/// The same with a negative number in between.
int64_t step_back(int64_t i, int64_t shift, int64_t extent) { return (((i - shift) % extent) + extent) % extent; }

Dims reference_roll(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims dims = attributes.integers(), shifts = literal_extents(attributes.extents());
  const Dims& shape = context.shape();
  Dims source = index;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = normalised_dim(dims[i], index.size());
    source[d] = step_back(source[d], shifts[i], shape[d]);
  }
  if (!dims.empty()) return source;
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position = position * shape[d] + index[d];
  position = step_back(position, shifts[0], shape.product());
  for (size_t d = index.size(); d-- > 0; position /= shape[d]) source[d] = position % shape[d];
  return source;
}

std::vector<graph::SampleCall> sample_roll() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& shifts, const Dims& dims) {
    list.push_back(sample_call({sample_type(t, shape)}, roll_attributes(shifts, dims)));
  };
  for (const DType t : all_dtypes) add(t, {5, 7}, {2}, {1});
  add(f32, {5, 7}, {3}, {});
  add(f32, {}, {1}, {});
  add(f32, {16, 17}, {3, -5}, {0, -1});
  add(f32, {7}, {5, 4}, {0, 0});
  add(f32, {7}, {-100}, {0});
  add(f32, {1023}, {2050}, {0});
  add(f32, {2, 3, 5}, {-1}, {});
  add(f32, {0, 3}, {1}, {0});
  add(f32, {0, 3}, {1}, {});
  add(f32, {3, 1}, {5, 0}, {1, 0});
  return list;
}

}  // namespace

void register_roll() {
  graph::register_op(view_op({"roll",
                              "Moves elements along dims (without dims: in row-major order); the last come first.",
                              {{"dims", graph::ParamKind::integers}, {"shifts", graph::ParamKind::extents}},
                              infer_roll,
                              source_of_roll,
                              reference_roll,
                              sample_roll,
                              graph::OpClass::indexed}));
}

}  // namespace sinter::ops
