// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/disk_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/cache/files.h"
#include "runtime/cache/hash.h"
#include "runtime/device/environment.h"
#include "runtime/device/log.h"

namespace sinter::cache {

namespace fs = std::filesystem;

namespace {

/// Temporary files this old belong to nobody any more.
constexpr std::chrono::hours abandoned_after{1};

void note(std::string_view what, Kind kind, const fs::path& path) {
  if (device::log_enabled(device::LogChannel::cache))
    device::log(device::LogChannel::cache, fmt::format("{} {} {}", what, folder_of(kind), path.filename().string()));
}

uint64_t total(const std::vector<FileInfo>& files) {
  uint64_t bytes = 0;
  for (const FileInfo& f : files) bytes += f.bytes;
  return bytes;
}

}  // namespace

DiskCache::DiskCache(const fs::path& directory, uint64_t limit_bytes)
    : root_(directory.empty() ? fs::path() : directory / "v1"), limit_bytes_(limit_bytes) {}

DiskCache& DiskCache::standard() {
  static auto* cache = [] {  // never destroyed: compiled functions may be in static storage
    const device::Environment& e = device::environment();
    return new DiskCache(e.cache ? e.cache_directory : "", e.cache_bytes);
  }();
  return *cache;
}

fs::path DiskCache::path_of(Kind kind, std::string_view key) const {
  const std::string name = hash128(key).hex();
  return root_ / folder_of(kind) / name.substr(0, 2) / name.substr(2);
}

std::optional<std::string> DiskCache::load(Kind kind, std::string_view key) noexcept {
  if (!enabled()) return std::nullopt;
  try {
    std::optional<std::string> payload = find(kind, key);
    ++(payload ? counters_.hits : counters_.misses);
    return payload;
  } catch (const std::exception&) {  // no memory, or a path no file system understands
    ++counters_.misses;
    return std::nullopt;
  }
}

std::optional<std::string> DiskCache::find(Kind kind, std::string_view key) {
  const fs::path path = path_of(kind, key);
  std::optional<std::string> file = read_file(path);
  if (!file) {
    note("miss", kind, path);
    return std::nullopt;
  }
  const Unpacked entry = unpack(*file, kind, key);
  if (entry.defect != Defect::none) {
    count_defect(entry.defect, path);
    return std::nullopt;
  }
  touch(path);
  note("hit", kind, path);
  file->erase(0, file->size() - entry.payload.size());
  return file;
}

void DiskCache::count_defect(Defect defect, const fs::path& path) {
  if (defect == Defect::damaged) ++counters_.damaged;
  if (defect == Defect::foreign) ++counters_.foreign;
  const char* why = defect == Defect::damaged   ? "it is damaged"
                    : defect == Defect::foreign ? "it is of another version or not ours"
                                                : "another key has this hash";
  device::log(device::LogChannel::cache, fmt::format("miss: {}: {}", path.string(), why));
}

bool DiskCache::store(Kind kind, std::string_view key, std::string_view payload) noexcept {
  if (!enabled()) return false;
  try {
    const fs::path path = path_of(kind, key);
    const std::string file = pack(kind, key, payload);
    if (const std::string reason = replace_file(path, file); !reason.empty()) {
      write_failed(reason);
      return false;
    }
    ++counters_.writes;
    note("stored", kind, path);
    grown_by(file.size());
    return true;
  } catch (const std::exception& error) {
    write_failed(error.what());
    return false;
  }
}

bool DiskCache::holds(Kind kind, std::string_view key, std::string_view payload) noexcept {
  if (!enabled()) return false;
  try {
    const std::optional<std::string> file = read_file(path_of(kind, key));
    if (!file) return false;
    const Unpacked entry = unpack(*file, kind, key);
    return entry.defect == Defect::none && entry.payload == payload;
  } catch (const std::exception&) {
    return false;
  }
}

void DiskCache::write_failed(const std::string& reason) {
  ++counters_.failed_writes;
  if (!warned_.exchange(true))
    device::warn("the disk cache cannot be written, every process compiles anew (" + reason +
                 "); SINTER_CACHE_DIR names another folder, SINTER_CACHE=0 turns the cache off");
}

void DiskCache::grown_by(uint64_t bytes) {
  if (limit_bytes_ == 0) return;
  const std::lock_guard lock(size_mutex_);
  if (size_)
    *size_ += bytes;
  else
    size_ = total(files_below(root_));
  if (*size_ > limit_bytes_) trim_files();
}

void DiskCache::trim() noexcept {
  if (!enabled() || limit_bytes_ == 0) return;
  try {
    const std::lock_guard lock(size_mutex_);
    trim_files();
  } catch (const std::exception& error) {
    device::warn(std::string("the disk cache could not be trimmed: ") + error.what());
  }
}

/// Others may be deleting and writing at the same time, so the files are counted anew, and whatever is gone is gone.
void DiskCache::trim_files() {
  std::vector<FileInfo> files = files_below(root_);
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  std::erase_if(files, [&](const FileInfo& f) {
    if (!is_temporary(f.path)) return false;
    if (now - f.used > abandoned_after) fs::remove(f.path, error);
    return true;
  });
  uint64_t size = total(files);
  if (size > limit_bytes_) {
    std::ranges::sort(files, {}, &FileInfo::used);
    const uint64_t goal = limit_bytes_ / 4 * 3;
    for (const FileInfo& f : files) {
      if (size <= goal) break;
      if (fs::remove(f.path, error)) ++counters_.evicted;
      size -= f.bytes;
    }
  }
  size_ = size;
}

CacheStats DiskCache::stats() const {
  return {counters_.hits,   counters_.misses,        counters_.damaged, counters_.foreign,
          counters_.writes, counters_.failed_writes, counters_.evicted};
}

}  // namespace sinter::cache
