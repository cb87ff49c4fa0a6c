// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/kernel_store.h"

#include <fmt/format.h>

#include <exception>

#include "runtime/cache/hash.h"

namespace sinter::cache {

namespace {

/// The key of an image: it has no meaning but its content, of which this is as good as all.
std::string image_key(std::string_view image) { return fmt::format("{} {}", hash128(image).hex(), image.size()); }

}  // namespace

// A kernel's payload is "<key of its image>\n<entry>".

std::optional<Kernel> load_kernel(DiskCache& cache, std::string_view key) noexcept {
  try {
    const std::optional<std::string> found = cache.load(Kind::kernel, key);
    if (!found) return std::nullopt;
    const size_t line_end = found->find('\n');
    if (line_end == std::string::npos) return std::nullopt;
    const std::string where = found->substr(0, line_end);
    std::optional<std::string> image = cache.load(Kind::image, where);
    if (!image || image_key(*image) != where) return std::nullopt;
    return Kernel{std::move(*image), found->substr(line_end + 1)};
  } catch (const std::exception&) {  // no memory: the caller compiles
    return std::nullopt;
  }
}

bool store_kernel(DiskCache& cache, std::string_view key, std::string_view image, std::string_view entry) noexcept {
  try {
    const std::string where = image_key(image);
    // The image first: whoever finds the kernel must find it.
    if (!cache.holds(Kind::image, where, image) && !cache.store(Kind::image, where, image)) return false;
    return cache.store(Kind::kernel, key, fmt::format("{}\n{}", where, entry));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace sinter::cache
