// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/exec/executable.h"
#include "src/compiler/graph_executable.h"
#include "src/compiler/pipeline.h"
#include "src/ops/ops.h"
#include "src/passes/decompose.h"
#include "src/passes/use_approximations.h"
#include "src/reference/interpret.h"
#include "tests/fuzz/data.h"
#include "tests/fuzz/memory.h"
#include "tests/fuzz/nan_bits.h"
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

/// What is computed or copied has memory of its own: a program may write to its inputs afterwards.
void check_memory(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (may_share_input(graph, graph.outputs()[i])) continue;
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

/// What the interpreter gives of a graph, and of each output the elements that devices may differ in.
struct Values {
  std::vector<reference::Array> outputs;  ///< then what is written
  std::vector<NanBits> nan_bits;          ///< if a way is not the CPU's, which gives the interpreter's NaNs
};

/// One call.
struct Expected {
  std::vector<Input> inputs;
  Values accurate, fast;  ///< fast: if some way is Math::fast
};

Values values_of(const Graph& graph, std::span<const reference::Array> inputs, std::span<const int64_t> symbols,
                 bool on_gpu) {
  Values v{reference::interpret(graph, inputs, symbols), {}};
  v.nan_bits.resize(v.outputs.size());
  if (on_gpu) v.nan_bits = hanging_on_nan_bits(graph, inputs, symbols, v.outputs);
  return v;
}

Expected expected_of(const Case& c, std::span<const int64_t> symbols, std::span<const Way> ways) {
  const bool on_gpu = std::ranges::any_of(ways, [](const Way& w) { return w.device.is_cuda(); });
  Expected e;
  e.inputs = make_inputs(c.graph, symbols, c.data_seed, c.misaligned);
  std::vector<reference::Array> dense;
  for (const Input& i : e.inputs) dense.push_back(i.dense);
  const Graph values = compiler::without_writes(c.graph);
  e.accurate = values_of(values, dense, symbols, on_gpu);
  if (std::ranges::any_of(ways, [](const Way& w) { return w.math == Math::fast; }))
    e.fast = values_of(approximated(values), dense, symbols, on_gpu);
  return e;
}

std::vector<Tensor> inputs_of(const Case& c, const Expected& e, Device device) {
  std::vector<Tensor> inputs;
  for (const Input& i : e.inputs) inputs.push_back(to_device(i, device, !c.graph.writes().empty()));
  return inputs;
}

/// Where a device has approximations of its own, what gives the bits that those results must have: op by op, and what
/// would be written as outputs.
class OwnStandard {
 public:
  OwnStandard(const Case& c, const Way& way) : values_(c), device_(way.device) {
    values_.graph = compiler::without_writes(c.graph);
    approximate_ = test::approximate_outputs(way.math == Math::fast ? approximated(values_.graph) : values_.graph);
    if (test::approximates(device_) && std::ranges::any_of(approximate_, std::identity()))
      executable_ = compiled(values_, {device_, Fusion::none, way.math});
  }

  void replace(std::vector<reference::Array>& outputs, const Expected& e, size_t call) const {
    if (!executable_) return;
    const auto own = run(*executable_, values_.graph, inputs_of(values_, e, device_), values_.calls[call]);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (approximate_[i]) outputs[i] = own[i];
  }

 private:
  Case values_;
  Device device_;
  std::vector<bool> approximate_;
  std::shared_ptr<const exec::Executable> executable_;
};

std::string first_difference(const Case& c, const exec::Executable& executable, const Expected& e, const Values& values,
                             size_t call, Device device) {
  const std::vector<reference::Array>& outputs = values.outputs;
  const NanBits none;
  const auto ignored = [&](size_t i) -> const NanBits& { return device.is_cuda() ? values.nan_bits[i] : none; };
  const std::vector<graph::Write>& writes = c.graph.writes();
  const std::vector<Tensor> inputs = inputs_of(c, e, device);
  const auto got = run(executable, c.graph, inputs, c.calls[call]);
  for (size_t i = 0; i < got.size(); ++i)
    if (const std::string d = difference(outputs[i], got[i], ignored(i)); !d.empty())
      return fmt::format("call {}, output {}: {}", call, i, d);
  for (size_t i = 0; i < writes.size(); ++i) {
    const auto input = static_cast<size_t>(writes[i].input);
    const int64_t offset = value_of(c.graph.input_layout(input).offset, c.calls[call]);
    if (const std::string d = difference_in_place(e.inputs[input], inputs[input], offset, outputs[got.size() + i],
                                                  ignored(got.size() + i));
        !d.empty())
      return fmt::format("call {}, input {} after it was written: {}", call, input, d);
  }
  return {};
}

std::string first_difference(const Case& c, const Way& way, const std::vector<Expected>& expected) {
  const auto executable = compiled(c, way);
  const OwnStandard standard(c, way);
  for (size_t call = 0; call < c.calls.size(); ++call) {
    const Expected& e = expected[call];
    Values values = way.math == Math::fast ? e.fast : e.accurate;
    standard.replace(values.outputs, e, call);
    if (const std::string d = first_difference(c, *executable, e, values, call, way.device); !d.empty()) return d;
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

std::string why_nothing_runs(std::span<const Way> ways) {
  ops::register_all_ops();
  const char* const least = "graph \"least\" on cpu {\n  %0 f32 [3] = input\n  %1 f32 [3] = neg(%0)\n  return %1\n}\n";
  return compare({graph::parse(least)}, ways).text;
}

Outcome compare(const Case& c, std::span<const Way> ways) {
  std::vector<Expected> expected;
  try {
    for (const auto& symbols : c.calls) expected.push_back(expected_of(c, symbols, ways));
  } catch (const UserError& e) {
    return {Verdict::refused, e.what()};
  } catch (const std::exception& e) {
    return {Verdict::different, fmt::format("the interpreter: {}", e.what())};
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
