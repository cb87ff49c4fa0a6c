// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/cache/entry.h"

namespace sinter::cache {

/// What happened so far.
struct CacheStats {
  int64_t hits = 0, misses = 0;
  int64_t damaged = 0, foreign = 0;  ///< misses because of the file that was there
  int64_t writes = 0, failed_writes = 0;
  int64_t evicted = 0;  ///< files deleted to keep the size
};

/// Entries on disk, found by content: a key is the canonical bytes of everything that can change the payload.
///
/// One file an entry, at <directory>/v1/<graphs|kernels|images>/<2 digits>/<30 digits of the key's hash>. A file is
/// used only if it is whole and its key is equal byte for byte; anything else is a miss, and the next store repairs it.
/// Any number of threads and processes may share a directory, on different machines too. Nothing here throws: without a
/// place to write there is simply no cache, and one warning.
class DiskCache {
 public:
  /// An empty directory turns it off. Beyond `limit_bytes` (0: none) the entries longest unused are deleted, to 3/4 of
  /// it.
  DiskCache(const std::filesystem::path& directory, uint64_t limit_bytes);
  /// The process's cache, as the environment says (SINTER_CACHE, SINTER_CACHE_DIR, SINTER_CACHE_BYTES).
  static DiskCache& standard();

  bool enabled() const { return !root_.empty(); }
  std::optional<std::string> load(Kind kind, std::string_view key) noexcept;
  /// False if it could not be written.
  bool store(Kind kind, std::string_view key, std::string_view payload) noexcept;
  /// Is exactly this stored? Not counted as a hit or miss.
  bool holds(Kind kind, std::string_view key, std::string_view payload) noexcept;
  /// Deletes what is too much now.
  void trim() noexcept;
  CacheStats stats() const;
  std::filesystem::path path_of(Kind kind, std::string_view key) const;

 private:
  struct Counters {
    std::atomic<int64_t> hits{0}, misses{0}, damaged{0}, foreign{0}, writes{0}, failed_writes{0}, evicted{0};
  };
  std::optional<std::string> find(Kind kind, std::string_view key);
  void count_defect(Defect defect, const std::filesystem::path& path);
  void write_failed(const std::string& reason);
  void grown_by(uint64_t bytes);
  void trim_files();

  std::filesystem::path root_;
  uint64_t limit_bytes_;
  Counters counters_;
  std::atomic<bool> warned_{false};
  std::mutex size_mutex_;
  std::optional<uint64_t> size_;  ///< bytes on disk as last counted, plus what was written since
};

}  // namespace sinter::cache
