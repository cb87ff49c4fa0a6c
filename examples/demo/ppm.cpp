// SPDX-License-Identifier: Apache-2.0
#include "ppm.h"

#include <fstream>
#include <stdexcept>
#include <string>

namespace demo {

Picture read_ppm(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  std::string magic;
  Picture p;
  int most = 0;
  constexpr int64_t limit = 1 << 16;
  if (!(in >> magic >> p.width >> p.height >> most) || magic != "P6" || most != 255 || p.width < 1 || p.height < 1 ||
      p.width > limit || p.height > limit)
    throw std::runtime_error(path.string() + ": not a binary PPM picture (P6 without comments, maximum 255)");
  in.get();  // the one white space before the pixels
  p.pixels.resize(static_cast<size_t>(p.width * p.height * 3));
  if (!in.read(reinterpret_cast<char*>(p.pixels.data()), static_cast<std::streamsize>(p.pixels.size())))
    throw std::runtime_error(path.string() + ": ends before its last pixel");
  return p;
}

void write_ppm(const std::filesystem::path& path, const Picture& picture) {
  std::ofstream out(path, std::ios::binary);
  out << "P6\n" << picture.width << ' ' << picture.height << "\n255\n";
  out.write(reinterpret_cast<const char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace demo
