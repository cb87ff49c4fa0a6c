// SPDX-License-Identifier: Apache-2.0
#include "tests/lower/build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "src/loop/evaluate.h"
#include "src/ops/dispatch.h"
#include "src/passes/decompose.h"
#include "src/reference/evaluate_call.h"

namespace sinter::test {

using graph::CallAttributes;
using graph::Value;

Value GraphBuilder::op(std::string_view name, std::vector<Value> operands, const CallAttributes& a) {
  return {g.add(ops::registered_op(name), std::move(operands), graph::literal_attributes(a)), 0};
}
Value GraphBuilder::binary(std::string_view name, Value a, Value b) {
  return op(name, {a, b}, CallAttributes().flag(false).flag(false));
}
Value GraphBuilder::with_number(std::string_view name, Value a, double number) {
  return op(name, {a}, CallAttributes().flag(false).flag(true).number(graph::Number::of(number)));
}
Value GraphBuilder::reduce(std::string_view name, Value x, const Dims& dims, bool keepdim) {
  return op(name, {x}, CallAttributes().integers(dims).flag(keepdim));
}
Value GraphBuilder::permute(Value x, const Dims& dims) { return op("permute", {x}, CallAttributes().integers(dims)); }
Value GraphBuilder::reshape(Value x, const Dims& shape) {
  return op("reshape", {x}, CallAttributes().integer(-1).extents(shape));
}
Value GraphBuilder::softmax(Value x) {
  const Value shifted = binary("sub", x, reduce("amax", x, {-1}, true));
  const Value e = unary("exp", shifted);
  return binary("div", e, reduce("sum", e, {-1}, true));
}

loop::Program lowered(const graph::Graph& g, const lower::Options& options, bool collapsed) {
  const graph::Graph primitive = passes::decompose(g);
  loop::Program p = collapsed ? lower::lower(primitive, options) : lower::lower_to_nests(primitive, options);
  loop::verify(p);
  const std::string text = loop::print(p);
  EXPECT_EQ(loop::print(loop::parse(text)), text);
  return p;
}

namespace {

int64_t value(graph::Expr e, std::span<const int64_t> symbols) {
  return graph::evaluate(e, [&](graph::Expr leaf) { return symbols[static_cast<size_t>(leaf.id())]; });
}

/// By bytes: the alias may be a view as another dtype, whose elements its offset and strides count.
void read_alias(const loop::Alias& alias, const reference::Array& base, reference::Array& output,
                std::span<const int64_t> symbols) {
  const auto bytes = static_cast<size_t>(output.dtype.bytes());
  size_t position = 0;
  reference::for_each_index(output.shape, [&](const Dims& index) {
    int64_t at = value(alias.offset, symbols);
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * value(alias.strides[d], symbols);
    std::memcpy(output.data.data() + bytes * position++, base.data.data() + bytes * static_cast<size_t>(at), bytes);
  });
}

}  // namespace

std::vector<reference::Array> run(const loop::Program& program, const graph::Graph& g,
                                  const std::vector<reference::Array>& inputs, std::span<const int64_t> symbols) {
  std::vector<reference::Array> outputs;
  for (Value v : g.outputs()) {
    Dims shape;
    for (graph::Expr e : g.type(v).shape) shape.push_back(value(e, symbols));
    outputs.push_back(reference::Array::zeros(g.type(v).dtype, shape));
    std::memset(outputs.back().data.data(), 0x5a, outputs.back().data.size());
  }
  std::vector<loop::HostMemory> in, out;
  for (const reference::Array& a : inputs) in.push_back({const_cast<std::byte*>(a.data.data()), a.size()});
  for (reference::Array& a : outputs) out.push_back({a.data.data(), a.size()});
  loop::evaluate(program, in, out, symbols, reference::evaluate_call);
  for (const loop::Alias& a : program.aliases)
    read_alias(a, (a.of_output ? outputs : inputs)[static_cast<size_t>(a.base)], outputs[static_cast<size_t>(a.output)],
               symbols);
  return outputs;
}

reference::Array random_values(DType dtype, const Dims& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-4, 4);
  reference::Array a = reference::Array::zeros(dtype, shape);
  for (int64_t i = 0; i < a.size(); ++i) {
    double v = uniform(random);
    const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0};
    if (dtype.is_floating() && random() % 32 == 0) v = specials[random() % 6];
    if (dtype.is_boolean()) v = static_cast<double>(random() & 1);
    if (dtype.is_integer()) v = dtype.is_signed() ? std::trunc(v * 20) : std::trunc(std::fabs(v) * 20);
    a.set(i, reference::rounded(scalar::constant_of(scalar::compute_type(dtype), v), dtype));
  }
  return a;
}

std::string first_difference(const reference::Array& expected, const reference::Array& got) {
  if (expected.dtype != got.dtype || !(expected.shape == got.shape)) return "other dtype or shape";
  for (int64_t i = 0; i < expected.size(); ++i) {
    const scalar::Constant a = expected.at(i), b = got.at(i);
    const double x = scalar::as_double(a), y = scalar::as_double(b);
    if (a != b && !(std::isnan(x) && std::isnan(y)))
      return fmt::format("element {} is {} ({:#x}), expected {} ({:#x})", i, y, b.bits, x, a.bits);
  }
  return {};
}

}  // namespace sinter::test
