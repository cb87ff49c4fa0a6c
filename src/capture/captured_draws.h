// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::capture {

/// Queues, behind the kernels of a region that just ended, what advances the offsets in device memory by the random
/// draws of this thread under capture; every replay then draws other numbers. Does nothing outside captures.
void advance_captured_draws();

}  // namespace sinter::capture
