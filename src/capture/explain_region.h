// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/explain.h>

#include "src/capture/entries.h"

namespace sinter::capture {

/// Where this thread's explanation is collected, or nullptr.
Explanation* listening();
/// Sets where it is collected (nullptr: nowhere) and returns where it was.
Explanation* exchange_listening(Explanation* to);

/// Appends what is known about a region that just ran.
void explain_region(Explanation& to, const RegionCall& region, const Entry& entry);

}  // namespace sinter::capture
