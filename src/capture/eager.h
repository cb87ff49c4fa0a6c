// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::capture {

/// Makes ops outside compile() run at once: each call is a region of one op of a process-wide function whose entries
/// are symbolic from the start, so that a new shape never recompiles. Idempotent.
void register_eager_recorder();

}  // namespace sinter::capture
