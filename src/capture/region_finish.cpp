// SPDX-License-Identifier: Apache-2.0
// The recorder's other half: what happens where a region ends.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "src/capture/captured_draws.h"
#include "src/capture/region_recorder.h"
#include "src/capture/region_run.h"

namespace sinter::capture {
namespace {

/// While alive, the memory of inputs gets other contents. Their version is another one only afterwards, also if that
/// fails half-way: what the run itself computes from the old contents and keeps is kept as theirs.
class Writing {
 public:
  Writing(std::span<const Tensor> inputs, std::span<const RegionWrite> writes) : inputs_(inputs), writes_(writes) {
    for (const RegionWrite& w : writes_) storage(w).before_write();
  }
  ~Writing() {
    for (const RegionWrite& w : writes_) storage(w).after_write();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  tensor::Storage& storage(const RegionWrite& w) const {
    return *inputs_[static_cast<size_t>(w.input)].impl()->storage;
  }
  std::span<const Tensor> inputs_;
  std::span<const RegionWrite> writes_;
};

}  // namespace

/// The handle has its data, or will never get it. The last reference may have died on another thread meanwhile.
void RegionRecorder::settle(tensor::TensorImpl* t) noexcept {
  if (t->pending.exchange(nullptr, std::memory_order_acq_rel) == tensor::abandoned()) tensor::recycle(t);
}

void RegionRecorder::compute(tensor::TensorImpl& t, const char* why, SourceLine line) {
  check_thread(why, line);
  if (frozen_ != nullptr)
    frozen_->refuse(why, fmt::format("reads {} {} on the host", dtype(t).name(), shape(t).text()), line);
  if (function_->options.fullgraph)
    throw CompileError(
        {why,
         fmt::format("reads {} on the host; fullgraph = true allows no graph break",
                     fmt::format("{} {}", dtype(t).name(), shape(t).text())),
         line, function_->context(),
         "where(p, a, b) keeps one graph; or fullgraph = false (one more launch and a synchronisation)"});
  if (!written_.empty()) up_to_date(t.slot, true, line);  // moves the handle to its current value
  break_region(t.slot, why, line);
}

void RegionRecorder::compute_together(std::span<tensor::TensorImpl* const> tensors, const char* why, SourceLine line) {
  for (tensor::TensorImpl* t : tensors)
    if (t->pending.load(std::memory_order_acquire) == this) compute(*t, why, line);
}

void RegionRecorder::break_region(int32_t demanded, const char* why, SourceLine line) {
  if (depth_ == 0) return;
  refuse_break(why, line);
  function_->counters.breaks.fetch_add(1, std::memory_order_relaxed);
  end_region({demanded, true, why, line});
}

void RegionRecorder::break_completely(const char* why, SourceLine line) {
  if (depth_ > 0) refuse_break(why, line);
  if (depth_ > 0) function_->counters.breaks.fetch_add(1, std::memory_order_relaxed);
  complete({demand_everything, true, why, line});
}

void RegionRecorder::end_call(const char* why, SourceLine line) { complete({demand_everything, false, why, line}); }

void RegionRecorder::complete(const Ending& ending) {
  std::exception_ptr failure;
  try {
    end_region(ending);
  } catch (...) {
    if (recipes_.empty()) throw;
    failure = std::current_exception();
  }
  if (recipes_.empty()) return;
  try {
    recipes_.finish(ending.why, ending.line);
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
}

void RegionRecorder::abandon() noexcept {
  for (tensor::TensorImpl* t : slots_)
    if (t != nullptr) {
      t->storage.reset();  // a run that failed may have set it
      settle(t);
    }
  slots_.clear();
  inputs_.clear();
  forget_writes();
}

void RegionRecorder::build_key() {
  key_.clear();
  append_inputs(key_, inputs_);
  mark_overlapped(key_, inputs_, writes_);
  for (const graph::Number& v : values_) key_.push_back(v.bits);
}

/// Handles that were kept at a break and became operands: one run for all of one recipe.
void RegionRecorder::compute_inputs(const char* why, SourceLine line) {
  for (const Tensor& input : inputs_) {
    tensor::PendingOwner* owner = input.impl()->pending.load(std::memory_order_acquire);
    if (owner != nullptr) {
      std::vector<tensor::TensorImpl*> together;
      for (const Tensor& t : inputs_)
        if (t.impl()->pending.load(std::memory_order_acquire) == owner) together.push_back(t.impl());
      owner->compute_together(together, why, line);
    }
    tensor::computed(input, why, line);
  }
}

void RegionRecorder::move_inputs_to_device() {
  if (device_.is_cpu()) return;
  for (const RegionWrite& w : writes_)
    if (const Tensor& t = inputs_[static_cast<size_t>(w.input)]; t.impl()->device != device_)
      throw UserError({"assign",
                       fmt::format("a tensor on {} is written with values on {}", t.device().text(), device_.text()),
                       {},
                       {},
                       "move the values first: to(y, x.device())"});
  for (Tensor& t : inputs_)
    if (t.impl()->device != device_) t = tensor::follow_to_device(t, device_);
}

void RegionRecorder::find_live() {
  live_.clear();
  for (size_t i = 0; i < slots_.size(); ++i) {
    tensor::TensorImpl*& t = slots_[i];
    if (t == nullptr) continue;
    if (t->pending.load(std::memory_order_acquire) == tensor::abandoned())
      tensor::recycle(std::exchange(t, nullptr));
    else
      live_.push_back(static_cast<int32_t>(i));
  }
}

void RegionRecorder::end_region(const Ending& ending) {
  if (depth_ == 0) return;
  const Busy busy(*this);
  TraceNode* continuation = &function_->root;  // of a region that is not even recorded to its end
  try {
    if (!written_.empty()) update_views();
    find_live();
    RegionEnd& end = end_at(*cursor_, live_, ending.demanded, writes_, function_->grow);
    continuation = &end.continuation;
    if (!live_.empty() || !writes_.empty()) run(end, ending);
    advance_captured_draws();
  } catch (const UserError& e) {
    abandon();
    start_region(continuation);
    throw function_->with_context(e);
  } catch (...) {
    abandon();
    start_region(continuation);
    throw;
  }
  start_region(continuation);
}

bool RegionRecorder::waits_for(const tensor::TensorImpl* t) const {
  return !busy_ && std::ranges::any_of(inputs_, [&](const Tensor& input) { return input.impl() == t; });
}

bool RegionRecorder::reads(const tensor::Storage& storage) const {
  return std::ranges::any_of(inputs_, [&](const Tensor& t) {
    // A pending input has no data yet, so the host cannot have its address either.
    return t.impl()->pending.load(std::memory_order_acquire) == nullptr && t.impl()->storage.get() == &storage;
  });
}

/// A value that is computed after the break must read what the program wrote before it, in the order of its stream:
/// impossible if the region itself or the host may write to an input meanwhile, or if what is queued later is no part
/// of a capture that began before.
bool RegionRecorder::must_store_all() const {
  return !writes_.empty() ||
         std::ranges::any_of(inputs_, [](const Tensor& t) { return t.impl()->storage->may_change(); }) ||
         device::backend(device_).is_capturing(device::current_stream(device_));
}

/// Handles of the stored values. What live handles are views of may have none itself: a new one, which dies after the
/// run.
void RegionRecorder::find_outputs(const OutputSet& set) {
  outputs_.clear();
  unnamed_.clear();
  for (int32_t slot : set.outputs) {
    tensor::TensorImpl* t = slots_[static_cast<size_t>(slot)];
    if (t == nullptr) t = unnamed_.emplace_back(Tensor::adopt(tensor::new_impl())).impl();
    outputs_.push_back(t);
  }
}

void RegionRecorder::run_and_settle(const RegionCall& region, Entry& entry) {
  find_outputs(region.set);
  {
    const Writing writing(inputs_, writes_);
    run_entry(region, entry, outputs_);
  }
  for (int32_t slot : region.set.outputs)
    if (tensor::TensorImpl* t = std::exchange(slots_[static_cast<size_t>(slot)], nullptr)) settle(t);
  unnamed_.clear();
}

void RegionRecorder::run(RegionEnd& end, const Ending& ending) {
  tensor::writes_are_pending = false;
  compute_inputs(ending.why, ending.line);
  move_inputs_to_device();
  build_key();
  OutputSet& set = end.demanded == demand_everything || !must_store_all() ? *end.stored.load(std::memory_order_acquire)
                                                                          : output_set(end, end.live, function_->grow);
  Entry* entry = set.entries.find(key_);
  RegionCall region{*function_,      cursor_,         end, set, inputs_, key_, device_, ending.why, ending.line,
                    ending.at_break, entry == nullptr};
  if (entry == nullptr) entry = &compile_entry(region);
  run_and_settle(region, *entry);
  if (!std::ranges::includes(set.outputs, end.live)) keep_rest(region, *entry);
}

void RegionRecorder::keep_rest(const RegionCall& region, const Entry& entry) {
  outputs_.clear();
  for (tensor::TensorImpl*& t : slots_)
    if (t != nullptr) outputs_.push_back(std::exchange(t, nullptr));
  recipes_.take().keep(region, entry, inputs_, outputs_);
}

}  // namespace sinter::capture
