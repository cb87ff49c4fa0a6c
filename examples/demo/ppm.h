// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace demo {

/// 8-bit RGB, rows from the top, three bytes a pixel.
struct Picture {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;
};

/// A binary PPM (P6, at most 255). Throws std::runtime_error for another file.
Picture read_ppm(const std::filesystem::path& path);
void write_ppm(const std::filesystem::path& path, const Picture& picture);

}  // namespace demo
