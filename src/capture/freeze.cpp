// SPDX-License-Identifier: Apache-2.0
// Host::skip: one run of the host code, and the calls without it.
#include <sinter/compile.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "runtime/device/environment.h"
#include "runtime/device/log.h"
#include "src/capture/capture_state.h"
#include "src/capture/captured_draws.h"
#include "src/capture/region_run.h"
#include "src/capture/scope_pool.h"
#include "src/tensor/random_state.h"

namespace sinter::capture {
namespace {

using Kind = saved::TensorSource::Kind;

/// A list of tensors that somebody else holds, without counting references.
class BorrowedTensors {
 public:
  explicit BorrowedTensors(size_t size) {
    if (size > few_.size()) many_.resize(size);
    all_ = {size > few_.size() ? many_.data() : few_.data(), size};
  }
  ~BorrowedTensors() {
    for (Tensor& t : all_) (void)t.detach();
  }
  BorrowedTensors(const BorrowedTensors&) = delete;
  BorrowedTensors& operator=(const BorrowedTensors&) = delete;
  void set(size_t i, const Tensor& t) { all_[i] = Tensor::adopt(t.impl()); }
  std::span<const Tensor> all() const { return all_; }

 private:
  std::array<Tensor, 16> few_;
  std::vector<Tensor> many_;
  std::span<Tensor> all_;
};

bool replay_wanted() {
  static const bool wanted = device::environment().check.find("replay") != std::string::npos;
  return wanted;
}

void warn_of_too_many(const Function& function) {
  device::warn(
      fmt::format("\"{}\" was captured for {} kinds of arguments; its host code runs on every call that fits none "
                  "(a number among the arguments that never repeats?)",
                  function.options.name, FrozenCalls::most));
}

void run_region(Function& function, const Frozen& f, const tensor::Draw& draw, std::span<const Tensor* const> arguments,
                std::span<tensor::TensorImpl* const> outputs) {
  const saved::FrozenCall& call = f.call;
  BorrowedTensors inputs(call.inputs.size());
  std::vector<Tensor> moved;  // small arguments that follow the others to their device
  moved.reserve(0);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const saved::TensorSource& s = call.inputs[i];
    const auto k = static_cast<size_t>(s.index);
    if (s.kind == Kind::constant) {
      inputs.set(i, f.constants[k]);
    } else if (s.kind == Kind::random_state) {
      inputs.set(i, draw.state);
    } else if (!s.dense) {
      inputs.set(i, *arguments[k]);
    } else {
      if (moved.capacity() == 0) moved.reserve(call.inputs.size());  // what is borrowed must stay in place
      moved.push_back(tensor::follow_to_device(*arguments[k], f.region.device));
      inputs.set(i, moved.back());
    }
  }
  std::span<const int64_t> symbols = call.symbols;
  std::vector<int64_t> filled;
  if (!call.varies.empty() || !call.draws.empty()) {
    Key key;
    append_inputs(key, arguments);
    saved::fill_symbols(call, key.words(), draw.after, filled);
    symbols = filled;
  }
  const FrozenRegion& r = f.region;
  const RegionCall region{function, r.last, *r.end, *r.set, inputs.all(), symbols, r.device, "Host::skip", {}, false};
  run_entry(region, *r.entry, outputs);
}

}  // namespace

bool is_recording() { return active_recorder() != nullptr; }

void refuse_types(const Function& function, const char* what) {
  throw UserError({"compile",
                   what != nullptr ? what
                                   : "Host::skip and save() need arguments and a result of tensors, numbers, enums, "
                                     "Dims, strings, vectors, arrays, tuples, optionals and small aggregates of these",
                   {},
                   function.context(),
                   "pass these; or Host::rerun"});
}

Found find_frozen(Function& function, const ArgumentLeaves& arguments) {
  for (const Tensor* t : arguments.tensors.all())
    if (t->impl()->pending.load(std::memory_order_acquire) != nullptr || t->impl()->storage == nullptr)
      tensor::computed(*t, "Host::skip");
  thread_local Key key;
  key.clear();
  append_inputs(key, arguments.tensors.all());
  Found found{function.frozen.find(arguments.words.all(), key.words())};
  if (found.call != nullptr)
    found.replay = replay_wanted();
  else
    found.may_freeze = function.frozen.size() < FrozenCalls::most;
  return found;
}

const void* prototype_of(const Frozen& call) { return call.prototype.get(); }

void run_frozen(Function& function, const Frozen& f, const ArgumentLeaves& arguments,
                std::span<Tensor* const> results) {
  function.counters.calls.fetch_add(1, std::memory_order_relaxed);
  const std::span<const Tensor* const> given = arguments.tensors.all();
  Few<tensor::TensorImpl*, 8> impls;
  std::array<Tensor, 8> few;
  std::vector<Tensor> many;
  std::span<Tensor> outputs;
  tensor::Draw draw;
  if (!f.call.draws.empty())
    draw = tensor::next_draw(f.region.device, "Host::skip", {}, static_cast<int64_t>(f.call.draws.size()));
  if (f.region.entry != nullptr) {
    const size_t count = f.region.set->outputs.size();
    if (count > few.size()) many.resize(count);
    outputs = {count > few.size() ? many.data() : few.data(), count};
    for (Tensor& t : outputs) {
      t = Tensor::adopt(tensor::new_impl());
      impls.push_back(t.impl());
    }
    run_region(function, f, draw, given, impls.all());
  }
  advance_captured_draws();
  for (size_t i = 0; i < results.size(); ++i) {
    const saved::TensorSource& s = f.call.results[i];
    const auto k = static_cast<size_t>(s.index);
    if (s.kind == Kind::output)
      *results[i] = outputs[k];
    else if (s.kind == Kind::argument)
      *results[i] = *given[k];
    else if (s.kind == Kind::constant)
      *results[i] = f.constants[k];
  }
}

Capture::Capture(Function& function, const ArgumentLeaves& arguments, Purpose purpose)
    : state_(new CaptureState(function, arguments, purpose)) {
  if (purpose == Purpose::call) function.counters.calls.fetch_add(1, std::memory_order_relaxed);
}

Capture::~Capture() {
  if (state_->ended) return;
  state_->recorder.abandon_frozen();  // the host code threw
  deactivate();
  state_->handles.close();
}

void Capture::operator()(Tensor& argument) {
  if (argument.defined()) argument = state_->handles.placeholder(state_->next_argument++);
}

void Capture::finish(std::span<Tensor* const> results, Shared<const void> prototype) {
  CaptureState& s = *state_;
  s.read_results(results);
  auto frozen = std::make_unique<Frozen>();
  frozen->region = s.end(true, true);
  advance_captured_draws();
  const std::span<const Tensor* const> arguments = s.arguments.tensors.all();
  FrozenParts parts = freeze_call(frozen->region, arguments, s.results, s.reads);
  own_constants(parts.constants);
  for (size_t i = 0; i < results.size(); ++i) {
    const saved::TensorSource& source = parts.call.results[i];
    if (source.kind == Kind::argument) *results[i] = *arguments[static_cast<size_t>(source.index)];
    if (source.kind == Kind::constant) *results[i] = parts.constants[static_cast<size_t>(source.index)];
  }
  const auto words = s.arguments.words.all();
  frozen->words.assign(words.begin(), words.end());
  frozen->call = std::move(parts.call);
  frozen->constants = std::move(parts.constants);
  frozen->prototype = std::move(prototype);
  frozen->region.inputs.clear();
  const Device device = frozen->region.device;
  if (device::backend(device).is_capturing(device::current_stream(device))) return;  // constants are the graph's
  std::scoped_lock lock(s.function.grow);
  s.function.frozen.append(std::move(frozen));
  if (s.function.frozen.size() == FrozenCalls::most) warn_of_too_many(s.function);
}

}  // namespace sinter::capture
