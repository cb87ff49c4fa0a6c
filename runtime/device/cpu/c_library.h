// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sinter::device::cpu {

/// Address of a function that compiled CPU kernels may call, or nullptr. The list is fixed: what compilers call on
/// their own (memcpy and the like), the mathematical functions of the C library, and what programs that wait call.
void* c_library_function(std::string_view name);

}  // namespace sinter::device::cpu
