// SPDX-License-Identifier: Apache-2.0
// Whole processes that share a cache while others die, the disk is full or its files are damaged: the result is right.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "runtime/cache/files.h"
#include "tests/cache/folder.h"
#include "tests/capture/support.h"

namespace sinter::test {
namespace {

namespace fs = std::filesystem;

/// A run of the helper that has begun.
struct Running {
  pid_t process = -1;
  int output = -1;
};

/// Files may grow to `file_limit` bytes.
Running start_helper(const fs::path& folder, rlim_t file_limit = RLIM_INFINITY) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{file_limit, file_limit};
    if (file_limit != RLIM_INFINITY) setrlimit(RLIMIT_FSIZE, &limit);
    setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
    execl(SINTER_CACHE_USER, SINTER_CACHE_USER, nullptr);
    _exit(127);
  }
  close(ends[1]);
  return {child, ends[0]};
}

/// What it computed, or how it ended.
std::string result_of(const Running& r) {
  std::string text;
  std::array<char, 256> part{};
  for (ssize_t n; (n = read(r.output, part.data(), part.size())) > 0;) text.append(part.data(), static_cast<size_t>(n));
  close(r.output);
  int status = -1;
  waitpid(r.process, &status, 0);
  return status == 0 ? text.substr(0, text.find(' ')) : "status " + std::to_string(status);
}

class DiskStress : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const cache::TemporaryFolder apart;
    right_ = result_of(start_helper(apart.path()));
    ASSERT_TRUE(right_.starts_with("0x")) << right_;
  }
  const cache::TemporaryFolder folder;
  inline static std::string right_;
};

TEST_F(DiskStress, EightProcessesStartOneCache) {
  for (int round = 0; round < 3; ++round) {
    const fs::path cache = folder.path() / std::to_string(round);
    std::vector<Running> all;
    for (int i = 0; i < 8; ++i) all.push_back(start_helper(cache));
    for (const Running& r : all) EXPECT_EQ(result_of(r), right_);
    for (const cache::FileInfo& f : cache::files_below(cache)) EXPECT_FALSE(cache::is_temporary(f.path)) << f.path;
  }
}

// From before the cache is opened to after the last file is written.
TEST_F(DiskStress, ProcessesKilledAtAnyTimeHurtNobody) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  (void)result_of(start_helper(folder.path() / "timed"));
  const auto whole = Clock::now() - begin;
  constexpr int kills = 24;
  for (int k = 0; k < kills; ++k) {
    const fs::path cache = folder.path() / std::to_string(k / 4);  // four deaths in a row in each
    const Running victim = start_helper(cache);
    std::this_thread::sleep_for(whole * (k + 8) / (kills + 8));
    kill(victim.process, SIGKILL);
    (void)result_of(victim);
    EXPECT_EQ(result_of(start_helper(cache)), right_) << k;
    if (k % 4 != 3) fs::remove_all(cache / "v1" / "graphs");  // the next one compiles again
  }
}

TEST_F(DiskStress, AFullDiskIsNoError) {
  for (const rlim_t limit : {0, 64, 1000, 3000, 6000}) {
    const fs::path cache = folder.path() / std::to_string(limit);
    EXPECT_EQ(result_of(start_helper(cache, limit)), right_) << limit;
    EXPECT_EQ(result_of(start_helper(cache, limit)), right_) << limit;
    EXPECT_EQ(result_of(start_helper(cache)), right_) << "after " << limit;
  }
}

TEST_F(DiskStress, DamagedFilesAreFound) {
  std::mt19937 random(3);
  const auto damage = [&](const fs::path& file, const std::vector<cache::FileInfo>& all) {
    std::string bytes = *cache::read_file(file);
    switch (random() % 5) {
      case 0:
        bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
        break;
      case 1:
        bytes.resize(random() % bytes.size());
        break;
      case 2:
        bytes += bytes;
        break;
      case 3:
        bytes.replace(bytes.size() / 2, bytes.size(), std::string(bytes.size() - bytes.size() / 2, '\0'));
        break;
      default:
        bytes = *cache::read_file(all[random() % all.size()].path);  // another entry, or itself
    }
    std::ofstream(file, std::ios::binary) << bytes;
  };
  for (int round = 0; round < 12; ++round) {
    EXPECT_EQ(result_of(start_helper(folder.path())), right_) << round;
    const auto files = cache::files_below(folder.path());
    ASSERT_FALSE(files.empty());
    for (const cache::FileInfo& f : files)
      if (random() % 2 == 0) damage(f.path, files);
  }
}

}  // namespace
}  // namespace sinter::test
