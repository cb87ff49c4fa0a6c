// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/dispatch.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter::ops {
namespace {

graph::CallAttributes movedim_attributes(const Dims& source, const Dims& destination) {
  return graph::CallAttributes().integers(source).integers(destination);
}

}  // namespace
}  // namespace sinter::ops

namespace sinter {

Tensor movedim(Operand x, const Dims& source, const Dims& destination) {
  return ops::dispatch(ops::op<"movedim">(), {&x}, ops::movedim_attributes(source, destination));
}
Tensor swapaxes(Operand x, int64_t a, int64_t b) {
  return ops::dispatch(ops::op<"transpose">(), {&x}, graph::CallAttributes().integer(a).integer(b));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

/// Operand dim of each result dim: the listed ones at their places, the others in order between them.
std::vector<size_t> permutation_of(graph::AttributeReader attributes, size_t rank) {
  const Dims source = attributes.integers(), destination = attributes.integers();
  constexpr size_t none = SIZE_MAX;
  std::vector<size_t> from(rank, none);
  std::vector<bool> moved(rank);
  for (size_t i = 0; i < source.size() && rank > 0; ++i) {
    const size_t d = normalised_dim(source[i], rank);
    from[normalised_dim(destination[i], rank)] = d;
    moved[d] = true;
  }
  size_t next = 0;
  for (size_t& d : from) {
    if (d != none) continue;
    while (moved[next]) ++next;
    d = next++;
  }
  return from;
}

void check_distinct(const graph::InferContext& context, const Dims& dims, int rank) {
  std::vector<int> seen;
  for (const int64_t d : dims) seen.push_back(context.dim(d, rank));
  std::ranges::sort(seen);
  if (std::ranges::adjacent_find(seen) != seen.end())
    context.fail(fmt::format("dims {} name a dim twice", dims.text()), "name every dim once");
}

std::vector<graph::ValueType> infer_movedim(graph::InferContext& context) {
  graph::AttributeReader attributes = context.attributes();
  const Dims source = attributes.integers(), destination = attributes.integers();
  const graph::ValueType& x = context.operand(0);
  if (source.size() != destination.size())
    context.fail(fmt::format("dims {} cannot move to dims {}", source.text(), destination.text()),
                 "give as many destinations as sources");
  check_distinct(context, source, x.rank());
  check_distinct(context, destination, x.rank());
  graph::ValueType result{x.dtype, {}};
  for (const size_t d : permutation_of(context.attributes(), x.shape.size())) result.shape.push_back(x.shape[d]);
  return {result};
}

std::vector<Expr> source_of_movedim(ViewContext context, std::span<const Expr> index) {
  const std::vector<size_t> from = permutation_of(context.attributes, index.size());
  std::vector<Expr> source(index.size());
  for (size_t d = 0; d < from.size(); ++d) source[from[d]] = index[d];
  return source;
}

Place place_of_movedim(ViewContext context, loop::Builder&, std::span<const Expr> index) {
  Place place;
  for (const size_t d : permutation_of(context.attributes, index.size())) place.index.push_back(index[d]);
  return place;
}

/// Takes the moved dims out of the index, then puts the others in order into the gaps.
Dims reference_movedim(const ReferenceContext& context, const Dims& index) {
  graph::AttributeReader attributes = context.attributes();
  const Dims from = attributes.integers(), to = attributes.integers();
  Dims source = index;
  if (index.empty()) return source;
  std::vector<int64_t> rest(index.begin(), index.end());
  std::vector<size_t> places;
  for (const int64_t d : to) places.push_back(normalised_dim(d, index.size()));
  std::ranges::sort(places, std::greater{});
  for (const size_t place : places) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
  size_t next = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    const auto moved = std::ranges::find_if(from, [&](int64_t s) { return normalised_dim(s, index.size()) == d; });
    source[d] = moved == from.end()
                    ? rest[next++]
                    : index[normalised_dim(to[static_cast<size_t>(moved - from.begin())], index.size())];
  }
  return source;
}

std::vector<graph::SampleCall> sample_movedim() {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& source, const Dims& destination) {
    list.push_back(sample_call({sample_type(t, shape)}, movedim_attributes(source, destination)));
  };
  for (const DType t : all_dtypes) add(t, {3, 5, 2}, {0}, {2});
  for (const auto& [source, destination] : {std::pair<Dims, Dims>{{}, {}},
                                            {{0, 1}, {1, 0}},
                                            {{-1}, {0}},
                                            {{0, 3}, {-1, 1}},
                                            {{3, 2, 1, 0}, {0, 1, 2, 3}},
                                            {{1}, {1}}})
    add(f32, {7, 3, 16, 2}, source, destination);
  add(f32, {}, {0}, {-1});
  add(f32, {0, 3}, {0}, {1});
  return list;
}

}  // namespace

void register_movedim() {
  const auto integers = graph::ParamKind::integers;
  register_view({"movedim",
                 "Moves dims to other places; the others keep their order.",
                 {{"source", integers}, {"destination", integers}},
                 infer_movedim,
                 source_of_movedim,
                 reference_movedim,
                 sample_movedim,
                 graph::OpClass::view,
                 place_of_movedim});
}

}  // namespace sinter::ops
