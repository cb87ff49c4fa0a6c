// SPDX-License-Identifier: Apache-2.0
#include "tests/capture/support.h"

#include <cstdlib>
#include <numeric>

#include "tests/cache/folder.h"

namespace sinter::test {
namespace {

/// Whatever earlier runs left in the user's cache must not decide what is compiled here.
struct PrivateCache {
  cache::TemporaryFolder folder;
  PrivateCache() { setenv("SINTER_CACHE_DIR", folder.path().c_str(), 1); }
};
const PrivateCache private_cache;

}  // namespace

Tensor counting(const Dims& shape) {
  std::vector<float> values(static_cast<size_t>(shape.product()));
  std::iota(values.begin(), values.end(), 0.0f);
  return from<float>(values, shape);
}

}  // namespace sinter::test
