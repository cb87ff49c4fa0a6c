// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "src/loop/builder.h"

namespace sinter::ops {

/// The bits with which an element of dtype `dtype` is stored, as u32, or u64 for 8 bytes. They are exact, but for the
/// payload of a NaN in f16, which a load already may have changed.
loop::Value storage_bits(loop::Builder& b, loop::Value element, DType dtype);

/// The element of dtype `dtype` that is stored as `bits` (u32 or u64, zero above the dtype's width). Any bits but zero
/// are true.
loop::Value from_storage_bits(loop::Builder& b, loop::Value bits, DType dtype);

}  // namespace sinter::ops
