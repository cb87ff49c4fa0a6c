// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sinter::cuda {

/// The parts of the prelude that `body` names (identifiers that start with sn_), with what they need, in order.
/// Generated text includes no header: these few functions are all it stands on. Every use of inline PTX has a host twin
/// behind SINTER_HOST, so the same text runs as C++ in the emulator.
std::string prelude_for(std::string_view body);

}  // namespace sinter::cuda
