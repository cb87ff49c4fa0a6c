// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include "runtime/cache/files.h"
#include "runtime/cache/kernel_store.h"
#include "runtime/device/log.h"
#include "tests/cache/folder.h"

namespace sinter::cache {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

class Cache : public testing::Test {
 protected:
  TemporaryFolder folder;
  DiskCache cache{folder.path(), 0};
};

TEST_F(Cache, GivesBackWhatWasStored) {
  const std::string key("a key\0with a zero", 17), payload(100'000, 'p');
  EXPECT_EQ(cache.load(Kind::graph, key), std::nullopt);
  EXPECT_TRUE(cache.store(Kind::graph, key, payload));
  EXPECT_EQ(cache.load(Kind::graph, key), payload);
  EXPECT_TRUE(cache.store(Kind::graph, key, "newer"));
  EXPECT_EQ(cache.load(Kind::graph, key), "newer");
  EXPECT_TRUE(cache.store(Kind::graph, "", ""));
  EXPECT_EQ(cache.load(Kind::graph, ""), "");
  DiskCache later(folder.path(), 0);
  EXPECT_EQ(later.load(Kind::graph, key), "newer");
  EXPECT_EQ(later.stats().hits, 1);
  EXPECT_EQ(cache.stats().hits, 3);
  EXPECT_EQ(cache.stats().misses, 1);
  EXPECT_EQ(cache.stats().writes, 3);
}

TEST_F(Cache, KindsAreApart) {
  EXPECT_TRUE(cache.store(Kind::graph, "key", "graph"));
  EXPECT_EQ(cache.load(Kind::kernel, "key"), std::nullopt);
  fs::create_directories(cache.path_of(Kind::kernel, "key").parent_path());
  fs::copy_file(cache.path_of(Kind::graph, "key"), cache.path_of(Kind::kernel, "key"));
  EXPECT_EQ(cache.load(Kind::kernel, "key"), std::nullopt);
  EXPECT_EQ(cache.stats().foreign, 1);
}

TEST_F(Cache, TheKeyIsComparedInFull) {
  EXPECT_TRUE(cache.store(Kind::graph, "key", "payload"));
  fs::create_directories(cache.path_of(Kind::graph, "kez").parent_path());
  fs::copy_file(cache.path_of(Kind::graph, "key"), cache.path_of(Kind::graph, "kez"));  // as if the hashes were equal
  EXPECT_EQ(cache.load(Kind::graph, "kez"), std::nullopt);
  EXPECT_EQ(cache.load(Kind::graph, "key"), "payload");
}

TEST_F(Cache, AFileCutAnywhereIsAMissAndIsRepaired) {
  EXPECT_TRUE(cache.store(Kind::graph, "key", "the payload"));
  const fs::path path = cache.path_of(Kind::graph, "key");
  const std::string whole = *read_file(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    write(path, whole.substr(0, length));
    ASSERT_EQ(cache.load(Kind::graph, "key"), std::nullopt) << length;
  }
  write(path, whole + "x");
  EXPECT_EQ(cache.load(Kind::graph, "key"), std::nullopt);
  EXPECT_GE(cache.stats().damaged, static_cast<int64_t>(whole.size()) - 8);
  EXPECT_TRUE(cache.store(Kind::graph, "key", "the payload"));
  EXPECT_EQ(cache.load(Kind::graph, "key"), "the payload");
}

TEST_F(Cache, AFileWithAnyBitChangedIsAMiss) {
  EXPECT_TRUE(cache.store(Kind::graph, "key", "the payload"));
  const fs::path path = cache.path_of(Kind::graph, "key");
  const std::string whole = *read_file(path);
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    write(path, changed);
    ASSERT_EQ(cache.load(Kind::graph, "key"), std::nullopt) << "bit " << bit;
  }
  write(path, whole);
  EXPECT_EQ(cache.load(Kind::graph, "key"), "the payload");
}

// What a crash of the machine leaves of a file that was renamed before its blocks reached the disk.
TEST_F(Cache, AFileWithLostBlocksIsAMissAndIsRepaired) {
  constexpr size_t block = 4096;
  const std::string payload(5 * block, 'p');
  EXPECT_TRUE(cache.store(Kind::graph, "key", payload));
  const fs::path path = cache.path_of(Kind::graph, "key");
  const std::string whole = *read_file(path);
  for (size_t from = 0; from < whole.size(); from += block)
    for (size_t to = from + block; to < whole.size() + block; to += block) {
      std::string lost = whole;
      std::fill(lost.begin() + static_cast<ptrdiff_t>(from),
                lost.begin() + static_cast<ptrdiff_t>(std::min(to, lost.size())), '\0');
      write(path, lost);
      ASSERT_EQ(cache.load(Kind::graph, "key"), std::nullopt) << from << " to " << to;
    }
  EXPECT_TRUE(cache.store(Kind::graph, "key", payload));
  EXPECT_EQ(cache.load(Kind::graph, "key"), payload);
}

TEST_F(Cache, AFolderInPlaceOfTheFileIsAMiss) {
  fs::create_directories(cache.path_of(Kind::graph, "key"));
  EXPECT_EQ(cache.load(Kind::graph, "key"), std::nullopt);
  EXPECT_FALSE(cache.store(Kind::graph, "key", "payload"));
  EXPECT_EQ(cache.stats().failed_writes, 1);
}

TEST_F(Cache, LeavesNoTemporaryFiles) {
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(cache.store(Kind::graph, std::to_string(i), "payload"));
  for (const FileInfo& f : files_below(folder.path())) EXPECT_FALSE(is_temporary(f.path)) << f.path;
  EXPECT_EQ(files_below(folder.path()).size(), 20u);
}

TEST_F(Cache, OthersMayNotReadOrWriteIt) {
  EXPECT_TRUE(cache.store(Kind::graph, "key", "payload"));
  struct stat file{}, below{};
  ASSERT_EQ(stat(cache.path_of(Kind::graph, "key").c_str(), &file), 0);
  ASSERT_EQ(stat((folder.path() / "v1").c_str(), &below), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_EQ(below.st_mode & 0777, 0700u);
}

TEST(CachePlaces, WithoutAPlaceThereIsNoCacheAndOneWarning) {
  const TemporaryFolder folder;
  write(folder.path() / "file", "not a folder");
  std::vector<std::string> warnings;
  const auto before = device::set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  DiskCache cache(folder.path() / "file" / "cache", 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache.store(Kind::graph, "key", "payload"));
    EXPECT_EQ(cache.load(Kind::graph, "key"), std::nullopt);
  }
  device::set_warning_handler(before);
  EXPECT_EQ(cache.stats().failed_writes, 3);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("cannot be written"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("SINTER_CACHE_DIR"), std::string::npos) << warnings[0];
}

TEST(CachePlaces, OffMeansOff) {
  DiskCache cache("", 0);
  EXPECT_FALSE(cache.enabled());
  EXPECT_FALSE(cache.store(Kind::graph, "key", "payload"));
  EXPECT_EQ(cache.load(Kind::graph, "key"), std::nullopt);
  EXPECT_EQ(cache.stats().failed_writes, 0);
  EXPECT_EQ(cache.stats().misses, 0);
}

void age(const fs::path& path, std::chrono::hours hours) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - hours);
}

TEST(CacheSize, TheLongestUnusedGoFirst) {
  const TemporaryFolder folder;
  const std::string payload(10'000, 'p');
  {
    DiskCache filling(folder.path(), 0);
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(filling.store(Kind::graph, std::to_string(i), payload));
      age(filling.path_of(Kind::graph, std::to_string(i)), std::chrono::hours(20 - i));
    }
  }
  DiskCache cache(folder.path(), 90'000);
  EXPECT_TRUE(cache.load(Kind::graph, "0").has_value());  // the oldest, but used now
  cache.trim();
  EXPECT_EQ(cache.stats().evicted, 4);  // 100 kB to below 67.5 kB
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(fs::exists(cache.path_of(Kind::graph, std::to_string(i))), i == 0 || i > 4) << i;
}

TEST(CacheSize, StoringKeepsTheLimit) {
  const TemporaryFolder folder;
  DiskCache cache(folder.path(), 50'000);
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(cache.store(Kind::graph, std::to_string(i), std::string(5000, 'p')));
    uint64_t bytes = 0;
    for (const FileInfo& f : files_below(folder.path())) bytes += f.bytes;
    ASSERT_LE(bytes, 50'000u);
  }
  EXPECT_GT(cache.stats().evicted, 20);
  EXPECT_TRUE(cache.load(Kind::graph, "39").has_value());
}

TEST(CacheSize, AbandonedTemporaryFilesGo) {
  const TemporaryFolder folder;
  DiskCache cache(folder.path(), 1'000'000);
  EXPECT_TRUE(cache.store(Kind::graph, "key", "payload"));
  const fs::path old = cache.path_of(Kind::graph, "key").parent_path() / "tmp-0-1-2",
                 young = cache.path_of(Kind::graph, "key").parent_path() / "tmp-0-1-3";
  write(old, "half");
  write(young, "half");
  age(old, std::chrono::hours(2));
  cache.trim();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(cache.load(Kind::graph, "key").has_value());
}

/// Runs f(i) in n processes at once; the number of those that failed.
template <class F>
int failures_of(int n, F f) {
  std::vector<pid_t> children;
  for (int i = 0; i < n; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(f(i) ? 0 : 1);
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  return failed;
}

std::string payload_of(int key) {
  return std::string(static_cast<size_t>(1000 + key * 37), static_cast<char>('a' + key));
}

TEST(CacheSharing, ManyProcessesAtOnce) {
  const TemporaryFolder folder;
  const int failed = failures_of(8, [&](int) {
    DiskCache cache(folder.path(), 30'000);  // small: others' entries are deleted all the time
    for (int round = 0; round < 60; ++round)
      for (int key = 0; key < 10; ++key) {
        const std::optional<std::string> found = cache.load(Kind::graph, std::to_string(key));
        if (found && *found != payload_of(key)) return false;
        if (!found && !cache.store(Kind::graph, std::to_string(key), payload_of(key))) return false;
      }
    return cache.stats().damaged == 0 && cache.stats().foreign == 0;
  });
  EXPECT_EQ(failed, 0);
}

TEST(CacheSharing, ManyThreadsAtOnce) {
  const TemporaryFolder folder;
  DiskCache cache(folder.path(), 30'000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 30; ++round)
        for (int key = 0; key < 10; ++key) {
          const auto found = cache.load(Kind::graph, std::to_string(key));
          if (found) {
            EXPECT_EQ(*found, payload_of(key));
          } else {
            EXPECT_TRUE(cache.store(Kind::graph, std::to_string(key), payload_of(key)));
          }
        }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(cache.stats().hits + cache.stats().misses, 4 * 30 * 10);
}

TEST_F(Cache, KernelsShareImages) {
  const std::string image(5000, 'i');
  EXPECT_EQ(load_kernel(cache, "kernel 1"), std::nullopt);
  EXPECT_TRUE(store_kernel(cache, "kernel 1", image, "entry_1"));
  EXPECT_TRUE(store_kernel(cache, "kernel 2", image, "entry_2"));
  EXPECT_EQ(load_kernel(cache, "kernel 1"), (Kernel{image, "entry_1"}));
  EXPECT_EQ(load_kernel(cache, "kernel 2"), (Kernel{image, "entry_2"}));
  size_t images = 0;
  for (const FileInfo& f : files_below(folder.path() / "v1" / "images")) images += f.bytes > 0;
  EXPECT_EQ(images, 1u);
  EXPECT_EQ(cache.stats().writes, 3);
}

TEST_F(Cache, AKernelWithoutItsImageIsAMiss) {
  EXPECT_TRUE(store_kernel(cache, "kernel", "image", "entry"));
  for (const FileInfo& f : files_below(folder.path() / "v1" / "images")) fs::remove(f.path);
  EXPECT_EQ(load_kernel(cache, "kernel"), std::nullopt);
  EXPECT_TRUE(store_kernel(cache, "kernel", "image", "entry"));
  EXPECT_EQ(load_kernel(cache, "kernel"), (Kernel{"image", "entry"}));
}

TEST_F(Cache, ADamagedImageIsReplaced) {
  EXPECT_TRUE(store_kernel(cache, "kernel", "image", "entry"));
  for (const FileInfo& f : files_below(folder.path() / "v1" / "images")) write(f.path, "garbage");
  EXPECT_EQ(load_kernel(cache, "kernel"), std::nullopt);
  EXPECT_TRUE(store_kernel(cache, "kernel", "image", "entry"));
  EXPECT_EQ(load_kernel(cache, "kernel"), (Kernel{"image", "entry"}));
}

}  // namespace
}  // namespace sinter::cache
