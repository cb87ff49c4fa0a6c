// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/golden.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace sinter::golden {
namespace {

struct FloatFormat {
  int bits, mantissa;
};

FloatFormat format_of(DType t) {
  if (t == f16) return {16, 10};
  if (t == bf16) return {16, 7};
  return t == f32 ? FloatFormat{32, 23} : FloatFormat{64, 52};
}

/// A place on a line on which neighbouring values are one apart and both zeros are 0.
int64_t place(FloatFormat f, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (f.bits - 1);
  return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}

bool is_nan(FloatFormat f, uint64_t bits) {
  const uint64_t magnitude = bits & ((uint64_t{1} << (f.bits - 1)) - 1);
  const uint64_t infinity = ((uint64_t{1} << (f.bits - 1 - f.mantissa)) - 1) << f.mantissa;
  return magnitude > infinity;
}

}  // namespace

std::vector<std::vector<std::string>> read(std::string_view name) {
  const std::string path = fmt::format("{}/tests/golden/{}.txt", SINTER_SOURCE_DIR, name);
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    for (std::string word; words >> word;) lines.back().push_back(word);
  }
  return lines;
}

std::vector<int64_t> integers(std::string_view text) {
  std::vector<int64_t> result;
  if (text == "scalar" || text == "all") return result;
  std::istringstream parts{std::string(text)};
  for (std::string part; std::getline(parts, part, ',');) result.push_back(std::stoll(part));
  return result;
}

uint64_t bits(const std::string& hexadecimal) { return std::strtoull(hexadecimal.c_str(), nullptr, 16); }

bool close(DType dtype, uint64_t expected, uint64_t got, int64_t ulps, bool zeros_alike) {
  if (expected == got) return true;
  if (!dtype.is_floating()) return false;
  const FloatFormat f = format_of(dtype);
  if (is_nan(f, expected) || is_nan(f, got)) return is_nan(f, expected) && is_nan(f, got);
  const int64_t a = place(f, expected), b = place(f, got);
  const auto distance =
      a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b) : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  if (distance == 0) return zeros_alike;
  return distance <= static_cast<uint64_t>(ulps);
}

}  // namespace sinter::golden
