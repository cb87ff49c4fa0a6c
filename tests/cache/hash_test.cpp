// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace sinter::cache {
namespace {

// SMHasher's verification of MurmurHash3_x64_128 uses seeds; with seed 0 these are the published values.
TEST(Hash128, GivesThePublishedValues) {
  EXPECT_EQ(hash128("").hex(), "00000000000000000000000000000000");
  EXPECT_EQ(hash128("hello").hex(), "cbd8a7b341bd9b025b1e906a48ae1d19");
  EXPECT_EQ(hash128("hello, world").hex(), "342fac623a5ebc8e4cdcbc079642414d");
  EXPECT_EQ(hash128("19 Jan 2038 at 3:14:07 AM").hex(), "b89e5988b737affc664fc2950231b2cb");
  EXPECT_EQ(hash128("The quick brown fox jumps over the lazy dog.").hex(), "cd99481f9ee902c9695da1a38987b6e7");
}

TEST(Hash128, EveryBitAndLengthCounts) {
  std::set<Hash128> seen;
  for (size_t length = 0; length < 80; ++length) {
    std::string text(length, '\0');
    EXPECT_TRUE(seen.insert(hash128(text)).second) << length << " zeros";
    for (size_t bit = 0; bit < length * 8; ++bit) {
      text[bit / 8] = static_cast<char>(1 << bit % 8);
      EXPECT_TRUE(seen.insert(hash128(text)).second) << "bit " << bit << " of " << length;
      text[bit / 8] = 0;
    }
  }
}

}  // namespace
}  // namespace sinter::cache
