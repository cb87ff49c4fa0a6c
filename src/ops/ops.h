// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::ops {

/// Registers every op of the library, in a fixed order. Idempotent and thread safe; the public functions call it by
/// themselves, so only code that looks ops up by name or walks the registry needs to.
void register_all_ops();

}  // namespace sinter::ops
