// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace sinter::cuda {

struct PreludePart {
  std::string_view name;  ///< identifier that pulls it in
  std::string_view text;
};

/// All parts, each after those it uses.
std::span<const PreludePart> prelude_parts();

/// Those for shuffles, barriers, atomics and meetings of blocks: the last of them.
std::span<const PreludePart> parts_between_threads();

}  // namespace sinter::cuda
