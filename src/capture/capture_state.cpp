// SPDX-License-Identifier: Apache-2.0
#include "src/capture/capture_state.h"

#include <algorithm>

#include "runtime/saved/constants.h"
#include "src/capture/eager.h"
#include "src/capture/scope_pool.h"

namespace sinter::capture {
namespace {

using Kind = saved::TensorSource::Kind;

CapturedHandles& begin_handles(const Function& f, const ArgumentLeaves& a, Capture::Purpose p) {
  register_eager_recorder();
  CapturedHandles& handles = CapturedHandles::take();
  handles.begin(f, p == Capture::Purpose::save ? FrozenUse::save : FrozenUse::skip, a.tensors.all());
  return handles;
}

}  // namespace

CaptureState::CaptureState(Function& f, const ArgumentLeaves& a, Capture::Purpose p)
    : function(f), arguments(a), purpose(p), handles(begin_handles(f, a, p)), recorder(activate(f)) {
  recorder.freeze_into(handles);
  if (purpose != Capture::Purpose::call) apart.emplace();
}

void CaptureState::read_results(std::span<Tensor* const> tensors) {
  const auto owner = [](const Tensor& t) { return t.impl()->pending.load(std::memory_order_acquire); };
  for (const Tensor* t : tensors)
    if (t->defined() && owner(*t) == &recorder) wanted.push_back(t->impl()->slot);
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (const Tensor* t : tensors) {
    if (!t->defined()) {
      results.push_back({Kind::undefined});
    } else if (owner(*t) == &recorder) {
      const auto at = std::ranges::lower_bound(wanted, t->impl()->slot) - wanted.begin();
      results.push_back({Kind::output, static_cast<int32_t>(at)});
    } else if (owner(*t) == &handles) {
      results.push_back({Kind::argument, static_cast<int32_t>(CapturedHandles::placeholder_number(*t->impl()))});
    } else {
      tensor::computed(*t, "return");
      results.push_back({Kind::constant, -1, *t});
    }
  }
}

FrozenRegion CaptureState::end(bool compiles, bool runs) {
  ended = true;
  apart.reset();
  try {
    FrozenRegion region = recorder.freeze(wanted, compiles, runs);
    deactivate();
    reads = handles.reads();
    handles.close();
    return region;
  } catch (...) {
    deactivate();
    handles.close();
    throw;
  }
}

void own_constants(std::vector<Tensor>& constants) {
  for (Tensor& t : constants)
    if (t.impl()->storage->may_change()) t = saved::copy_reach(t, t.device());
}

}  // namespace sinter::capture
