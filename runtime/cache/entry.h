// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::cache {

/// What an entry holds; part of its file's name and checked in its header.
enum class Kind : uint8_t { graph = 1, kernel = 2, image = 3 };
inline constexpr Kind all_kinds[] = {Kind::graph, Kind::kernel, Kind::image};
std::string_view folder_of(Kind kind);

/// The file of an entry: magic, version of the format, kind, lengths, checksum, key, payload; little-endian.
std::string pack(Kind kind, std::string_view key, std::string_view payload);

/// Why a file is not the entry that was looked for.
enum class Defect : uint8_t {
  none,
  other_key,  ///< a sound entry whose key has the same hash
  foreign,    ///< not one of our files, or of another version
  damaged,    ///< cut off or changed
};

struct Unpacked {
  Defect defect = Defect::none;
  std::string_view payload;  ///< into the file's bytes
};

/// Checks everything: magic, version, kind, lengths, checksum over all bytes, and the key in full.
Unpacked unpack(std::string_view file, Kind kind, std::string_view key);

}  // namespace sinter::cache
