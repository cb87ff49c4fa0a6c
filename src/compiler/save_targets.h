// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/saved/target.h"

namespace sinter::compiler {

/// A machine to make code for, whether it is here or not.
struct SaveTarget {
  saved::Target target;
  device::Properties properties;
};

/// The targets of names as SaveOptions has them; none: the device that the arguments are on. UserError for a name that
/// is unknown or that this build has no code generator for.
std::vector<SaveTarget> save_targets(const std::vector<std::string>& names, Device arguments);

}  // namespace sinter::compiler
