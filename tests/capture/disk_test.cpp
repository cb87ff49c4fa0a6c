// SPDX-License-Identifier: Apache-2.0
// The cache on disk, seen from other processes.
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/cache/folder.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string result;
  int compilations = -1, disk_hits = -1, llvm = -1;
};

/// Runs the helper with the cache in `folder`.
Outcome run_helper(const fs::path& folder) {
  const std::string command = "SINTER_CACHE_DIR='" + folder.string() + "' '" SINTER_CACHE_USER "' 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> line{};
  const bool read = std::fgets(line.data(), line.size(), pipe) != nullptr;
  const int status = pclose(pipe);
  EXPECT_TRUE(read && status == 0) << "status " << status << ": " << line.data();
  Outcome o;
  std::array<char, 64> result{};
  EXPECT_EQ(std::sscanf(line.data(), "%63s %d %d %d", result.data(), &o.compilations, &o.disk_hits, &o.llvm), 4)
      << line.data();
  o.result = result.data();
  return o;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& e : fs::recursive_directory_iterator(folder))
    if (e.is_regular_file()) files.push_back(e.path());
  return files;
}

TEST(Disk, ASecondProcessNeedsNoCompiler) {
  const cache::TemporaryFolder folder;
  const Outcome first = run_helper(folder.path()), second = run_helper(folder.path());
  EXPECT_EQ(first.disk_hits, 0);
  EXPECT_EQ(first.llvm, 1);
  EXPECT_EQ(second.compilations, 1);
  EXPECT_EQ(second.disk_hits, 1);
  EXPECT_EQ(second.llvm, 0);
  EXPECT_EQ(second.result, first.result);
}

TEST(Disk, DamagedFilesAreCompiledAgainAndRepaired) {
  const cache::TemporaryFolder folder;
  const Outcome first = run_helper(folder.path());
  const auto files = files_in(folder.path());
  ASSERT_FALSE(files.empty());
  for (const fs::path& damaged : files)
    for (int kind = 0; kind < 3; ++kind) {
      const auto size = fs::file_size(damaged);
      if (kind == 0) fs::resize_file(damaged, size / 2);
      if (kind == 1) fs::resize_file(damaged, 0);
      if (kind == 2) {
        std::fstream f(damaged, std::ios::in | std::ios::out | std::ios::binary);
        f.seekp(static_cast<std::streamoff>(size - 5));
        f.put('\x5a').put('\x5b').put('\x5c');
      }
      const Outcome again = run_helper(folder.path());
      EXPECT_EQ(again.result, first.result) << damaged << kind;
      EXPECT_EQ(again.disk_hits, 0) << damaged << kind;
      EXPECT_EQ(run_helper(folder.path()).disk_hits, 1) << damaged << kind;
    }
}

TEST(Disk, APlaceThatCannotBeWrittenIsNoError) {
  const cache::TemporaryFolder folder;
  const fs::path file = folder.path() / "a_file";
  std::ofstream(file) << "not a folder";
  const Outcome first = run_helper(folder.path() / "fresh");
  EXPECT_EQ(run_helper(file / "below").result, first.result);
  EXPECT_EQ(run_helper("/proc/no_such_folder").result, first.result);
}

}  // namespace
}  // namespace sinter::test
