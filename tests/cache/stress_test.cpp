// SPDX-License-Identifier: Apache-2.0
// Processes that die while they write, folders that cannot be written, disks that are full: a load gives what was
// stored or nothing, and no call fails otherwise.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <random>
#include <string>
#include <thread>

#include "runtime/cache/disk_cache.h"
#include "runtime/cache/files.h"
#include "tests/cache/folder.h"

namespace sinter::cache {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string key_of(int n) { return "key " + std::to_string(n); }
/// Of one of several sizes, and its own function of the number.
std::string payload_of(int n) {
  std::string payload(static_cast<size_t>(n % 7) * 50'000 + 10, '\0');
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<char>((i * 31 + static_cast<size_t>(n)) >> 3);
  return payload;
}

/// The exit status of a process that runs `f`: what f returns; 100 more than the signal that killed it.
int in_child(const std::function<int()>& f) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr int entries = 14;

/// Stores all entries again and again.
[[noreturn]] void write_for_ever(const fs::path& folder) {
  DiskCache cache(folder, 0);
  for (int n = 0;; n = (n + 1) % entries) cache.store(Kind::image, key_of(n), payload_of(n));
}

/// Every entry is whole or absent; returns how many are there.
int check_entries(const fs::path& folder) {
  DiskCache cache(folder, 0);
  int present = 0;
  for (int n = 0; n < entries; ++n) {
    const auto found = cache.load(Kind::image, key_of(n));
    if (!found) continue;
    ++present;
    EXPECT_TRUE(*found == payload_of(n)) << "entry " << n;
  }
  EXPECT_EQ(cache.stats().damaged, 0) << "a file appears under its name only once it is whole";
  return present;
}

TEST(CacheStress, ProcessesKilledWhileTheyWriteLeaveNoHalfEntry) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  int present = 0;
  size_t temporaries = 0;
  for (int kill_number = 0; kill_number < 60; ++kill_number) {
    pid_t writers[2];
    for (pid_t& writer : writers)
      if (writer = fork(); writer == 0) write_for_ever(folder.path());
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
    for (const pid_t writer : writers) kill(writer, SIGKILL);
    for (const pid_t writer : writers) waitpid(writer, nullptr, 0);
    present = check_entries(folder.path());
  }
  EXPECT_GT(present, 0);
  for (const FileInfo& f : files_below(folder.path())) temporaries += is_temporary(f.path) ? 1 : 0;
  EXPECT_GT(temporaries, 0u) << "no process died in the middle of a file: the test tests nothing";
}

TEST(CacheStress, AFolderThatIsOnlyReadableGivesWhatItHolds) {
  const TemporaryFolder folder;
  constexpr uid_t nobody = 65534;
  fs::permissions(folder.path(), fs::perms::all);
  const auto run = [&] {
    // Root may write anywhere.
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return 1;
    const fs::path root = folder.path() / "cache";
    DiskCache before(root, 0);
    if (!before.store(Kind::graph, "a", "payload")) return 2;
    for (const auto& e : fs::recursive_directory_iterator(root))
      if (e.is_directory()) fs::permissions(e.path(), fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(root, fs::perms::owner_read | fs::perms::owner_exec);
    DiskCache cache(root, 1);  // too small for anything: wants to evict
    if (cache.load(Kind::graph, "a") != "payload") return 3;
    if (cache.store(Kind::graph, "a", "newer") || cache.store(Kind::kernel, "b", "new")) return 4;
    cache.trim();
    if (cache.load(Kind::graph, "a") != "payload" || cache.load(Kind::kernel, "b")) return 5;
    if (cache.stats().failed_writes != 2) return 6;
    for (const auto& e : fs::recursive_directory_iterator(root))
      if (e.is_directory()) fs::permissions(e.path(), fs::perms::owner_all);
    fs::permissions(root, fs::perms::owner_all);
    return 0;
  };
  EXPECT_EQ(in_child(run), 0);
}

// A limit on the size of files makes write() fail in the middle of one, as a full disk does.
TEST(CacheStress, AFullDiskIsNoCache) {
  for (const rlim_t limit : {0, 1, 100, 4096, 100'000}) {
    const TemporaryFolder folder;
    const auto run = [&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit full{limit, limit};
      if (setrlimit(RLIMIT_FSIZE, &full) != 0) return 1;
      DiskCache cache(folder.path(), 0);
      for (int n = 0; n < entries; ++n) {
        const bool stored = cache.store(Kind::image, key_of(n), payload_of(n));
        const auto found = cache.load(Kind::image, key_of(n));
        if (stored != found.has_value() || (found && *found != payload_of(n))) return 2;
        if (stored && payload_of(n).size() > limit) return 3;
      }
      if (cache.stats().failed_writes == 0) return 4;
      for (const FileInfo& f : files_below(folder.path()))
        if (is_temporary(f.path)) return 5;  // it would fill the disk for good
      return 0;
    };
    EXPECT_EQ(in_child(run), 0) << limit;
  }
}

}  // namespace
}  // namespace sinter::cache
