// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/saved/file.h"

namespace sinter::saved {

/// The executable of the program that fits a device best; of those for inputs at any address unless `aligned`. If the
/// code of a target cannot be loaded the next is tried; source needs NVRTC. DeviceError with what was tried.
std::shared_ptr<const exec::Executable> load_program(const File& file, const SavedCall& call, bool aligned,
                                                     Device device, const std::string& path);

/// The targets of the call's programs.
std::vector<Target> targets_of(const File& file, const SavedCall& call);

}  // namespace sinter::saved
