// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; SC 2011): ten rounds of
// 32-bit multiplications turn a counter of four words and a key of two into four random words.

namespace sinter::ops {

inline constexpr uint32_t philox_multipliers[] = {0xD2511F53u, 0xCD9E8D57u};
inline constexpr uint32_t philox_weyl[] = {0x9E3779B9u, 0xBB67AE85u};
inline constexpr int philox_rounds = 10;

using PhiloxWords = std::array<uint32_t, 4>;

constexpr PhiloxWords philox(PhiloxWords c, std::array<uint32_t, 2> key) {
  for (int round = 0; round < philox_rounds; ++round) {
    const uint64_t a = uint64_t{philox_multipliers[0]} * c[0], b = uint64_t{philox_multipliers[1]} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + philox_weyl[0], key[1] + philox_weyl[1]};
  }
  return c;
}

}  // namespace sinter::ops
