// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinter::compiler {

/// Adds the provider of ordered sums of rows on CUDA, once.
void register_cuda_fold();

}  // namespace sinter::compiler
