// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/tensor.h>

#include <cstdint>
#include <optional>

// Exchange of tensors with other libraries without a copy, by the structs of DLPack (https://dmlc.github.io/dlpack):
// the versioned ones of 1.x, and those from before. Include dlpack.h of your own to look inside; here they are declared
// only.

struct DLManagedTensor;
struct DLManagedTensorVersioned;

#pragma GCC visibility push(default)
namespace sinter {

struct DlpackExport {
  /// The stream on which the consumer will use a CUDA tensor, as Python's array API numbers them: 1 is the legacy
  /// default stream, 2 the per-thread default stream, anything larger a native handle. That stream then waits for the
  /// current one. Without a number it is the legacy default stream; with -1 the consumer synchronises by itself. 0 is
  /// refused (it could mean either default), and any number but -1 for a CPU tensor.
  std::optional<int64_t> stream = {};
};

/// A description of `t` that shares its memory: the consumer calls its deleter once it is done, until then the memory
/// lives. Computes a pending tensor, and ends the region if that reads or writes this memory: from here on it may
/// change at any time, as after data_ptr(). The read-only flag is that of an imported tensor. UserError for an
/// undefined tensor and for streams as above; the older form, which has no flags, refuses read-only memory as well.
DLManagedTensorVersioned* to_dlpack(const Tensor& t, DlpackExport options = {},
                                    SourceLine line = SourceLine::current());
DLManagedTensor* to_dlpack_legacy(const Tensor& t, DlpackExport options = {}, SourceLine line = SourceLine::current());

/// A tensor in the memory of another library: on the CPU (CUDA page-locked host memory counts as such) or on CUDA
/// (managed memory too). `managed` belongs to the tensor from here on: its deleter runs when the last handle, and the
/// last view of it, is gone. Strides may be absent, zero (for reading) or negative. The contents must be ready in the
/// order of the current stream. Writing to memory that is flagged read-only is a UserError.
///
/// UserError, and `managed` stays the caller's, for another major version, device or dtype (floats of 8 bits and less,
/// complex numbers, several lanes, opaque handles), more than 8 dims, and what from_blob() refuses.
Tensor from_dlpack(DLManagedTensorVersioned* managed, SourceLine line = SourceLine::current());
Tensor from_dlpack(DLManagedTensor* managed, SourceLine line = SourceLine::current());

}  // namespace sinter
#pragma GCC visibility pop
