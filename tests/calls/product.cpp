// SPDX-License-Identifier: Apache-2.0
#include "tests/calls/product.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/exec/library/provider.h"
#include "src/ops/dispatch.h"
#include "src/ops/ops.h"
#include "src/reference/array.h"
#include "tests/simt/backend.h"

namespace sinter::test {
namespace {

constexpr int64_t refused_depth = 13;
constexpr std::string_view names[] = {"test_product", "test_product_or_sum"};

std::vector<graph::ValueType> infer(graph::InferContext& c) {
  const graph::ValueType &x = c.operand(0), &y = c.operand(1);
  if (x.rank() != 2 || y.rank() != 2 || x.dtype != f32 || y.dtype != f32) c.fail("takes two matrices of f32");
  if (!c.same_extent(x.shape[1], y.shape[0])) c.fail("inner extents differ");
  return {{f32, {x.shape[0], y.shape[1]}}};
}

std::vector<reference::Array> product_reference(const graph::Node& node, std::span<const reference::Array> operands) {
  const reference::Array &x = operands[0], &y = operands[1];
  graph::AttributeReader attributes(node.attributes);
  const auto scale = static_cast<float>(attributes.number().literal.as_double()) * (attributes.flag() ? -1.0f : 1.0f);
  reference::Array z = reference::Array::zeros(f32, {x.shape[0], y.shape[1]});
  for (int64_t i = 0; i < x.shape[0]; ++i)
    for (int64_t j = 0; j < y.shape[1]; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < x.shape[1]; ++k)
        sum += static_cast<float>(scalar::as_double(x.at({i, k})) * scalar::as_double(y.at({k, j})));
      z.set({i, j}, scalar::constant_f32(scale * sum));
    }
  return {std::move(z)};
}

graph::Value added(graph::Graph& g, std::string_view op, std::vector<graph::Value> operands,
                   const graph::CallAttributes& a) {
  return {g.add(ops::registered_op(op), std::move(operands), graph::literal_attributes(a)), 0};
}

/// Only for scale 1, not negated.
std::vector<graph::Value> decompose(graph::Graph& g, const graph::Node& node) {
  const graph::Value x = added(g, "unsqueeze", {node.operands[0]}, graph::CallAttributes().integer(2));
  const graph::Value y = added(g, "unsqueeze", {node.operands[1]}, graph::CallAttributes().integer(0));
  const graph::Value p = added(g, "mul", {x, y}, graph::CallAttributes().flag(false).flag(false));
  return {added(g, "sum", {p}, graph::CallAttributes().integers({1}).flag(false))};
}

std::optional<graph::SampleCall> sample(int variant) {
  if (variant > 0) return std::nullopt;
  return graph::SampleCall{
      {{f32, {2, 3}}, {f32, {3, 2}}},
      graph::literal_attributes(graph::CallAttributes().number(graph::Number::of(1.0)).flag(false))};
}

class PreparedProduct final : public exec::PreparedCall {
 public:
  explicit PreparedProduct(exec::CallDescription call) : call_(std::move(call)) {}
  /// A row, so that the test sees whether the workspace is there.
  size_t workspace_bytes() const override { return static_cast<size_t>(call_.results[0].shape[1]) * sizeof(float); }
  void run(std::span<void* const> operands, std::span<void* const> results, void* workspace,
           device::StreamHandle) const override {
    const exec::CallTensor &x = call_.operands[0], &y = call_.operands[1];
    const float *a = static_cast<const float*>(operands[0]), *b = static_cast<const float*>(operands[1]);
    auto* row = static_cast<float*>(workspace);
    const float scale = static_cast<float>(call_.numbers[0].as_double()) * (call_.words[0] != 0 ? -1.0f : 1.0f);
    const int64_t columns = y.shape[1];
    for (int64_t i = 0; i < x.shape[0]; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        row[j] = 0;
        for (int64_t k = 0; k < x.shape[1]; ++k)
          row[j] += a[i * x.strides[0] + k * x.strides[1]] * b[k * y.strides[0] + j * y.strides[1]];
        row[j] *= scale;
      }
      std::memcpy(static_cast<float*>(results[0]) + i * columns, row, static_cast<size_t>(columns) * sizeof(float));
    }
    ++product_counts().ran;
  }

 private:
  exec::CallDescription call_;
};

class Loops final : public exec::Provider {
 public:
  std::string_view name() const override { return "loops"; }
  bool serves(std::string_view op, Device) const override { return op == names[0] || op == names[1]; }
  std::string identity(Device) const override { return "1.0"; }
  std::string why_not(const exec::CallDescription& call, Device) const override {
    return call.operands[0].shape[1] == refused_depth ? "an inner extent of 13 brings bad luck" : "";
  }
  std::shared_ptr<const exec::PreparedCall> prepare(const exec::CallDescription& call, Device) const override {
    ++product_counts().prepared;
    return std::make_shared<PreparedProduct>(call);
  }
};

}  // namespace

ProductCounts& product_counts() {
  static ProductCounts counts;
  return counts;
}

void register_product() {
  static std::once_flag once;
  std::call_once(once, [] {
    ops::register_all_ops();
    simt::install();
    for (const std::string_view name : names) {
      graph::OpDef def;
      def.name = name;
      def.doc = "scale * (x @ y), negated by a flag.";
      def.op_class = graph::OpClass::call;
      def.min_operands = def.max_operands = 2;
      def.params = {{"scale", graph::ParamKind::number}, {"negate", graph::ParamKind::flag}};
      def.infer = infer;
      def.reference = product_reference;
      def.sample = sample;
      def.call = graph::CallRule{
          [](const graph::Node&, size_t, graph::OperandLayout& layout) { return graph::reads_matrices(layout); }};
      if (name == names[1]) def.decompose = decompose;
      graph::register_op(std::move(def));
    }
    exec::register_provider(std::make_unique<Loops>());
  });
}

Tensor product(Operand x, Operand y, double scale, bool negate) {
  return ops::dispatch(ops::op<"test_product">(), {&x, &y},
                       graph::CallAttributes().number(graph::Number::of(scale)).flag(negate));
}

Tensor product_or_sum(Operand x, Operand y) {
  return ops::dispatch(ops::op<"test_product_or_sum">(), {&x, &y},
                       graph::CallAttributes().number(graph::Number::of(1.0)).flag(false));
}

}  // namespace sinter::test
