// SPDX-License-Identifier: Apache-2.0
#include "src/capture/device_hooks.h"

#include <sinter/error.h>

#include "runtime/device/hooks.h"
#include "runtime/exec/status.h"
#include "src/capture/scope_pool.h"

namespace sinter::capture {
namespace {

void complete(const char* why) {
  RegionRecorder* recorder = active_recorder();
  if (recorder == nullptr) return;
  if (recorder->op_count() > 0 && recorder->function().options.fullgraph)
    throw CompileError({why,
                        "ends a region; fullgraph = true allows no graph break",
                        {},
                        recorder->function().context(),
                        "move it out of the function, or fullgraph = false"});
  recorder->break_completely(why, {});
}

}  // namespace

void install_device_hooks() {
  device::Hooks& hooks = device::hooks();
  hooks.before_stream_change = [](Device) { complete("stream change"); };
  hooks.before_synchronize = [](Device) { complete("synchronize"); };
  hooks.after_synchronize = [](Device device) { exec::check_pending_status(device); };
}

}  // namespace sinter::capture
