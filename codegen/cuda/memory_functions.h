// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sinter::cuda {

/// The device function behind a name of this grammar, complete; empty for other names.
///
///     sn_load[_nc][_if]_<bytes>   nc: memory the kernel does not write. if: takes a condition, and the words to give
///                                 where it is false
///     sn_store_<bytes>
///
/// <bytes> is 1, 2, 4, 8 or 16: one instruction, naturally aligned. Loads and stores keep their order among each other.
std::string memory_function(std::string_view name);

}  // namespace sinter::cuda
