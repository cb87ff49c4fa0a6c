// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::cache {

/// All bytes of a file, or nullopt if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Notes the use of a file, unless its time is of the last minutes: modification times are what trimming goes by.
void touch(const std::filesystem::path& path) noexcept;

/// Puts a whole file in place: a temporary file beside it, then renamed. Who reads sees the old file, the new one, or
/// none; only after a crash of the whole machine perhaps a damaged one, since nothing waits for the disk. Makes missing
/// folders, readable by the user alone. The reason if it fails, else empty.
std::string replace_file(const std::filesystem::path& path, std::string_view bytes);

/// Is it the name of a temporary file of replace_file?
bool is_temporary(const std::filesystem::path& path);

struct FileInfo {
  std::filesystem::path path;
  uint64_t bytes;
  std::filesystem::file_time_type used;
};
/// The files below a folder; what disappears meanwhile or cannot be looked at is left out.
std::vector<FileInfo> files_below(const std::filesystem::path& folder);

}  // namespace sinter::cache
