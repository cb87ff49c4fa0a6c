// SPDX-License-Identifier: Apache-2.0
// docs_pages [--check] <root of the repository>: writes the generated pages of docs/, or says which are not up to date.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tools/docs/pages.h"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int run(const std::filesystem::path& root, bool check) {
  int stale = 0;
  for (const auto& [name, page] : {std::pair{"docs/ops.md", sinter::docs::ops_page(root)},
                                   std::pair{"docs/environment.md", sinter::docs::environment_page()}}) {
    if (!check) {
      std::ofstream(root / name, std::ios::binary) << page;
    } else if (read(root / name) != page) {
      std::fprintf(stderr, "%s is not what its sources say: run ./bootstrap docs\n", name);
      ++stale;
    }
  }
  return stale == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::fprintf(stderr, "usage: docs_pages [--check] <root of the repository>\n");
    return 2;
  }
  try {
    return run(argv[argc - 1], check);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "docs_pages: %s\n", error.what());
    return 2;
  }
}
