// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "src/capture/entries.h"

namespace sinter::capture {

/// Runs an entry: fills the outputs, counts, and reports to explain() when it listens on this thread.
void run_entry(const RegionCall& region, Entry& entry, std::span<tensor::TensorImpl* const> outputs);

}  // namespace sinter::capture
