// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/folded.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/compiler/codegen.h"
#include "src/passes/channels_last.h"
#include "src/passes/fold_batch_norm.h"
#include "src/passes/fuse_activations.h"

namespace sinter::compiler {
namespace {

using Constants = std::vector<Tensor>;

/// Contents of a frozen input. The weak pointer keeps the storage's identity apart from a later one's.
struct Contents {
  std::weak_ptr<tensor::Storage> storage;
  uint64_t version = 0;
  int64_t offset = 0;

  explicit Contents(const tensor::TensorImpl& t)
      : storage(t.storage), version(t.storage->version.load(std::memory_order_acquire)), offset(t.offset) {}
  bool are_of(const tensor::TensorImpl& t) const {
    return !storage.owner_before(t.storage) && !t.storage.owner_before(storage) && offset == t.offset &&
           version == t.storage->version.load(std::memory_order_acquire);
  }
};

class FoldedExecutable final : public exec::Executable {
 public:
  FoldedExecutable(std::shared_ptr<const exec::Executable> constants, std::shared_ptr<const exec::Executable> rest,
                   std::vector<size_t> frozen)
      : constants_(std::move(constants)), rest_(std::move(rest)), frozen_(std::move(frozen)) {}

  const exec::Plan& plan() const override { return rest_->plan(); }
  std::span<const exec::LoadedKernel> kernels() const override { return rest_->kernels(); }
  int64_t launches() const override { return rest_->launches(); }

  void run(const exec::Arguments& a, std::span<tensor::TensorImpl* const> outputs) const override {
    const std::shared_ptr<const Constants> constants = constants_for(a);
    std::vector<tensor::TensorImpl*> inputs(a.inputs.begin(), a.inputs.end());
    device::Backend& backend = device::backend(plan().device);
    const device::StreamHandle stream = device::current_stream(plan().device);
    for (const Tensor& t : *constants) {
      inputs.push_back(t.impl());
      const tensor::Storage& storage = *t.impl()->storage;
      if (stream != storage.stream) backend.record_use(storage.data, stream);
    }
    rest_->run({inputs, a.symbols}, outputs);
  }

 private:
  struct Kept {
    std::vector<Contents> of;
    std::shared_ptr<const Constants> constants;
  };
  static constexpr size_t max_kept = 8;  ///< sets of weights that take turns in one function

  std::shared_ptr<const Constants> constants_for(const exec::Arguments& a) const {
    std::scoped_lock lock(mutex_);
    for (const Kept& k : kept_) {
      bool same = true;
      for (size_t i = 0; i < frozen_.size(); ++i) same = same && k.of[i].are_of(*a.inputs[frozen_[i]]);
      if (same) return k.constants;
    }
    auto made = compute(a);
    device::Backend& backend = device::backend(plan().device);
    const device::StreamHandle stream = device::current_stream(plan().device);
    if (backend.is_capturing(stream)) return made;  // part of the captured graph, which computes them on each replay
    backend.synchronize(stream);                    // later calls may come on other streams
    Kept k{{}, made};
    for (size_t input : frozen_) k.of.emplace_back(*a.inputs[input]);
    std::erase_if(kept_, [](const Kept& old) {
      return std::ranges::any_of(old.of, [](const Contents& c) { return c.storage.expired(); });
    });
    if (kept_.size() == max_kept) kept_.erase(kept_.begin());
    kept_.push_back(std::move(k));
    return made;
  }

  std::shared_ptr<const Constants> compute(const exec::Arguments& a) const {
    auto made = std::make_shared<Constants>();
    std::vector<tensor::TensorImpl*> results;
    for (size_t i = 0; i < constants_->plan().outputs.size(); ++i) {
      made->push_back(Tensor::adopt(tensor::new_impl()));
      results.push_back(made->back().impl());
    }
    constants_->run(a, results);
    return made;
  }

  const std::shared_ptr<const exec::Executable> constants_, rest_;
  const std::vector<size_t> frozen_;  ///< the inputs that constants are computed from
  mutable std::mutex mutex_;
  mutable std::vector<Kept> kept_;
};

}  // namespace

std::optional<passes::SplitGraph> fold_frozen(const graph::Graph& graph, const std::vector<bool>& frozen) {
  // What is computed from a tensor that every call writes would be computed in every call.
  const auto written = [&](const graph::Write& w) { return frozen[static_cast<size_t>(w.input)]; };
  if (std::ranges::find(frozen, true) == frozen.end() || std::ranges::any_of(graph.writes(), written)) return {};
  return passes::split_constants(
      passes::channels_last(passes::fuse_activations(passes::fold_batch_norm(graph, frozen))), frozen);
}

std::optional<Result> compile_folded(const graph::Graph& graph, const Options& options) {
  if (std::ranges::find(options.frozen, true) == options.frozen.end() || options.fusion == Fusion::none) return {};
  const bool generated =
      options.backend == "sinter" && has_code_generator(graph.device, device::backend(graph.device).properties());
  if (!generated) return {};
  const auto split = fold_frozen(graph, options.frozen);
  if (!split) return {};
  Options plain = options;
  plain.frozen.clear();
  const Result constants = compile(split->constants, plain);
  Result result = compile(split->rest, plain);
  result.milliseconds += constants.milliseconds;
  result.from_disk = result.from_disk && constants.from_disk;
  result.from_memory = result.from_memory && constants.from_memory;
  result.executable =
      std::make_shared<FoldedExecutable>(constants.executable, std::move(result.executable), split->frozen_inputs);
  return result;
}

}  // namespace sinter::compiler
