// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/compiler/graph_executable.h"
#include "src/compiler/recorded_graph.h"
#include "src/graph/user_code.h"

namespace sinter::compiler {
namespace {

constexpr std::array<std::string_view, 3> own_backends = {"eager", "reference", "sinter"};

class BackendTable {
 public:
  /// Entries stay where they are.
  const GraphCompiler* find(const std::string& name) const {
    std::scoped_lock lock(mutex_);
    const auto it = compilers_.find(name);
    return it == compilers_.end() ? nullptr : &it->second;
  }
  bool add(const std::string& name, const GraphCompiler& compiler) {
    std::scoped_lock lock(mutex_);
    return compilers_.try_emplace(name, compiler).second;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all(own_backends.begin(), own_backends.end());
    std::scoped_lock lock(mutex_);
    for (const auto& [name, compiler] : compilers_) all.push_back(name);
    std::ranges::sort(all);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, GraphCompiler> compilers_;
};

BackendTable& backend_table() {
  static auto* t = new BackendTable;
  return *t;
}

bool is_own(const std::string& name) { return std::ranges::find(own_backends, name) != own_backends.end(); }

std::string list_of_backends() {
  std::string list;
  for (const std::string& name : backends()) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  return list;
}

class Registered final : public GraphExecutable {
 public:
  Registered(const graph::Graph& graph, std::string backend, GraphFunction run)
      : GraphExecutable(graph), backend_(std::move(backend)), run_(std::move(run)) {
    const RecordedGraph recorded = recorded_graph(without_writes(graph));
    for (int v : recorded.outputs) outputs_.push_back(recorded.values[static_cast<size_t>(v)]);
  }

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    std::vector<Tensor> results;
    {
      const graph::UserCode user_code(this, name());
      results = run_(shared_handles(a.inputs));
      for (const Tensor& t : results)
        if (t.defined()) tensor::computed(t, "backend");
    }
    if (results.size() != outputs_.size())
      refuse(fmt::format("gave {} results, not {}", results.size(), outputs_.size()));
    for (size_t i = 0; i < results.size(); ++i) check(i, results[i]);
    for (Tensor& t : results) t = apart_from_writes(a, t);
    give_outputs(a, results, outputs);
    const graph::UserCode at_once(this, name());
    write_inputs(shared_handles(a.inputs), std::span(results).subspan(outputs.size()));
  }

 private:
  std::string name() const { return fmt::format("backend \"{}\"", backend_); }

  [[noreturn]] void refuse(std::string what) const {
    throw UserError({name(), std::move(what), {}, {}, "return what the graph's outputs say"});
  }
  void check(size_t i, const Tensor& t) const {
    const RecordedValue& expected = outputs_[i];
    if (!t.defined()) refuse(fmt::format("result {} is an undefined tensor", i));
    if (t.dtype() != expected.dtype || t.shape() != expected.shape)
      refuse(fmt::format("result {} is {}, not {} {}", i, tensor::describe(t), expected.dtype.name(),
                         expected.shape.text()));
    if (t.device() != plan().device)
      refuse(fmt::format("result {} is on {}, not on {}", i, t.device().text(), plan().device.text()));
  }

  std::string backend_;
  GraphFunction run_;
  std::vector<RecordedValue> outputs_;
};

}  // namespace

void check_backend(const std::string& name, SourceLine line) {
  if (is_own(name) || backend_table().find(name) != nullptr) return;
  throw UserError({"compile",
                   fmt::format("unknown backend \"{}\"", name),
                   line,
                   {},
                   fmt::format("use one of {}; register_backend() adds one", list_of_backends())});
}

bool generates_code(const std::string& backend) { return backend == "sinter"; }
bool takes_literal_graphs(const std::string& backend) { return !is_own(backend); }

std::shared_ptr<const exec::Executable> make_registered(const graph::Graph& graph, const std::string& backend) {
  const GraphCompiler* compiler = backend_table().find(backend);
  if (compiler == nullptr) throw CompileError(fmt::format("internal: no backend {}", backend));
  const graph::UserCode user_code(compiler, fmt::format("backend \"{}\"", backend));
  GraphFunction run = (*compiler)(recorded_graph(without_writes(graph)));
  if (!run)
    throw UserError(
        {fmt::format("backend \"{}\"", backend), "made an empty function", {}, {}, "return one that runs the graph"});
  return std::make_shared<Registered>(graph, backend, std::move(run));
}

}  // namespace sinter::compiler

namespace sinter {

void register_backend(const std::string& name, const GraphCompiler& compiler, SourceLine line) {
  const auto refuse = [&](std::string what, std::string fix) {
    throw UserError({"register_backend", std::move(what), line, {}, std::move(fix)});
  };
  if (name.empty()) refuse("the name is empty", "give the backend a name");
  if (!compiler) refuse(fmt::format("backend \"{}\" has an empty function", name), "give it one that compiles a graph");
  if (compiler::is_own(name) || !compiler::backend_table().add(name, compiler))
    refuse(fmt::format("backend \"{}\" is there already", name), "choose a name that backends() does not list");
}

std::vector<std::string> backends() { return compiler::backend_table().names(); }

}  // namespace sinter
