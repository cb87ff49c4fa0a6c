// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::device {

/// A 64-bit little-endian ELF file, read with every offset checked; it refers to the bytes it was made from. The CPU's
/// objects and CUDA's cubins both are such files.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    Elf64_Shdr header;
    std::span<const std::byte> bytes;  ///< empty for SHT_NOBITS
  };
  struct Symbol {
    std::string_view name;
    Elf64_Sym entry;
  };

  /// Throws CompileError "<what>: ..." if it is no such file or is damaged.
  ElfFile(std::span<const std::byte> file, std::string_view what);

  const Elf64_Ehdr& header() const { return header_; }
  std::span<const Section> sections() const { return sections_; }
  /// Of the first symbol table, in its order; empty without one.
  std::span<const Symbol> symbols() const { return symbols_; }
  /// The section of that name, or nullptr.
  const Section* find(std::string_view name) const;
  /// The entries of a section that is an array of T.
  template <class T>
  std::vector<T> entries(const Section& section) const {
    std::vector<T> result(section.bytes.size() / sizeof(T));
    copy_bytes(section.bytes, result.data(), result.size() * sizeof(T));
    return result;
  }
  [[noreturn]] void damaged(std::string_view why) const;

 private:
  static void copy_bytes(std::span<const std::byte> from, void* to, size_t bytes);
  std::span<const std::byte> part(uint64_t offset, uint64_t size) const;
  std::string_view name_in(std::span<const std::byte> strings, uint64_t offset) const;
  void read_sections();
  void read_symbols();

  std::span<const std::byte> file_;
  std::string_view what_;
  Elf64_Ehdr header_{};
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
};

}  // namespace sinter::device
