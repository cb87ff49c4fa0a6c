// SPDX-License-Identifier: Apache-2.0
#include "tests/support/op_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "src/ops/dispatch.h"
#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "src/tensor/impl.h"

#include "tests/support/approximations.h"
#include "tests/support/platform_functions.h"

namespace sinter::test {
namespace {

constexpr int max_variants = 400;
constexpr int64_t max_elements = 1 << 18;

reference::Array random_array(const graph::ValueType& type, const graph::SampleCall& call, std::mt19937_64& random) {
  const double low = call.low, high = call.high;
  Dims shape;
  for (graph::Expr e : type.shape) shape.push_back(*e.constant());
  reference::Array a = reference::Array::zeros(type.dtype, shape);
  std::uniform_real_distribution<double> value(low, high);
  const DType compute = scalar::compute_type(type.dtype);
  for (int64_t i = 0; i < a.size(); ++i) {
    double v = value(random);
    if (type.dtype.is_floating() && random() % 16 == 0) {
      const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 0.5};
      const double s = specials[random() % 8];
      if (std::isnan(s) ? low < 0 : s >= low && s <= high) v = s;
    }
    if (!type.dtype.is_floating() || call.integral) v = std::trunc(v);
    if (type.dtype.is_boolean()) v = static_cast<double>(random() & 1);
    if (type.dtype.is_integer() && !type.dtype.is_signed()) v = std::fabs(v);
    a.set(i, reference::rounded(scalar::constant_of(compute, v), type.dtype));
  }
  return a;
}

Tensor to_tensor(const reference::Array& a, Device device) {
  Tensor host = tensor::empty(a.shape, a.dtype, Device::cpu());
  if (!a.data.empty()) std::memcpy(host.impl()->data(), a.data.data(), a.data.size());
  return device.is_cpu() ? host : tensor::copy_to_device(host, device);
}

}  // namespace

std::optional<OpCase> op_case(const graph::OpDef& op, int variant) {
  const auto sample = op.sample(variant);
  if (!sample) return std::nullopt;
  OpCase c;
  c.name = fmt::format("{} #{}", op.name, variant);
  std::mt19937_64 random(static_cast<uint64_t>(variant) * 7919 + std::hash<std::string_view>{}(op.name));
  std::vector<graph::Value> operands;
  for (const graph::ValueType& t : sample->operands) {
    operands.push_back(c.graph.add_input(t));
    c.inputs.push_back(random_array(t, *sample, random));
    c.name += fmt::format(" {}{}", t.dtype.name(), c.inputs.back().shape.text());
  }
  const graph::NodeId id = c.graph.add(op, operands, sample->attributes);
  for (size_t i = 0; i < c.graph.node(id).results.size(); ++i) c.graph.add_output({id, static_cast<int32_t>(i)});
  c.graph.name = std::string(op.name);
  return c;
}

std::vector<reference::Array> run_on(Device device, graph::Graph graph, const std::vector<reference::Array>& inputs,
                                     const compiler::Options& options, std::span<const int64_t> symbols) {
  graph.device = device;
  const compiler::Result compiled = compiler::compile(graph, options);
  std::vector<Tensor> tensors;
  std::vector<tensor::TensorImpl*> in, out;
  for (const reference::Array& a : inputs) {
    tensors.push_back(to_tensor(a, device));
    in.push_back(tensors.back().impl());
  }
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    results.push_back(Tensor::adopt(tensor::new_impl()));
    out.push_back(results.back().impl());
  }
  compiled.executable->run({in, symbols}, out);
  std::vector<reference::Array> arrays;
  for (const Tensor& t : results) {
    arrays.push_back(reference::Array::zeros(t.dtype(), t.shape()));
    if (!arrays.back().data.empty()) tensor::read_elements(*t.impl(), arrays.back().data.data());
  }
  return arrays;
}

std::string difference(const reference::Array& expected, const reference::Array& got, double allowed) {
  if (expected.dtype != got.dtype || !(expected.shape == got.shape))
    return fmt::format("is {} {}, expected {} {}", got.dtype.name(), got.shape.text(), expected.dtype.name(),
                       expected.shape.text());
  int64_t wrong = 0;
  std::string first;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const scalar::Constant a = expected.at(i), b = got.at(i);
    if (a == b) continue;
    const double x = scalar::as_double(a), y = scalar::as_double(b);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (allowed > 0 && std::fabs(x - y) <= allowed * std::max(1.0, std::fabs(x))) continue;
    if (wrong++ == 0) first = fmt::format("element {} is {} ({:#x}), expected {} ({:#x})", i, y, b.bits, x, a.bits);
  }
  return wrong == 0 ? "" : fmt::format("{} of {} wrong; {}", wrong, expected.size(), first);
}

namespace {

/// On CUDA, transcendental functions of f64 are the platform's (semantics contract, point 3); everything else is exact.
double allowed_error(const graph::OpDef& op, DType dtype, Device device) {
  if (device.is_cpu()) return 0;
  return dtype == f64 && calls_platform(op) ? 0x1p-50 : 0;
}

bool is_small(const graph::Graph& g) {
  int64_t elements = 0;
  for (graph::Value v : g.outputs()) {
    int64_t n = 1;
    for (graph::Expr e : g.type(v).shape) n *= *e.constant();
    elements += n;
  }
  return elements <= max_elements;
}

using CaseCheck = std::function<void(const OpCase&, std::vector<std::string>& failures)>;

/// Calls `check` for one case of an op, if it is small; an exception is a failure.
bool check_case(const graph::OpDef& op, int variant, const CaseCheck& check, std::vector<std::string>& failures) {
  std::string name = fmt::format("{} #{}", op.name, variant);
  try {
    const auto c = op_case(op, variant);
    name = c->name;
    if (!is_small(c->graph)) return false;
    check(*c, failures);
  } catch (const std::exception& e) {
    failures.push_back(name + ": " + e.what());
  }
  return true;
}

/// A part of every `stride`th case of every op, on all processors; returns the failures.
std::vector<std::string> each_case(int stride, const Part& part, const CaseCheck& check, int& cases) {
  ops::register_all_ops();
  std::vector<std::pair<const graph::OpDef*, int>> all;
  for (const graph::OpDef* op : graph::all_ops())
    for (int variant = 0; variant < max_variants && op->sample(variant); variant += stride)
      all.emplace_back(op, variant);
  std::vector<std::string> failures;
  std::mutex mutex;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = part.index + part.of * next++; i < all.size(); i = part.index + part.of * next++) {
      std::vector<std::string> found;
      const bool checked = check_case(*all[i].first, all[i].second, check, found);
      std::scoped_lock lock(mutex);
      cases += checked;
      failures.insert(failures.end(), found.begin(), found.end());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();
  std::ranges::sort(failures);
  return failures;
}

/// The case with a reader of the op's result (y + y and a cast to f32), which is the output; with `keep`, so is y.
graph::Graph fused_case(const OpCase& c, bool keep) {
  graph::Graph g = c.graph;
  const std::vector<graph::Value> own = g.outputs();
  std::vector<graph::Value> outputs;
  for (const graph::Value y : own) {
    graph::Value v = y;
    if (!g.type(y).dtype.is_boolean())
      v = {g.add(ops::registered_op("add"), {y, y},
                 graph::literal_attributes(graph::CallAttributes().flag(false).flag(false))),
           0};
    outputs.push_back(
        {g.add(ops::registered_op("to"), {v}, graph::literal_attributes(graph::CallAttributes().dtype(f32))), 0});
  }
  if (keep) outputs.insert(outputs.end(), own.begin(), own.end());
  g.set_outputs(outputs);
  return g;
}

void compare_fusions(const OpCase& c, Device device, std::vector<std::string>& failures) {
  std::vector<reference::Array> first;
  const std::pair<Fusion, bool> modes[] = {
      {Fusion::none, true}, {Fusion::all, true}, {Fusion::vertical, false}, {Fusion::all, false}};
  for (const auto& [fusion, keep] : modes) {
    const auto got = run_on(device, fused_case(c, keep), c.inputs, {.fusion = fusion, .libraries = false});
    if (first.empty()) first = got;
    for (size_t i = 0; i < got.size(); ++i)
      if (const std::string d = difference(first[i], got[i]); !d.empty())
        failures.push_back(fmt::format("{}, fusion {}, {} extra output, output {}: {}", c.name,
                                       static_cast<int>(fusion), keep ? "an" : "no", i, d));
  }
}

}  // namespace

std::vector<std::string> compare_all_ops(Device device, int& cases, const Part& part) {
  return compare_all_backends(device, "sinter", 1, cases, part);
}

std::vector<std::string> compare_all_backends(Device device, const std::string& backend, int stride, int& cases,
                                              const Part& part) {
  return each_case(
      stride, part,
      [&](const OpCase& c, std::vector<std::string>& failures) {
        const auto expected = reference::interpret(c.graph, c.inputs);
        const auto got = run_on(device, c.graph, c.inputs, {.backend = backend, .libraries = false});
        const graph::OpDef& op = *c.graph.node(c.graph.outputs()[0].node).op;
        const std::vector<bool> approximate = approximate_outputs(c.graph);
        for (size_t i = 0; i < expected.size(); ++i) {
          const DType dtype = expected[i].dtype;
          const double allowed = approximate[i] && approximates(device) && dtype != f64
                                     ? approximation_bound(dtype)
                                     : allowed_error(op, dtype, device);
          if (const std::string d = difference(expected[i], got[i], allowed); !d.empty())
            failures.push_back(c.name + ": " + d);
        }
      },
      cases);
}

std::vector<std::string> compare_all_fusions(Device device, int stride, int& cases, const Part& part) {
  return each_case(
      stride, part, [&](const OpCase& c, std::vector<std::string>& failures) { compare_fusions(c, device, failures); },
      cases);
}

}  // namespace sinter::test
