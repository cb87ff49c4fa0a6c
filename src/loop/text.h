// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "src/loop/program.h"

namespace sinter::loop {

// Words of the text form.
inline constexpr std::string_view reduce_kind_names[] = {"sum", "prod", "amax", "amin"};
inline constexpr std::string_view role_names[] = {"input", "output", "temporary"};

/// Do instructions of this scalar op carry a dtype?
bool has_attribute(ScalarOp op);

}  // namespace sinter::loop
