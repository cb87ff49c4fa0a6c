// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/capture/region_recorder.h"

namespace sinter::capture {

/// The recorder that receives this thread's op calls, or nullptr outside compiled functions.
RegionRecorder* active_recorder();
/// This thread's recorder, active or not; nullptr before its first use.
extern constinit thread_local RegionRecorder* own_recorder;
/// Makes this thread's reusable recorder receive op calls for `function`, until deactivate().
RegionRecorder& activate(Function& function);
void deactivate();

}  // namespace sinter::capture
