// SPDX-License-Identifier: Apache-2.0
#include "src/capture/recipe.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/capture/region_run.h"

namespace sinter::capture {
namespace {

/// Work goes to the stream of the break, so that results are ready in the order the program implies. Another thread,
/// with a stream of its own, waits for them: it may have ordered the two streams before the work was queued.
class OnStream {
 public:
  OnStream(Device device, device::StreamHandle stream)
      : device_(device), stream_(stream), previous_(device::exchange_current_stream(device, stream)) {}
  ~OnStream() { device::exchange_current_stream(device_, previous_); }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  /// Work of another thread would end up in the capture, and nothing may wait for a stream that is captured. (A break
  /// inside a capture keeps nothing; this one began after it.)
  void check_may_wait(const char* why, SourceLine line) const {
    if (stream_ != previous_ && device::backend(device_).is_capturing(stream_))
      throw UserError({why,
                       "the value belongs to a stream that is being captured",
                       line,
                       {},
                       "use it before the capture begins, or on the thread that captures"});
  }
  void wait_if_foreign() const {
    if (stream_ != previous_) device::backend(device_).synchronize(stream_);
  }

 private:
  Device device_;
  device::StreamHandle stream_, previous_;
};

std::vector<int32_t> slots_of(std::span<tensor::TensorImpl* const> handles) {
  std::vector<int32_t> slots;
  for (const tensor::TensorImpl* t : handles) slots.push_back(t->slot);
  std::ranges::sort(slots);
  return slots;
}

}  // namespace

void Recipe::keep(const RegionCall& region, const Entry& entry, std::vector<Tensor>& inputs,
                  std::span<tensor::TensorImpl* const> handles) {
  bool may_change = false;
  {
    std::scoped_lock lock(mutex_);
    function_ = &region.function;
    last_ = region.last;
    end_ = &region.end;
    entry_ = &entry;
    device_ = region.device;
    stream_ = device::current_stream(device_);
    key_.assign(region.key.begin(), region.key.end());
    inputs_.swap(inputs);
    open_.store(true, std::memory_order_relaxed);
    for (const Tensor& t : inputs_) may_change = !t.impl()->storage->add_late_reader(this) || may_change;
    for (tensor::TensorImpl* t : handles)
      if (t->pending.exchange(this, std::memory_order_acq_rel) == tensor::abandoned())
        tensor::recycle(t);
      else
        handles_.push_back(t);
    if (handles_.empty()) close();
  }
  if (may_change) settle();
}

void Recipe::close() noexcept {
  for (const Tensor& t : inputs_) t.impl()->storage->remove_late_reader(this);
  inputs_.clear();
  failures_.clear();
  open_.store(false, std::memory_order_release);
}

void Recipe::run(OutputSet& set, const char* why, SourceLine line) {
  Entry* entry = set.entries.find(key_);
  RegionCall region{*function_, last_, *end_, set, inputs_, key_, device_, why, line, false, entry == nullptr, true};
  if (entry == nullptr) entry = &compile_entry(region);
  std::vector<tensor::TensorImpl*> outputs;
  std::vector<Tensor> unused;  // stored at the break already, and computed again this once: the set is the next call's
  for (int32_t slot : set.outputs) {
    const auto t = std::ranges::find_if(handles_, [&](const auto* h) { return h->slot == slot; });
    if (t == handles_.end()) unused.push_back(Tensor::adopt(tensor::new_impl()));
    outputs.push_back(t == handles_.end() ? unused.back().impl() : *t);
  }
  const OnStream on(device_, stream_);
  on.check_may_wait(why, line);
  run_entry(region, *entry, outputs);
  on.wait_if_foreign();
  std::erase_if(handles_, [&](tensor::TensorImpl* t) {
    const bool done = std::ranges::find(outputs, t) != outputs.end();
    if (done) t->pending.store(nullptr, std::memory_order_release);
    return done;
  });
}

void Recipe::compute_locked(std::span<tensor::TensorImpl* const> wanted, const char* why, SourceLine line) {
  if (wanted.empty()) return;
  std::vector<int32_t> slots;
  std::ranges::set_union(end_->stored.load(std::memory_order_acquire)->outputs, slots_of(wanted),
                         std::back_inserter(slots));
  OutputSet& set = output_set(*end_, slots, function_->grow);
  try {
    for (const auto& [t, failure] : failures_)
      if (std::ranges::find(wanted, t) != wanted.end()) std::rethrow_exception(failure);
    run(set, why, line);
  } catch (const UserError& e) {
    throw function_->with_context(e);
  }
  end_->stored.store(&set, std::memory_order_release);
  if (handles_.empty()) close();
}

void Recipe::compute_together(std::span<tensor::TensorImpl* const> handles, const char* why, SourceLine line) {
  std::scoped_lock lock(mutex_);
  std::vector<tensor::TensorImpl*> wanted;
  for (tensor::TensorImpl* t : handles)
    if (owns(*t)) wanted.push_back(t);
  compute_locked(wanted, why, line);
}

void Recipe::compute_all(const char* why, SourceLine line) {
  std::scoped_lock lock(mutex_);
  compute_locked(handles_, why, line);
}

void Recipe::compute(tensor::TensorImpl& t, const char* why, SourceLine line) {
  tensor::TensorImpl* const one[] = {&t};
  compute_together(one, why, line);
}

/// What the host does with the inputs says nothing about which values later calls use: `stored` stays.
void Recipe::run_early(std::span<tensor::TensorImpl* const> handles) {
  run(output_set(*end_, slots_of(handles), function_->grow), "data_ptr", {});
}

void Recipe::settle() noexcept {
  std::scoped_lock lock(mutex_);
  if (handles_.empty() || !failures_.empty()) return;
  try {
    run_early(handles_);
  } catch (...) {
    // One by one, so that each value reports its own error and the others none.
    for (tensor::TensorImpl* t : std::vector(handles_)) try {
        run_early({&t, 1});
      } catch (...) {
        failures_.emplace_back(t, std::current_exception());
      }
  }
  if (handles_.empty()) close();
}

void Recipe::abandon() noexcept {
  std::scoped_lock lock(mutex_);
  for (tensor::TensorImpl* t : handles_) {
    t->storage.reset();  // a run that failed may have set it
    t->pending.store(nullptr, std::memory_order_release);
  }
  handles_.clear();
  if (open_.load(std::memory_order_relaxed)) close();
}

bool Recipe::forget(tensor::TensorImpl& t) noexcept {
  std::scoped_lock lock(mutex_);
  if (!owns(t)) return true;  // computed a moment ago
  std::erase(handles_, &t);
  std::erase_if(failures_, [&](const auto& failure) { return failure.first == &t; });
  if (handles_.empty()) close();
  return true;
}

const graph::ValueType& Recipe::type_of(const tensor::TensorImpl& t) const {
  return entry_->graph->type({static_cast<graph::NodeId>(inputs_.size()) + t.slot, 0});
}

DType Recipe::dtype(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  return owns(t) ? type_of(t).dtype : t.dtype;
}

Dims Recipe::shape(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  if (!owns(t)) return t.shape;
  Dims shape;
  for (graph::Expr e : type_of(t).shape)
    shape.push_back(graph::evaluate(e, [&](graph::Expr leaf) { return key_[static_cast<size_t>(leaf.id())]; }));
  return shape;
}

Device Recipe::device(const tensor::TensorImpl& t) {
  std::scoped_lock lock(mutex_);
  return owns(t) ? device_ : t.device;
}

Recipe& Recipes::take() {
  if (used_.size() >= collect_at_) collect_finished();
  if (idle_.empty()) idle_.push_back(new Recipe);
  used_.push_back(idle_.back());
  idle_.pop_back();
  return *used_.back();
}

void Recipes::collect_finished() {
  std::erase_if(used_, [&](Recipe* r) {
    if (r->finished()) idle_.push_back(r);
    return r->finished();
  });
  collect_at_ = std::max<size_t>(8, 2 * used_.size());
}

void Recipes::finish(const char* why, SourceLine line) {
  std::exception_ptr failure;
  for (Recipe* r : used_) {
    try {
      r->compute_all(why, line);
    } catch (...) {
      if (!failure) failure = std::current_exception();
      r->abandon();
    }
  }
  collect_finished();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sinter::capture
