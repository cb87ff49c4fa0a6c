// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/cache/disk_cache.h"

namespace sinter::cache {

/// A compiled kernel: the image it is in (a cubin, a relocatable object) and its name there.
struct Kernel {
  std::string image;
  std::string entry;
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// Looks a kernel up by key. A kernel whose image has gone is a miss.
std::optional<Kernel> load_kernel(DiskCache& cache, std::string_view key) noexcept;

/// Stores a kernel. Many kernels may be in one image, which is stored once, under its own content.
bool store_kernel(DiskCache& cache, std::string_view key, std::string_view image, std::string_view entry) noexcept;

}  // namespace sinter::cache
