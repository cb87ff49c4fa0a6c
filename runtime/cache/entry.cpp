// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/entry.h"

#include <cstring>

#include "runtime/cache/hash.h"

namespace sinter::cache {

namespace {

constexpr std::string_view magic{"sinter\0c", 8};
constexpr uint32_t format_version = 1;
// magic 8, version 4, kind 4, key length 8, payload length 8, checksum 16
constexpr size_t checksum_at = 32, header_size = 48;

template <class T>
void append(std::string& to, T value) {
  for (size_t i = 0; i < sizeof value; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
}

template <class T>
T read(std::string_view from, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value |= static_cast<T>(static_cast<uint8_t>(from[at + i])) << (8 * i);
  return value;
}

/// Of everything but itself.
Hash128 checksum(std::string_view file) {
  const Hash128 body = hash128(file.substr(header_size));
  std::string head(file.substr(0, checksum_at));
  append(head, body.high);
  append(head, body.low);
  return hash128(head);
}

}  // namespace

std::string_view folder_of(Kind kind) {
  switch (kind) {
    case Kind::graph:
      return "graphs";
    case Kind::kernel:
      return "kernels";
    case Kind::image:
      break;
  }
  return "images";
}

std::string pack(Kind kind, std::string_view key, std::string_view payload) {
  std::string file;
  file.reserve(header_size + key.size() + payload.size());
  file += magic;
  append(file, format_version);
  append(file, static_cast<uint32_t>(kind));
  append(file, static_cast<uint64_t>(key.size()));
  append(file, static_cast<uint64_t>(payload.size()));
  file.append(header_size - checksum_at, '\0');
  file += key;
  file += payload;
  const Hash128 sum = checksum(file);
  std::string bytes;
  append(bytes, sum.high);
  append(bytes, sum.low);
  file.replace(checksum_at, bytes.size(), bytes);
  return file;
}

Unpacked unpack(std::string_view file, Kind kind, std::string_view key) {
  if (file.size() < magic.size() || file.substr(0, magic.size()) != magic) return {Defect::foreign, {}};
  if (file.size() < header_size) return {Defect::damaged, {}};
  if (read<uint32_t>(file, 8) != format_version) return {Defect::foreign, {}};
  const auto key_size = read<uint64_t>(file, 16), payload_size = read<uint64_t>(file, 24);
  const uint64_t body = file.size() - header_size;
  if (key_size > body || payload_size != body - key_size) return {Defect::damaged, {}};
  const Hash128 sum = checksum(file);
  if (read<uint64_t>(file, checksum_at) != sum.high || read<uint64_t>(file, checksum_at + 8) != sum.low)
    return {Defect::damaged, {}};
  if (read<uint32_t>(file, 12) != static_cast<uint32_t>(kind)) return {Defect::foreign, {}};
  if (file.substr(header_size, key_size) != key) return {Defect::other_key, {}};
  return {Defect::none, file.substr(header_size + key_size)};
}

}  // namespace sinter::cache
