// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::compiler {

/// Adds the provider of sorts on CUDA, once; its kernels are compiled when they are needed first.
void register_cuda_sort();

}  // namespace sinter::compiler
