// SPDX-License-Identifier: Apache-2.0
#include "src/ops/pointwise_samples.h"

#include <algorithm>

#include "src/ops/samples.h"

namespace sinter::ops {
namespace {

/// One argument of a sampled call.
struct SampledArgument {
  std::optional<graph::Number> number;
  DType dtype = f32;
  Dims shape = {};
};

using SampledArguments = std::vector<SampledArgument>;

SampledArgument tensor(DType dtype, const Dims& shape) { return {std::nullopt, dtype, shape}; }

bool is_legal(const Pointwise& op, const SampledArguments& arguments) {
  std::vector<ArgumentType> types;
  for (const SampledArgument& a : arguments) {
    if (a.number)
      types.push_back({number_dtype(a.number->kind), Weight::number});
    else
      types.push_back({a.dtype, a.shape.empty() ? Weight::zero_dim : Weight::dimensioned});
  }
  const auto common = result_type(types);
  return common && (!op.refuse || !op.refuse(types, *common));
}

graph::SampleCall to_call(const Pointwise& op, const SampledArguments& arguments, const graph::Attributes& form) {
  graph::CallAttributes attributes;
  std::vector<graph::ValueType> operands;
  for (const SampledArgument& a : arguments) {
    if (op.numbers) attributes.flag(a.number.has_value());
    if (a.number)
      attributes.number(*a.number);
    else
      operands.push_back(sample_type(a.dtype, a.shape));
  }
  graph::SampleCall call = sample_call(std::move(operands), attributes, op.low, op.high);
  call.attributes.words.insert(call.attributes.words.end(), form.words.begin(), form.words.end());
  call.attributes.scalars.insert(call.attributes.scalars.end(), form.scalars.begin(), form.scalars.end());
  return call;
}

/// All arguments alike.
SampledArguments uniform(size_t count, DType dtype, const Dims& shape) {
  return SampledArguments(count, tensor(dtype, shape));
}

void add_shapes(size_t count, std::vector<SampledArguments>& list) {
  for (const Dims& shape :
       {Dims{0}, Dims{1}, Dims{7}, Dims{16}, Dims{17}, Dims{1023}, Dims{}, Dims{3, 0, 2}, Dims{2, 3, 5}})
    list.push_back(uniform(count, f32, shape));
  if (count == 1) return;
  const std::pair<Dims, Dims> broadcasts[] = {{{3, 17}, {17}}, {{16}, {1}},      {{3, 1}, {1, 16}}, {{2, 3, 7}, {3, 1}},
                                              {{}, {7}},       {{2, 0}, {1, 1}}, {{5, 1}, {}}};
  for (const auto& [a, b] : broadcasts) {
    SampledArguments forward = uniform(count, f32, a), backward = uniform(count, f16, b);
    forward.back().shape = b;
    backward.back().shape = a;
    list.push_back(forward);
    list.push_back(backward);
  }
}

void add_dtype_pairs(size_t count, bool all, std::vector<SampledArguments>& list) {
  constexpr size_t dtypes = std::size(all_dtypes);
  for (size_t i = 0; i < dtypes; ++i) {
    for (size_t distance = 1; distance < dtypes; ++distance) {
      if (!all && distance != 1 && distance != 4) continue;
      SampledArguments mixed = uniform(count, all_dtypes[i], {5});
      mixed.back().dtype = all_dtypes[(i + distance) % dtypes];
      list.push_back(mixed);
    }
    for (const DType zero_dim : {f64, i64}) {
      if (!all && (i % 2 == 0) == (zero_dim == f64)) continue;
      SampledArguments mixed = uniform(count, all_dtypes[i], {5});
      mixed.back() = tensor(zero_dim, {});
      list.push_back(mixed);
    }
  }
}

void add_numbers(size_t count, bool all, std::vector<SampledArguments>& list) {
  using graph::Number;
  const Number numbers[] = {Number::of(true), Number::of(3), Number::of(-2), Number::of(0.3)};
  for (size_t i = 0; i < std::size(all_dtypes); ++i)
    for (size_t place = 0; place < count; ++place)
      for (size_t n = 0; n < std::size(numbers); ++n) {
        if (!all && (i + place) % std::size(numbers) != n) continue;
        SampledArguments with_number = uniform(count, all_dtypes[i], {17});
        with_number[place].number = numbers[n];
        list.push_back(with_number);
      }
}

}  // namespace

std::optional<graph::SampleCall> pointwise_sample(const Pointwise& op, int variant) {
  std::vector<SampledArguments> list;
  for (const DType dtype : all_dtypes) list.push_back(uniform(op.arguments, dtype, {17}));
  add_shapes(op.arguments, list);
  if (op.arguments > 1) {
    add_dtype_pairs(op.arguments, op.samples_all_pairs, list);
    add_numbers(op.arguments, op.samples_all_pairs, list);
  }
  std::erase_if(list, [&](const SampledArguments& a) { return !is_legal(op, a); });
  // The first form takes the whole list, further ones its beginning: every dtype and shape.
  const size_t further = std::min<size_t>(list.size(), 13 + 9);
  size_t at = static_cast<size_t>(variant);
  for (size_t form = 0; form < op.forms.size(); ++form) {
    const size_t count = form == 0 ? list.size() : further;
    if (at < count) return to_call(op, list[at], op.forms[form]);
    at -= count;
  }
  return std::nullopt;
}

}  // namespace sinter::ops
