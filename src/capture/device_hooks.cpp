// SPDX-License-Identifier: Apache-2.0
#include "src/capture/device_hooks.h"

#include <sinter/error.h>

#include <exception>
#include <optional>
#include <string>

#include "runtime/device/hooks.h"
#include "runtime/device/log.h"
#include "runtime/exec/status.h"
#include "src/capture/scope_pool.h"
#include "src/tensor/impl.h"

namespace sinter::capture {
namespace {

void check_may_break(const RegionRecorder& recorder, const char* why) {
  if (recorder.op_count() == 0 || !recorder.function().options.fullgraph) return;
  throw CompileError({why,
                      "ends a region; fullgraph = true allows no graph break",
                      {},
                      recorder.function().context(),
                      "move it out of the function, or fullgraph = false"});
}

void complete(const char* why) {
  RegionRecorder* recorder = active_recorder();
  if (recorder == nullptr) return;
  check_may_break(*recorder, why);
  recorder->break_completely(why, {});
}

/// The break stores all that is alive, as the memory may change. A destructor cannot throw: what failed is without
/// data.
void read_before_memory_goes(const tensor::TensorImpl* t) noexcept {
  RegionRecorder* recorder = active_recorder();
  if (recorder == nullptr || !recorder->waits_for(t)) return;
  try {
    if (recorder->frozen_into() != nullptr) return recorder->own_input(t);
    recorder->break_region(demand_nothing, "last handle of from_blob", {});
  } catch (const std::exception& error) {
    device::warn(std::string("while reading memory whose last handle is gone: ") + error.what());
  }
}

/// The break demands nothing: memory that may change makes it store all that is alive.
void read_before_exposure(const tensor::Storage& storage) {
  RegionRecorder* recorder = active_recorder();
  if (recorder == nullptr || !recorder->reads(storage)) return;
  check_may_break(*recorder, "data_ptr");
  recorder->break_region(demand_nothing, "data_ptr", {});
}

void compute_before_read(const tensor::TensorImpl& t) {
  RegionRecorder* recorder = active_recorder();
  if (recorder == nullptr || !recorder->writes(t)) return;
  check_may_break(*recorder, "in-place op");
  recorder->break_region(demand_nothing, "in-place op", {});
}

}  // namespace

void install_device_hooks() {
  device::Hooks& hooks = device::hooks();
  hooks.before_stream_change = [](Device) { complete("stream change"); };
  hooks.before_synchronize = [](Device) { complete("synchronize"); };
  hooks.after_synchronize = [](Device device, std::optional<void*> stream) {
    exec::check_pending_status(device, stream);
  };
  tensor::before_exposure = read_before_exposure;
  tensor::before_read = compute_before_read;
  tensor::is_recording = [] { return active_recorder() != nullptr; };
  tensor::before_memory_goes = read_before_memory_goes;
}

}  // namespace sinter::capture
