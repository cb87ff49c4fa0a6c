// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sinter/views.h>

#include <algorithm>

#include "src/ops/bounds.h"
#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

/// Per result dim whether its extent is kept (-1), which is structural, and the extents of the others.
graph::CallAttributes expand_attributes(const Dims& shape) {
  Dims keep, extents;
  for (int64_t d : shape) {
    keep.push_back(d == -1);
    if (d != -1) extents.push_back(d);
  }
  return graph::CallAttributes().integers(keep).extents(extents);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor expand(Operand x, const Dims& shape) {
  return ops::dispatch(ops::op<"expand">(), {&x}, ops::expand_attributes(shape));
}
Tensor broadcast_to(Operand x, const Dims& shape) {
  return ops::dispatch(ops::op<"expand">(), {&x}, ops::expand_attributes(shape));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

std::vector<graph::ValueType> infer_expand(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Dims keep = attributes.integers();
  const std::vector<Expr> given = attributes.extents();
  const graph::ValueType& x = context.operand(0);
  graph::ValueType result{x.dtype, {}};
  if (keep.size() < x.shape.size())
    context.fail(fmt::format("{} has more dims than the {} extents given", describe(x), keep.size()),
                 "give an extent, or -1, for every dim");
  const auto wanted = static_cast<size_t>(std::ranges::count(keep, 0));
  if (given.size() != wanted) context.fail(fmt::format("{} extents given for {} dims", given.size(), wanted));
  const size_t leading = keep.size() - x.shape.size();
  size_t next = 0;
  for (size_t d = 0; d < keep.size(); ++d) {
    if (keep[d]) {
      if (d < leading) context.fail(fmt::format("-1 at dim {}, which the operand does not have", d), "give its extent");
      result.shape.push_back(x.shape[d - leading]);
      continue;
    }
    const Expr extent = given[next++];
    if (extent.constant().value_or(0) < 0)
      context.fail(fmt::format("extent {} of dim {} is negative", extent.text(), d));
    const bool stretches = d < leading || x.shape[d - leading].is_constant(1);
    if (!stretches && !context.same_extent(x.shape[d - leading], extent))
      context.fail(fmt::format("cannot expand {}: dim {} is {} against {}", describe(x), d - leading,
                               x.shape[d - leading].text(), extent.text()),
                   "only dims of extent 1 can be expanded");
    result.shape.push_back(extent);
  }
  return {result};
}

std::vector<Expr> source_of_expand(ViewContext context, std::span<const Expr> index) {
  const auto& shape = context.operand.shape;
  std::vector<Expr> source(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (!shape[d].is_constant(1)) source[d] = index[index.size() - shape.size() + d];
  return source;
}

/// Only where nothing is repeated: recording refuses to write through the others.
Place place_of_expand(ViewContext context, loop::Builder& b, std::span<const Expr> index) {
  Place place;
  place.index.assign(context.result.shape.size() - index.size(), Expr(0));
  place.index.insert(place.index.end(), index.begin(), index.end());
  for (size_t d = 0; d < place.index.size(); ++d)
    if (place.index[d].is_constant(0) || context.result.shape[d].is_constant(0))  // a dim of 1 may become one of 0
      place.require(b, below(b, place.index[d], context.result.shape[d], context.result.shape[d] + 1));
  return place;
}

Dims reference_expand(const ReferenceContext& context, const Dims& index) {
  const Dims shape = context.shape();
  Dims source = shape;
  for (size_t d = 0; d < shape.size(); ++d) source[d] = index[index.size() - shape.size() + d] % shape[d];
  return source;
}

std::vector<graph::SampleCall> sample_expand() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& from, const Dims& to) {
    list.push_back(sample_call({sample_type(t, from)}, expand_attributes(to)));
  };
  for (const DType t : all_dtypes) {
    add(t, {5, 1}, {5, 7});
    add(t, {5}, {1, 5});
  }
  for (const auto& [from, to] : {std::pair<Dims, Dims>{{}, {16}},
                                 {{}, {}},
                                 {{17}, {3, 17}},
                                 {{1, 3, 1}, {2, 16, -1, 7}},
                                 {{1}, {0}},
                                 {{0, 1}, {-1, 7}},
                                 {{1}, {1023}}})
    add(f32, from, to);
  return list;
}

}  // namespace

void register_expand() {
  register_view({"expand",
                 "Repeats dims of extent 1; -1 keeps an extent.",
                 {{"keep", graph::ParamKind::integers}, {"shape", graph::ParamKind::extents}},
                 infer_expand,
                 source_of_expand,
                 reference_expand,
                 sample_expand,
                 graph::OpClass::view,
                 place_of_expand,
                 false,
                 true});
}

}  // namespace sinter::ops
