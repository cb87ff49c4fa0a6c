// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cubin.h"

#include <fmt/format.h>

#include <cstring>

#include "runtime/device/elf.h"

namespace sinter::device {

namespace {

/// A record of an .nv.info section: one byte of format, one of attribute, then two bytes of value or, in the sized
/// format, of length and that many bytes.
struct Record {
  uint8_t format, attribute;
  std::span<const std::byte> bytes;
};

constexpr uint8_t sized_format = 4;
// Sized attributes of the common section: a symbol's number and a 32-bit value.
constexpr uint8_t frame_size = 0x11, register_count = 0x2f;
// Of a kernel's own section: three 32-bit extents of the largest block.
constexpr uint8_t max_threads = 0x05;

uint32_t word(std::span<const std::byte> bytes, size_t index) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

/// From sm_90 on a block's shared memory begins with 1 KiB of the system's own, which the section counts in.
int reserved_shared(const ElfFile& elf) { return elf.find(".nv.shared.reserved.0") != nullptr ? 1024 : 0; }

template <class F>
void for_each_record(const ElfFile& elf, std::span<const std::byte> info, F f) {
  while (!info.empty()) {
    if (info.size() < 4) elf.damaged("an attribute is cut off");
    uint16_t length;
    std::memcpy(&length, info.data() + 2, sizeof length);
    const auto format = static_cast<uint8_t>(info[0]);
    const size_t size = format == sized_format ? length : 0;
    if (info.size() - 4 < size) elf.damaged("an attribute is cut off");
    f(Record{format, static_cast<uint8_t>(info[1]), info.subspan(4, size)});
    info = info.subspan(4 + size);
  }
}

}  // namespace

FunctionInfo kernel_resources(std::span<const std::byte> cubin, std::string_view kernel) {
  const ElfFile elf(cubin, "CUDA image");
  if (elf.find(fmt::format(".text.{}", kernel)) == nullptr) elf.damaged(fmt::format("it has no kernel {}", kernel));
  FunctionInfo info;
  if (const auto* common = elf.find(".nv.info"))
    for_each_record(elf, common->bytes, [&](const Record& r) {
      if (r.format != sized_format || r.bytes.size() < 8 || word(r.bytes, 0) >= elf.symbols().size() ||
          elf.symbols()[word(r.bytes, 0)].name != kernel)
        return;
      if (r.attribute == register_count) info.registers = static_cast<int>(word(r.bytes, 1));
      if (r.attribute == frame_size) info.local_bytes = static_cast<int>(word(r.bytes, 1));
    });
  if (const auto* own = elf.find(fmt::format(".nv.info.{}", kernel)))
    for_each_record(elf, own->bytes, [&](const Record& r) {
      if (r.format == sized_format && r.attribute == max_threads && r.bytes.size() >= 12)
        info.max_threads = static_cast<int>(word(r.bytes, 0) * word(r.bytes, 1) * word(r.bytes, 2));
    });
  if (const auto* shared = elf.find(fmt::format(".nv.shared.{}", kernel)))
    info.static_shared_bytes = static_cast<int>(shared->header.sh_size) - reserved_shared(elf);
  return info;
}

}  // namespace sinter::device
