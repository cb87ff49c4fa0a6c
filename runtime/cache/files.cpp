// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

namespace sinter::cache {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_prefix = "tmp-";
constexpr std::chrono::minutes touch_interval{10};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  /// False if the system only now says that what was written could not be kept.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Not the process id alone: in containers that share a folder it repeats.
fs::path temporary_beside(const fs::path& path) {
  static const uint64_t process = std::random_device{}() ^ static_cast<uint64_t>(::getpid()) << 32;
  static std::atomic<uint64_t> count{0};
  return path.parent_path() / fmt::format("{}{:016x}-{}-{}", temporary_prefix, process, ::getpid(), count.fetch_add(1));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool make_folders(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return true;  // none: the current one
  if (folder.has_parent_path() && folder.parent_path() != folder && !make_folders(folder.parent_path())) return false;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

void touch(const fs::path& path) noexcept {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  if (const auto used = fs::last_write_time(path, error); !error && now - used > touch_interval)
    fs::last_write_time(path, now, error);  // of a folder that is only readable it stays as it is
}

std::string replace_file(const fs::path& path, std::string_view bytes) {
  const auto failed = [&](const char* step) { return fmt::format("{}: {}: {}", path.string(), step, strerror(errno)); };
  if (!make_folders(path.parent_path())) return failed("mkdir");
  const fs::path temporary = temporary_beside(path);
  {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return failed("open");
    // No fsync: it would cost more than compiling. A file whose blocks a crash of the machine lost fails its checksum.
    if (!write_all(file.get(), bytes) || !file.close()) {
      const std::string reason = failed("write");
      ::unlink(temporary.c_str());
      return reason;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const std::string reason = failed("rename");
  ::unlink(temporary.c_str());
  return reason;
}

bool is_temporary(const fs::path& path) { return path.filename().string().starts_with(temporary_prefix); }

std::vector<FileInfo> files_below(const fs::path& folder) {
  std::vector<FileInfo> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (!it->is_regular_file(gone) || gone) continue;
    const uint64_t bytes = it->file_size(gone);
    if (gone) continue;
    const auto used = it->last_write_time(gone);
    if (!gone) files.push_back({it->path(), bytes, used});
  }
  return files;
}

}  // namespace sinter::cache
