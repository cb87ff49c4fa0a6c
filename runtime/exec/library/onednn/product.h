// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/exec/library/gemm.h"
#include "runtime/exec/library/provider.h"

namespace sinter::exec::onednn {

/// A gemm as a matmul primitive; nullptr if the library has none for these dtypes on this machine.
std::shared_ptr<const PreparedCall> make_product(const Gemm& gemm);

}  // namespace sinter::exec::onednn
