// SPDX-License-Identifier: Apache-2.0
// Padding with elements of the tensor itself. Each mode is an index map of the last dims; a negative pad removes
// elements. Circular padding wraps what is left then, the others mirror or clamp at the ends of the whole operand.
#include <fmt/format.h>
#include <sinter/views.h>

#include <algorithm>

#include "src/ops/describe.h"
#include "src/ops/dispatch.h"
#include "src/ops/extents.h"
#include "src/ops/families.h"
#include "src/ops/samples.h"
#include "src/ops/view.h"

namespace sinter {

Tensor pad(Operand x, const Dims& pads, PadMode mode) {
  const auto attributes = graph::CallAttributes().extents(pads);
  switch (mode) {
    case PadMode::reflect:
      return ops::dispatch(ops::op<"pad_reflect">(), {&x}, attributes);
    case PadMode::replicate:
      return ops::dispatch(ops::op<"pad_replicate">(), {&x}, attributes);
    case PadMode::circular:
      return ops::dispatch(ops::op<"pad_circular">(), {&x}, attributes);
    case PadMode::constant:
      break;
  }
  return ops::dispatch(ops::op<"pad">(), {&x}, graph::CallAttributes().extents(pads).number(graph::Number::of(0)));
}

}  // namespace sinter

namespace sinter::ops {
namespace {

using Types = std::vector<graph::ValueType>;

/// The padded dims, last first as in the attributes, must leave one dim before them, or two: channels, and a batch.
size_t padded_dims(const graph::InferContext& context) {
  const size_t count = context.attributes().extents().size();
  const int rank = context.operand(0).rank(), padded = static_cast<int>(count / 2);
  if (count % 2 != 0) context.fail(fmt::format("{} pads", count), "give two pads, before and after, for each dim");
  if (padded < 1 || padded > 3 || rank < padded + 1 || rank > padded + 2)
    context.fail(fmt::format("{} pads for {}", count, describe(context.operand(0))),
                 "pad the last one, two or three dims of a tensor with one dim more ([C,...]) or two ([N,C,...])");
  return count / 2;
}

/// Fails unless smaller <= larger; what symbols cannot decide becomes an assumption.
void require(graph::InferContext& context, Expr smaller, Expr larger, const std::string& what, const char* rule) {
  const Expr first = simplify_extent(smaller);
  if (!context.same_extent(simplify_extent(min(first, larger)), first)) context.fail(what, rule);
}

std::string describe_pads(const graph::InferContext& context, size_t d, Expr before, Expr after, const char* verb) {
  return fmt::format("pads {} and {} {} dim {} of {}", before.text(), after.text(), verb, d,
                     describe(context.operand(0)));
}

/// Calls f(dim, before, after) for every padded dim.
template <class F>
void each_padded(const std::vector<Expr>& pads, size_t rank, const F& f) {
  for (size_t i = 0; i < pads.size() / 2; ++i) f(rank - 1 - i, pads[2 * i], pads[2 * i + 1]);
}

/// Of reflect and replicate padding: nothing but the batch may be empty.
Types infer_mirrored(graph::InferContext& context, bool reflect) {
  const std::vector<Expr> pads = context.attributes().extents();
  graph::ValueType result = context.operand(0);
  const size_t rank = result.shape.size(), first = rank == padded_dims(context) + 2 ? 1 : 0;
  for (size_t d = first; d < rank; ++d)
    if (!context.same_extent(simplify_extent(max(result.shape[d], 1)), result.shape[d]))
      context.fail(fmt::format("dim {} of {} is empty", d, describe(result)),
                   "only the batch of [N,C,...] may be empty");
  each_padded(pads, rank, [&](size_t d, Expr before, Expr after) {
    const Expr extent = result.shape[d];
    if (reflect)
      require(context, max(before, after), extent - 1, describe_pads(context, d, before, after, "mirror more than"),
              "a pad must be smaller than the extent");
    result.shape[d] = simplify_extent(extent + before + after);
    require(context, 1, result.shape[d], describe_pads(context, d, before, after, "leave nothing of"),
            "leave one element or more");
  });
  return {result};
}

Types infer_reflect(graph::InferContext& context) { return infer_mirrored(context, true); }
Types infer_replicate(graph::InferContext& context) { return infer_mirrored(context, false); }

/// What negative pads leave of a dim.
Expr kept_extent(Expr extent, Expr before, Expr after) {
  return simplify_extent(extent + min(before, 0) + min(after, 0));
}

Types infer_circular(graph::InferContext& context) {
  const std::vector<Expr> pads = context.attributes().extents();
  padded_dims(context);
  graph::ValueType result = context.operand(0);
  each_padded(pads, result.shape.size(), [&](size_t d, Expr before, Expr after) {
    const Expr kept = kept_extent(result.shape[d], before, after);
    require(context, max(max(before, after), 0), kept, describe_pads(context, d, before, after, "repeat more than"),
            "a pad is at most what negative pads leave of the extent");
    result.shape[d] = simplify_extent(result.shape[d] + before + after);
  });
  return {result};
}

template <class Map>
std::vector<Expr> mapped(ViewContext context, std::span<const Expr> index, const Map& map) {
  std::vector<Expr> source(index.begin(), index.end());
  each_padded(context.attributes.extents(), index.size(), [&](size_t d, Expr before, Expr after) {
    if (!before.is_constant(0) || !after.is_constant(0))
      source[d] = map(index[d] - before, context.operand.shape[d], before, after);
  });
  return source;
}

std::vector<Expr> source_of_reflect(ViewContext context, std::span<const Expr> index) {
  return mapped(context, index, [](Expr i, Expr extent, Expr, Expr) {
    const Expr positive = max(i, Expr(0) - i);
    return min(positive, 2 * (extent - 1) - positive);
  });
}

std::vector<Expr> source_of_replicate(ViewContext context, std::span<const Expr> index) {
  return mapped(context, index, [](Expr i, Expr extent, Expr, Expr) { return min(max(i, 0), extent - 1); });
}

std::vector<Expr> source_of_circular(ViewContext context, std::span<const Expr> index) {
  return mapped(context, index, [](Expr i, Expr extent, Expr before, Expr after) {
    const Expr removed = Expr(0) - simplify_extent(min(before, 0)), kept = kept_extent(extent, before, after);
    return removed + mod(i - removed + kept, divisor(kept));
  });
}

/// Walks to the source one step at a time, so that no formula is shared with the index maps.
template <class Step>
Dims walked(const ReferenceContext& context, const Dims& index, const Step& step) {
  const Dims pads = literal_extents(context.attributes().extents());
  Dims source = index;
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    const size_t d = index.size() - 1 - i;
    source[d] = step(index[d], context.shape()[d], pads[2 * i], pads[2 * i + 1]);
  }
  return source;
}

Dims reference_reflect(const ReferenceContext& context, const Dims& index) {
  return walked(context, index, [](int64_t i, int64_t extent, int64_t before, int64_t) {
    int64_t at = std::max<int64_t>(before, 0), direction = at > 0 ? -1 : 1;
    for (int64_t steps = i - std::min<int64_t>(before, 0); steps > 0; --steps) {
      if (at == 0) direction = 1;
      if (at == extent - 1 && direction == 1 && extent > 1) direction = -1;
      if (extent > 1) at += direction;
    }
    return at;
  });
}

Dims reference_replicate(const ReferenceContext& context, const Dims& index) {
  return walked(context, index, [](int64_t i, int64_t extent, int64_t before, int64_t) {
    if (i < before) return int64_t{0};
    return i - before >= extent ? extent - 1 : i - before;
  });
}

Dims reference_circular(const ReferenceContext& context, const Dims& index) {
  return walked(context, index, [](int64_t i, int64_t extent, int64_t before, int64_t after) {
    const int64_t first = std::max<int64_t>(-before, 0), past = extent - std::max<int64_t>(-after, 0);
    int64_t at = before > 0 ? past - before : first;
    for (; i > 0; --i) at = at + 1 == past ? first : at + 1;
    return at;
  });
}

std::vector<graph::SampleCall> sample_pad_mode(bool mirrors) {
  std::vector<graph::SampleCall> list;
  const auto add = [&](DType t, const Dims& shape, const Dims& pads) {
    list.push_back(sample_call({sample_type(t, shape)}, graph::CallAttributes().extents(pads)));
  };
  for (const DType t : all_dtypes) add(t, {2, 7}, {2, 3});
  add(f32, {3, 16, 17}, {3, 5, 2, 1});
  add(f32, {2, 2, 5, 7}, {6, 0, 0, 4});
  add(f32, {2, 3, 4, 5}, {1, 2, 3, 0, 2, 2});
  add(f32, {2, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1});
  add(f32, {2, 7}, {-2, 3});
  add(f32, {2, 7}, {4, -2});
  add(f32, {2, 7}, {-1, -3});
  add(f32, {1, 2, 7}, {0, 0});
  add(f32, {2, 1023}, {40, 33});
  add(f32, {0, 2, 7}, {2, 3});
  if (!mirrors) add(f32, {2, 1}, {1, 1});
  return list;
}

View pad_mode(std::string_view name, std::string_view doc) {
  View v;
  v.name = name;
  v.doc = doc;
  v.params = {{"pads", graph::ParamKind::extents}};
  v.op_class = graph::OpClass::indexed;
  return v;
}

}  // namespace

void register_pad_modes() {
  View reflect = pad_mode("pad_reflect", "Continues the last dims by their mirror image about the end elements.");
  reflect.infer = infer_reflect;
  reflect.source = source_of_reflect;
  reflect.reference = reference_reflect;
  reflect.samples = [] { return sample_pad_mode(true); };
  graph::register_op(view_op(reflect));
  View replicate = pad_mode("pad_replicate", "Continues the last dims by their end elements.");
  replicate.infer = infer_replicate;
  replicate.source = source_of_replicate;
  replicate.reference = reference_replicate;
  replicate.samples = [] { return sample_pad_mode(false); };
  graph::register_op(view_op(replicate));
  View circular = pad_mode("pad_circular", "Continues the last dims by the elements at their other end.");
  circular.infer = infer_circular;
  circular.source = source_of_circular;
  circular.reference = reference_circular;
  circular.samples = [] { return sample_pad_mode(false); };
  graph::register_op(view_op(circular));
}

}  // namespace sinter::ops
