// SPDX-License-Identifier: Apache-2.0
// The recorder's other half: what happens where a region ends.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "src/capture/region_recorder.h"
#include "src/capture/region_run.h"

namespace sinter::capture {
namespace {

/// The handle has its data, or will never get it. The last reference may have died on another thread meanwhile.
void complete(tensor::TensorImpl* t) noexcept {
  if (t->pending.exchange(nullptr, std::memory_order_acq_rel) == tensor::abandoned()) tensor::recycle(t);
}

}  // namespace

void RegionRecorder::compute(tensor::TensorImpl& t, const char* why, SourceLine line) {
  check_thread(why, line);
  if (function_->options.fullgraph)
    throw CompileError(
        {why,
         fmt::format("reads {} on the host; fullgraph = true allows no graph break",
                     fmt::format("{} {}", dtype(t).name(), shape(t).text())),
         line, function_->context(),
         "where(p, a, b) keeps one graph; or fullgraph = false (one more launch and a synchronisation)"});
  break_region(t.slot, why, line);
}

void RegionRecorder::break_region(int32_t demanded, const char* why, SourceLine line) {
  if (depth_ == 0) return;
  function_->counters.breaks.fetch_add(1, std::memory_order_relaxed);
  end_region(demanded, why, line);
}

void RegionRecorder::break_completely(const char* why, SourceLine line) {
  if (depth_ > 0) function_->counters.breaks.fetch_add(1, std::memory_order_relaxed);
  end_call(why, line);
}

void RegionRecorder::end_call(const char* why, SourceLine line) {
  std::exception_ptr failure;
  try {
    end_region(demand_everything, why, line);
  } catch (...) {
    if (recipes_.empty()) throw;
    failure = std::current_exception();
  }
  if (recipes_.empty()) return;
  try {
    recipes_.finish(why, line);
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
}

void RegionRecorder::abandon() noexcept {
  for (tensor::TensorImpl* t : slots_)
    if (t != nullptr) {
      t->storage.reset();  // a run that failed may have set it
      complete(t);
    }
  slots_.clear();
  inputs_.clear();
}

void RegionRecorder::build_key() {
  key_.clear();
  append_inputs(key_, inputs_);
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
      static_cast<Recipe*>(owner)->compute(together, why, line);
    }
    tensor::computed(input, why, line);
  }
}

void RegionRecorder::move_inputs_to_device() {
  if (device_.is_cpu()) return;
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

void RegionRecorder::end_region(int32_t demanded, const char* why, SourceLine line) {
  if (depth_ == 0) return;
  find_live();
  RegionEnd& end = end_at(*cursor_, live_, demanded, function_->grow);
  try {
    if (!live_.empty()) run(end, why, line);
  } catch (const UserError& e) {
    abandon();
    start_region(&end.continuation);
    throw function_->with_context(e);
  } catch (...) {
    abandon();
    start_region(&end.continuation);
    throw;
  }
  start_region(&end.continuation);
}

bool RegionRecorder::inputs_may_change() const {
  return std::ranges::any_of(inputs_, [](const Tensor& t) { return t.impl()->storage->may_change(); });
}

void RegionRecorder::run(RegionEnd& end, const char* why, SourceLine line) {
  compute_inputs(why, line);
  move_inputs_to_device();
  build_key();
  OutputSet& set = end.demanded == demand_everything || !inputs_may_change()
                       ? *end.stored.load(std::memory_order_acquire)
                       : output_set(end, end.live, function_->grow);
  Entry* entry = set.entries.find(key_);
  RegionCall region{*function_, cursor_, end, set, inputs_, key_, device_, why, line, entry == nullptr};
  if (entry == nullptr) entry = &compile_entry(region);
  outputs_.clear();
  for (int32_t slot : set.outputs) outputs_.push_back(slots_[static_cast<size_t>(slot)]);
  run_entry(region, *entry, outputs_);
  for (int32_t slot : set.outputs) complete(std::exchange(slots_[static_cast<size_t>(slot)], nullptr));
  if (set.outputs.size() < end.live.size()) keep_rest(region, *entry);
}

void RegionRecorder::keep_rest(const RegionCall& region, const Entry& entry) {
  outputs_.clear();
  for (tensor::TensorImpl*& t : slots_)
    if (t != nullptr) outputs_.push_back(std::exchange(t, nullptr));
  recipes_.take().keep(region, entry, inputs_, outputs_);
}

}  // namespace sinter::capture
