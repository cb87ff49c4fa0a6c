// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sinter::cache {

/// A 128-bit hash of bytes.
struct Hash128 {
  uint64_t high = 0, low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  /// 32 hexadecimal digits.
  std::string hex() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(32, '0');
    for (int i = 0; i < 16; ++i) {
      text[static_cast<size_t>(15 - i)] = digits[high >> (4 * i) & 15];
      text[static_cast<size_t>(31 - i)] = digits[low >> (4 * i) & 15];
    }
    return text;
  }
};

namespace hash_internal {

inline uint64_t load(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
  return v;
}

constexpr uint64_t mix(uint64_t k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdull;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}

}  // namespace hash_internal

/// MurmurHash3_x64_128 (Austin Appleby, public domain) with seed 0: equal on every machine, good at telling texts
/// apart, no defence against somebody who looks for collisions. What is found under a hash is therefore compared in
/// full.
inline Hash128 hash128(std::string_view bytes) {
  using hash_internal::load;
  constexpr uint64_t c1 = 0x87c37b91114253d5ull, c2 = 0x4cf5ad432745937full;
  uint64_t h1 = 0, h2 = 0;
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 16; p += 16, left -= 16) {
    h1 ^= std::rotl(load(p) * c1, 31) * c2;
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= std::rotl(load(p + 8) * c2, 33) * c1;
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 0) {
    std::array<char, 16> tail{};
    std::memcpy(tail.data(), p, left);
    h2 ^= std::rotl(load(tail.data() + 8) * c2, 33) * c1;
    h1 ^= std::rotl(load(tail.data()) * c1, 31) * c2;
  }
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = hash_internal::mix(h1);
  h2 = hash_internal::mix(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

}  // namespace sinter::cache
