// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/exec/executable.h"
#include "src/compiler/pipeline.h"
#include "src/ops/ops.h"
#include "src/passes/decompose.h"
#include "src/passes/use_approximations.h"
#include "src/reference/interpret.h"
#include "tests/fuzz/data.h"
#include "tests/support/approximations.h"
#include "tests/support/op_cases.h"

namespace sinter::fuzz {
namespace {

using graph::Expr;
using graph::Graph;

constexpr int64_t slack_bytes = 1 << 20;

/// A miscompiled kernel may read past a temporary; that must be a wrong value, not a fault.
void add_slack(exec::Plan& plan) {
  if (plan.arena_bytes.length == 0) plan.arena_bytes.literal += slack_bytes;
}

std::shared_ptr<const exec::Executable> compiled(const Case& c, const Way& way) {
  Graph graph = c.graph;
  graph.device = way.device;
  device::Backend& backend = device::backend(way.device);
  compiler::Options options;
  options.fusion = way.fusion;
  options.math = way.math;
  options.aligned = c.misaligned == 0;
  options.libraries = false;  // their order of summation is their own
  compiler::Generated made = compiler::run_pipeline(graph, options, backend.properties());
  add_slack(made.plan);
  std::vector<exec::LoadedKernel> kernels;
  for (const compiler::CodeImage& image : made.images) {
    exec::LoadedKernel k;
    k.module = backend.load(std::as_bytes(std::span(image.image.data(), image.image.size())));
    k.function = k.module->function(image.entry);
    kernels.push_back(std::move(k));
  }
  return exec::make_executable(std::move(made.plan), std::move(kernels));
}

bool is_view_of_input(const Graph& graph, graph::Value v) {
  const graph::Node* n = &graph.node(v.node);
  while (n->op != nullptr && n->op->op_class == graph::OpClass::view) n = &graph.node(n->operands[0].node);
  return n->op == nullptr;
}

/// What is computed or copied has memory of its own: a program may write to its inputs afterwards.
void check_memory(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (is_view_of_input(graph, graph.outputs()[i])) continue;
    for (size_t j = 0; j < inputs.size(); ++j)
      if (results[i].impl()->storage == inputs[j].impl()->storage)
        throw CompileError(fmt::format("output {} is no view of input {}, but shares its memory", i, j));
  }
}

std::vector<reference::Array> run(const exec::Executable& executable, const Graph& graph,
                                  std::span<const Tensor> inputs, std::span<const int64_t> symbols) {
  std::vector<tensor::TensorImpl*> in, out;
  for (const Tensor& t : inputs) in.push_back(t.impl());
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    results.push_back(Tensor::adopt(tensor::new_impl()));
    out.push_back(results.back().impl());
  }
  executable.run({in, symbols}, out);
  check_memory(graph, inputs, results);
  std::vector<reference::Array> arrays;
  for (const tensor::TensorImpl* t : out) {
    arrays.push_back(reference::Array::zeros(t->dtype, t->shape));
    if (!arrays.back().data.empty()) tensor::read_elements(*t, arrays.back().data.data());
  }
  return arrays;
}

std::string describe(const Way& way) {
  return fmt::format("{}, fusion {}{}", way.device.text(), way.fusion == Fusion::none ? "none" : "all",
                     way.math == Math::fast ? ", fast" : "");
}

/// What Math::fast means, to the interpreter.
Graph approximated(const Graph& graph) { return passes::use_approximations(passes::decompose(graph)); }

/// One call: what the interpreter gives.
struct Expected {
  std::vector<Input> inputs;
  std::vector<reference::Array> outputs;
  std::vector<reference::Array> fast_outputs;  ///< if some way is Math::fast
};

Expected expected_of(const Case& c, std::span<const int64_t> symbols, bool fast) {
  Expected e;
  e.inputs = make_inputs(c.graph, symbols, c.data_seed, c.misaligned);
  std::vector<reference::Array> dense;
  for (const Input& i : e.inputs) dense.push_back(i.dense);
  e.outputs = reference::interpret(c.graph, dense, symbols);
  if (fast) e.fast_outputs = reference::interpret(approximated(c.graph), dense, symbols);
  return e;
}

std::vector<reference::Array> results_of(const Case& c, const exec::Executable& executable, const Expected& e,
                                         size_t call, Device device) {
  std::vector<Tensor> inputs;
  for (const Input& i : e.inputs) inputs.push_back(to_device(i, device));
  return run(executable, c.graph, inputs, c.calls[call]);
}

/// Where a device has approximations of its own, the executable whose bits those results must have: op by op.
std::shared_ptr<const exec::Executable> own_standard(const Case& c, const Way& way, std::vector<bool>& approximate) {
  approximate = test::approximate_outputs(way.math == Math::fast ? approximated(c.graph) : c.graph);
  if (!test::approximates(way.device) || std::ranges::none_of(approximate, std::identity())) return nullptr;
  return compiled(c, {way.device, Fusion::none, way.math});
}

std::string first_difference(const Case& c, const Way& way, const std::vector<Expected>& expected) {
  const auto executable = compiled(c, way);
  std::vector<bool> approximate;
  const auto standard = own_standard(c, way, approximate);
  for (size_t call = 0; call < c.calls.size(); ++call) {
    const Expected& e = expected[call];
    std::vector<reference::Array> outputs = way.math == Math::fast ? e.fast_outputs : e.outputs;
    if (standard) {
      const auto own = results_of(c, *standard, e, call, way.device);
      for (size_t i = 0; i < outputs.size(); ++i)
        if (approximate[i]) outputs[i] = own[i];
    }
    const auto got = results_of(c, *executable, e, call, way.device);
    for (size_t i = 0; i < got.size(); ++i)
      if (const std::string d = test::difference(outputs[i], got[i]); !d.empty())
        return fmt::format("call {}, output {}: {}", call, i, d);
  }
  return {};
}

}  // namespace

int64_t value_of(Expr e, std::span<const int64_t> symbols) {
  return graph::evaluate(e, [&](Expr leaf) { return symbols[static_cast<size_t>(leaf.id())]; });
}

Dims shape_of(const graph::ValueType& type, std::span<const int64_t> symbols) {
  Dims shape;
  for (Expr e : type.shape) shape.push_back(value_of(e, symbols));
  return shape;
}

Outcome compare(const Case& c, std::span<const Way> ways) {
  std::vector<Expected> expected;
  try {
    const bool fast = std::ranges::any_of(ways, [](const Way& w) { return w.math == Math::fast; });
    for (const auto& symbols : c.calls) expected.push_back(expected_of(c, symbols, fast));
  } catch (const UserError& e) {
    return {Verdict::refused, e.what()};
  }
  for (const Way& way : ways) try {
      if (const std::string d = first_difference(c, way, expected); !d.empty())
        return {Verdict::different, fmt::format("{}: {}", describe(way), d)};
    } catch (const std::exception& e) {
      return {Verdict::different, fmt::format("{}: {}", describe(way), e.what())};
    }
  return {};
}

std::string difference_of(const Reproduction& r, std::span<const Way> ways) {
  ops::register_all_ops();
  const Outcome o = compare({graph::parse(r.graph), r.data_seed, r.calls, r.misaligned}, ways);
  return o.text;
}

std::string test_text(const Case& c, const std::string& name) {
  std::string calls;
  for (const auto& symbols : c.calls)
    calls += fmt::format("{}{{{}}}", calls.empty() ? "" : ", ", fmt::join(symbols, ", "));
  return fmt::format(
      "TEST(Reproductions, {}) {{\n  EXPECT_EQ(difference_of({{R\"({})\", {}, {{{}}}, {}}}), \"\");\n}}\n", name,
      graph::print(c.graph), c.data_seed, calls, c.misaligned);
}

}  // namespace sinter::fuzz
