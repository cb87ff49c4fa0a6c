// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::capture {

/// Tells the runtime what recording and running regions need to know: a change of stream or a synchronisation ends this
/// thread's region, so does handing out the address of memory that the region reads, and after a synchronisation failed
/// index checks are reported.
void install_device_hooks();

}  // namespace sinter::capture
