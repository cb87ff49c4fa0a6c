// SPDX-License-Identifier: Apache-2.0
// The recorder's third part: regions whose host code will not run again.
#include <fmt/format.h>

#include <utility>

#include "runtime/saved/constants.h"
#include "src/capture/region_recorder.h"
#include "src/capture/region_run.h"

namespace sinter::capture {

void RegionRecorder::refuse_break(const char* why, SourceLine line) const {
  if (frozen_ != nullptr) frozen_->refuse(why, "a graph break: more than one region", line);
}

/// What a call draws it draws from the generator of its device, whose state is the op's last operand.
void RegionRecorder::note_draw(const graph::Call& call) const {
  for (size_t i = 0; i < call.attributes->values().size(); ++i)
    if (call.attributes->is_varying(i)) frozen_->note_draw(*call.operands.back());
}

/// Whatever is alive will never be computed.
void RegionRecorder::poison_rest() noexcept {
  const auto path = path_to(cursor_);
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i] == nullptr) continue;
    frozen_->poison(std::exchange(slots_[i], nullptr), fmt::format("[{}] {}", path[i]->op->name, path[i]->line.text()));
  }
}

FrozenRegion RegionRecorder::freeze(std::span<const int32_t> wanted, bool compiles, bool runs) {
  const Busy busy(*this);
  FrozenRegion region{cursor_, nullptr, nullptr, nullptr, {wanted.begin(), wanted.end()}, {}, {}, {}, {}, {}, device_};
  try {
    compute_inputs("end of function", {});
    for (const Tensor& t : inputs_) {
      region.arguments.push_back(frozen_->argument_of(t.impl()));
      region.moved.push_back(t.impl()->device != device_);
      region.generator.push_back(frozen_->is_generator(t.impl()));
      if (region.generator.back() && region.moved.back())
        frozen_->refuse("random numbers", fmt::format("drawn on {}, used on {}", t.device().text(), device_.text()),
                        {});
    }
    move_inputs_to_device();
    build_key();
    region.inputs = inputs_;
    region.key.assign(key_.begin(), key_.end());
    if (compiles && !wanted.empty()) {
      region.end = &end_at(*cursor_, wanted, demand_everything, {}, function_->grow);
      region.set = region.end->stored.load(std::memory_order_acquire);
      region.entry = region.set->entries.find(key_);
      RegionCall call{*function_,
                      cursor_,
                      *region.end,
                      *region.set,
                      inputs_,
                      key_,
                      device_,
                      "end of function",
                      {},
                      false,
                      region.entry == nullptr};
      call.compiles = runs;
      if (region.entry == nullptr) region.entry = &compile_entry(call);
      if (runs) run_and_settle(call, *region.entry);
    }
  } catch (const UserError& e) {
    abandon_frozen();
    throw function_->with_context(e);
  } catch (...) {
    abandon_frozen();
    throw;
  }
  poison_rest();
  start_region(&function_->root);
  return region;
}

void RegionRecorder::own_input(const tensor::TensorImpl* t) {
  const Busy busy(*this);
  for (Tensor& input : inputs_)
    if (input.impl() == t) input = saved::copy_reach(input, input.device());
}

void RegionRecorder::abandon_frozen() noexcept {
  poison_rest();
  start_region(&function_->root);
}

}  // namespace sinter::capture
