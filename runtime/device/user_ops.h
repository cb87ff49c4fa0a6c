// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sinter::device {

/// A user's own op queued work on a CUDA device. If a kernel faults the device says so much later and names nobody.
void note_user_op(const std::string& name);
/// "blur, mix": all that were noted in this process, sorted.
std::string launched_user_ops();

}  // namespace sinter::device
