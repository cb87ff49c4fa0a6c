// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "tests/cache/folder.h"
#include "tests/capture/support.h"

namespace sinter::test {

/// A path of its own for a saved function.
class SavedFile {
 public:
  std::string path() const { return (folder_.path() / "function.sinter").string(); }
  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

 private:
  cache::TemporaryFolder folder_;
};

}  // namespace sinter::test
