// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/exec/library/provider.h"

namespace sinter::exec {

/// CUDA's providers, in the order in which they are asked (runtime/exec/library/cuda); none in a build without CUDA.
std::vector<std::unique_ptr<Provider>> cuda_providers();

// Each is nullptr in a build without that library's headers; whether the library itself is there, the provider finds
// out.
std::unique_ptr<Provider> make_cublaslt_provider();
std::unique_ptr<Provider> make_cudnn_provider();
std::unique_ptr<Provider> make_onednn_convolution_provider();
std::unique_ptr<Provider> make_onednn_provider();

std::unique_ptr<Provider> make_host_sort_provider();
std::unique_ptr<Provider> make_host_fold_provider();

}  // namespace sinter::exec
