// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/exec/library/convolution_call.h"
#include "runtime/exec/library/provider.h"

namespace sinter::exec::onednn {

/// A convolution with its bias, without activation. Weights are brought into the layout that the primitive likes on
/// every run. nullptr if the library has none for this machine.
std::shared_ptr<const PreparedCall> make_convolution(const ConvolutionCall& call);

}  // namespace sinter::exec::onednn
