// SPDX-License-Identifier: Apache-2.0
// Host cost of hot calls on the CPU: guards, matching, a whole call. A region is run three ways in interleaved rounds:
// the call; its executable alone (fresh outputs, plan, kernel) with the same inputs and key; and for guards the key
// functions alone. Call minus executable is what recording, matching and finding the entry cost.
//
//   bench_calls [--json] [--rounds n]
#include <sinter/sinter.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/harness/rounds.h"
#include "runtime/device/backend.h"
#include "src/capture/entry.h"
#include "src/capture/key.h"
#include "src/compiler/compile.h"
#include "src/graph/graph.h"
#include "src/tensor/impl.h"

namespace {

using namespace sinter;
using namespace sinter::benchmarks;

/// A compiled function and, apart from it, what a call of it consists of: a key to find an entry by, and an executable.
class Region {
 public:
  using Body = std::function<Tensor(const std::vector<Tensor>&)>;

  Region(std::string name, std::vector<Tensor> inputs, Body body, Host host = Host::rerun)
      : inputs_(std::move(inputs)), call_(sinter::compile(std::move(body), {.name = std::move(name), .host = host})) {
    for (const Tensor& t : inputs_) impls_.push_back(t.impl());
    output_ = call();
    find_executable();
    capture::append_inputs(key_, inputs_);
    auto entry = std::make_unique<capture::Entry>();
    entry->expected.assign(key_.begin(), key_.end());
    entry->mask.assign(entry->expected.size(), -1);
    entries_->append(std::move(entry));
  }

  Tensor call() { return call_(inputs_); }
  void run_executable() const {
    tensor::TensorImpl* output = output_.impl();
    output->storage.reset();  // as a call's result was dropped before the next call
    executable_->run({impls_, {}}, {&output, 1});
  }
  /// What finds the entry on a call: the key of these inputs, and the compare.
  const capture::Entry* find_entry() {
    key_.clear();
    capture::append_inputs(key_, inputs_);
    return entries_->find(key_);
  }
  bool has_kernel() const { return !executable_->kernels().empty(); }
  /// The only kernel, on the last output.
  void run_kernel() {
    const exec::Step& step = executable_->plan().steps.front();
    slots_.clear();
    for (const exec::SlotSource& s : step.slots) {
      using Kind = exec::SlotSource::Kind;
      if (s.kind == Kind::input)
        slots_.push_back(reinterpret_cast<uint64_t>(impls_[static_cast<size_t>(s.index)]->data()));
      else if (s.kind == Kind::output)
        slots_.push_back(reinterpret_cast<uint64_t>(output_.impl()->data()));
      else
        slots_.push_back(s.kind == Kind::literal ? s.bits : static_cast<uint64_t>(s.expr.literal));
    }
    device::backend(Device::cpu())
        .launch(*executable_->kernels()[0].function, {.grid = step.grid.literal}, slots_.data(), slots_.size(),
                nullptr);
  }

 private:
  /// The very executable that the call runs: the compiler finds the printed graph in its table.
  void find_executable() {
    std::string text;
    const Explanation explanation = call_.explain(inputs_);
    for (const std::string& line : explanation.regions.at(0).graph) text += line + "\n";
    const compiler::Result found = compiler::compile(graph::parse(text), {});
    if (!found.from_memory && !found.executable->kernels().empty())
      throw CompileError("the call's executable was not found by its graph:\n" + text);
    executable_ = found.executable;
  }

  std::vector<Tensor> inputs_;
  Compiled<Body> call_;
  Tensor output_;
  std::unique_ptr<capture::EntryList> entries_ = std::make_unique<capture::EntryList>();
  capture::Key key_;
  std::vector<uint64_t> slots_;
  std::shared_ptr<const exec::Executable> executable_;
  std::vector<tensor::TensorImpl*> impls_;
};

struct Timed {
  explicit Timed(Region r)
      : region(std::move(r)),
        call{500, [this] { region.call(); }},
        executable{500, [this] { region.run_executable(); }} {}
  Timed(const Timed&) = delete;
  Region region;
  Case call, executable;
  Samples host() const { return call.ns - executable.ns; }
};

Tensor ones(std::initializer_list<int64_t> shape) {
  const Dims dims(shape);
  return from<float>(std::vector<float>(static_cast<size_t>(dims.product()), 1.0f), dims);
}

/// Seven additions of eight different tensors, or of one tensor with itself: equal op counts.
Tensor sum_of_eight(const std::vector<Tensor>& a) {
  const auto at = [&a](size_t i) -> const Tensor& { return a[i % a.size()]; };
  return ((at(0) + at(1)) + (at(2) + at(3))) + ((at(4) + at(5)) + (at(6) + at(7)));
}

Region sum_region(size_t inputs) {
  std::vector<Tensor> t;
  for (size_t i = 0; i < inputs; ++i) t.push_back(ones({4, 8}));
  return {"sum", std::move(t), sum_of_eight};
}

/// A chain on one element: additions and products with numbers, half each.
Region chain_region(int ops) {
  return {"chain", {ones({1})}, [ops](const std::vector<Tensor>& a) {
            Tensor x = a[0];
            for (int i = 0; i < ops / 2; ++i) x = std::move(x) * 0.5f + 1.25f;
            return x;
          }};
}

/// Slope of y over x by least squares, a value a round.
Samples slope(const std::vector<double>& x, const std::vector<Samples>& y) {
  double mean = 0, spread = 0;
  for (double v : x) mean += v / static_cast<double>(x.size());
  for (double v : x) spread += (v - mean) * (v - mean);
  Samples s;
  s.values.assign(y[0].values.size(), 0.0);
  for (size_t k = 0; k < x.size(); ++k)
    for (size_t i = 0; i < s.values.size(); ++i) s.values[i] += (x[k] - mean) / spread * y[k].values[i];
  return s;
}

std::vector<Figure> figures(int rounds) {
  Timed eight(sum_region(8)), one(sum_region(1));
  const std::vector<double> lengths = {4, 20, 100};
  std::vector<std::unique_ptr<Timed>> chains;
  for (double n : lengths) chains.push_back(std::make_unique<Timed>(chain_region(static_cast<int>(n))));
  const Region::Body tiny_body = [](const std::vector<Tensor>& a) { return relu(a[0] + 1) * 2; };
  Timed tiny({"tiny", {ones({128})}, tiny_body});
  Timed skipping({"tiny", {ones({128})}, tiny_body, Host::skip});
  Timed skipping8({"sum", std::vector<Tensor>(8, ones({4, 8})), sum_of_eight, Host::skip});
  const capture::Entry* found = nullptr;
  Case guards8{5000, [&] { found = eight.region.find_entry(); }};
  Case guards1{5000, [&] { found = one.region.find_entry(); }};
  Case kernel{2000, [&] { tiny.region.run_kernel(); }};
  std::vector<Case*> cases = {&guards8, &guards1};
  if (tiny.region.has_kernel()) cases.push_back(&kernel);
  for (Timed* t : {&eight, &one, &tiny, &skipping, &skipping8, chains[0].get(), chains[1].get(), chains[2].get()})
    cases.insert(cases.end(), {&t->call, &t->executable});
  measure(cases, rounds);
  if (found == nullptr) throw CompileError("the guards of a hot call do not hold");

  std::vector<Samples> host, call, executable;
  for (const auto& c : chains) {
    host.push_back(c->host());
    call.push_back(c->call.ns);
    executable.push_back(c->executable.ns);
  }
  std::vector<Figure> f;
  f.push_back(figure("guards, 8 inputs: key and compare alone", "ns", guards8.ns, 50));
  f.push_back(figure("guards, 1 input: key and compare alone", "ns", guards1.ns));
  f.push_back(figure("7 ops, 8 inputs: call - executable", "ns", eight.host()));
  f.push_back(figure("7 ops, 1 input: call - executable", "ns", one.host()));
  f.push_back(figure("7 further inputs in a call (listing, key, compare)", "ns", eight.host() - one.host()));
  f.push_back(figure("matching an op: slope over 4, 20, 100 ops of call - executable", "ns", slope(lengths, host), 50));
  f.push_back(figure("  slope of the call", "ns", slope(lengths, call)));
  f.push_back(figure("  slope of the executable (the kernel grows)", "ns", slope(lengths, executable)));
  for (size_t i = 0; i < chains.size(); ++i)
    f.push_back(figure(fmt::format("  {:g} ops: call - executable", lengths[i]), "ns", host[i]));
  f.push_back(figure("hot call of relu(x + 1) * 2 on 128 elements", "ns", tiny.call.ns));
  f.push_back(figure("  its executable alone", "ns", tiny.executable.ns));
  f.push_back(figure("  the same with Host::skip", "ns", skipping.call.ns));
  f.push_back(figure("  Host::skip: call - executable", "ns", skipping.host()));
  f.push_back(figure("  Host::skip, 8 inputs: call - executable", "ns", skipping8.host()));
  if (tiny.region.has_kernel()) f.push_back(figure("  its kernel alone, through Backend::launch", "ns", kernel.ns));
  return f;
}

}  // namespace

int main(int argc, char** argv) {
  bool as_json = false;
  int rounds = 101;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) as_json = true;
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) rounds = std::max(1, std::atoi(argv[++i]));
  }
  try {
    report(figures(rounds), as_json);
    return 0;
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
