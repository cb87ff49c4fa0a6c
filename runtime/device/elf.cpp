// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/elf.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <cstring>

namespace sinter::device {

ElfFile::ElfFile(std::span<const std::byte> file, std::string_view what) : file_(file), what_(what) {
  copy_bytes(part(0, sizeof header_), &header_, sizeof header_);
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64 ||
      header_.e_ident[EI_DATA] != ELFDATA2LSB)
    damaged("not a 64-bit little-endian ELF file");
  part(header_.e_phoff, uint64_t{header_.e_phnum} * header_.e_phentsize);
  read_sections();
  read_symbols();
}

void ElfFile::damaged(std::string_view why) const {
  throw CompileError(fmt::format("{}: {} ({} bytes)", what_, why, file_.size()));
}

void ElfFile::copy_bytes(std::span<const std::byte> from, void* to, size_t bytes) {
  if (bytes > 0) std::memcpy(to, from.data(), bytes);
}

std::span<const std::byte> ElfFile::part(uint64_t offset, uint64_t size) const {
  if (offset > file_.size() || size > file_.size() - offset) damaged("it ends too early");
  return file_.subspan(offset, size);
}

std::string_view ElfFile::name_in(std::span<const std::byte> strings, uint64_t offset) const {
  if (offset >= strings.size()) {
    if (offset == 0) return {};
    damaged("a name is outside of its table");
  }
  const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
  const size_t room = strings.size() - offset;
  const size_t length = strnlen(begin, room);
  if (length == room) damaged("a name does not end");
  return {begin, length};
}

void ElfFile::read_sections() {
  if (header_.e_shnum == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) damaged("it has no section table");
  const auto table = part(header_.e_shoff, uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr));
  sections_.resize(header_.e_shnum);
  for (size_t i = 0; i < sections_.size(); ++i) {
    Section& s = sections_[i];
    copy_bytes(table.subspan(i * sizeof(Elf64_Shdr)), &s.header, sizeof s.header);
    if (s.header.sh_type != SHT_NOBITS && s.header.sh_type != SHT_NULL)
      s.bytes = part(s.header.sh_offset, s.header.sh_size);
  }
  if (header_.e_shstrndx >= sections_.size()) damaged("its sections have no names");
  const auto names = sections_[header_.e_shstrndx].bytes;
  for (Section& s : sections_) s.name = name_in(names, s.header.sh_name);
}

void ElfFile::read_symbols() {
  const auto table = std::ranges::find_if(sections_, [](const Section& s) { return s.header.sh_type == SHT_SYMTAB; });
  if (table == sections_.end()) return;
  if (table->header.sh_link >= sections_.size()) damaged("its symbols have no names");
  const auto names = sections_[table->header.sh_link].bytes;
  for (const Elf64_Sym& entry : entries<Elf64_Sym>(*table)) symbols_.push_back({name_in(names, entry.st_name), entry});
}

const ElfFile::Section* ElfFile::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &Section::name);
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace sinter::device
