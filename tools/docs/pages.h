// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace sinter::docs {

/// docs/ops.md: every op of the registry, with the header of `root`/include that declares its function.
std::string ops_page(const std::filesystem::path& root);

/// docs/environment.md
std::string environment_page();

}  // namespace sinter::docs
