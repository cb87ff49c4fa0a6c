// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/object_loader.h"

#include <fmt/format.h>
#include <sinter/error.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "runtime/device/cpu/c_library.h"
#include "runtime/device/cpu/relocation.h"
#include "runtime/device/elf.h"

namespace sinter::device::cpu {

namespace {

#if defined(__aarch64__)
constexpr uint16_t host_machine = EM_AARCH64;
#else
constexpr uint16_t host_machine = EM_X86_64;
#endif

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// Pages that are writable until protected.
class Mapping {
 public:
  explicit Mapping(size_t bytes) : bytes_(bytes) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw CompileError("no memory to load a CPU kernel into");
    begin_ = static_cast<std::byte*>(p);
  }
  ~Mapping() { munmap(begin_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::byte* begin() const { return begin_; }
  void protect(size_t offset, size_t bytes, int protection) const {
    if (bytes == 0 || mprotect(begin_ + offset, bytes, protection) == 0) return;
    const bool too_many = errno == ENOMEM;  // each part of a kernel's memory is a mapping of its own
    throw CompileError({.op = {},
                        .what = too_many ? "this process has as many memory mappings as the system lets it have"
                                         : "the system does not let this process make memory executable",
                        .line = {},
                        .context = {},
                        .fix = too_many ? "raise vm.max_map_count, or compile fewer functions"
                                        : "CompileOptions::backend = \"reference\" needs no generated code"});
  }

 private:
  std::byte* begin_ = nullptr;
  size_t bytes_;
};

enum Segment : uint8_t { code, constants, variables, segment_count };

bool is_unwind_table(const ElfFile::Section& s) {
  return s.name == ".eh_frame" || s.name == ".rela.eh_frame";  // nothing is ever thrown through a kernel
}

class Loader {
 public:
  explicit Loader(std::span<const std::byte> object) : elf_(object, "CPU object") {
    const Elf64_Ehdr& h = elf_.header();
    if (h.e_type != ET_REL) elf_.damaged("not a relocatable object");
    if (h.e_machine != host_machine) elf_.damaged(fmt::format("made for another processor ({})", h.e_machine));
  }

  std::pair<std::shared_ptr<Mapping>, std::map<std::string, void*>> load() {
    place_sections();
    mapping_ = std::make_shared<Mapping>(std::max(size_, page_));
    copy_sections();
    for (const ElfFile::Section& s : elf_.sections())
      if (s.header.sh_type == SHT_RELA && !is_unwind_table(s)) relocate_section(s);
    protect();
    return {mapping_, defined_symbols()};
  }

 private:
  static Segment segment_of(const Elf64_Shdr& h) {
    if (h.sh_flags & SHF_EXECINSTR) return code;
    return h.sh_flags & SHF_WRITE ? variables : constants;
  }

  bool is_loaded(const ElfFile::Section& s) const {
    return (s.header.sh_flags & SHF_ALLOC) != 0 && s.header.sh_size > 0 && !is_unwind_table(s);
  }

  /// Gives every section its offset: code and its stubs, then constants, then variables, each on pages of their own.
  void place_sections() {
    offsets_.assign(elf_.sections().size(), unplaced);
    stubs_at_ = 0;
    for (int segment = code; segment < segment_count; ++segment) {
      begins_[static_cast<size_t>(segment)] = size_;
      for (size_t i = 0; i < offsets_.size(); ++i) {
        const ElfFile::Section& s = elf_.sections()[i];
        if (!is_loaded(s) || segment_of(s.header) != segment) continue;
        if (s.header.sh_type == SHT_INIT_ARRAY || (s.header.sh_flags & SHF_TLS) != 0)
          elf_.damaged("kernels have no constructors and no thread-local variables");
        const size_t alignment = std::max<size_t>(s.header.sh_addralign, 1);
        if (alignment > page_ || s.header.sh_size > max_size) elf_.damaged("a section of impossible size or alignment");
        offsets_[i] = round_up(size_, alignment);
        size_ = offsets_[i] + s.header.sh_size;
      }
      if (segment == code) {
        stubs_at_ = round_up(size_, stub_size);
        size_ = stubs_at_ + elf_.symbols().size() * stub_size;
      }
      size_ = round_up(size_, page_);
    }
  }

  void copy_sections() {
    for (size_t i = 0; i < offsets_.size(); ++i)
      if (const auto& bytes = elf_.sections()[i].bytes; offsets_[i] != unplaced && !bytes.empty())
        std::memcpy(mapping_->begin() + offsets_[i], bytes.data(), bytes.size());
  }

  uint64_t address_of_symbol(const ElfFile::Symbol& symbol) const {
    const Elf64_Sym& e = symbol.entry;
    if (e.st_shndx == SHN_UNDEF) {
      if (void* function = c_library_function(symbol.name)) return reinterpret_cast<uint64_t>(function);
      elf_.damaged(fmt::format("it needs {}, which kernels may not call", symbol.name));
    }
    if (e.st_shndx == SHN_ABS) return e.st_value;
    if (e.st_shndx >= offsets_.size() || offsets_[e.st_shndx] == unplaced ||
        e.st_value > elf_.sections()[e.st_shndx].header.sh_size)
      elf_.damaged(fmt::format("symbol {} is nowhere", symbol.name));
    return reinterpret_cast<uint64_t>(mapping_->begin() + offsets_[e.st_shndx] + e.st_value);
  }

  /// The stub of a symbol, made on first use.
  std::byte* stub(size_t symbol, uint64_t address) const {
    std::byte* at = mapping_->begin() + stubs_at_ + symbol * stub_size;
    write_stub(host_machine, at, address);
    return at;
  }

  void relocate_section(const ElfFile::Section& relocations) {
    const size_t section = relocations.header.sh_info;
    if (section >= offsets_.size()) elf_.damaged("relocations of no section");
    if (offsets_[section] == unplaced) return;
    for (const Elf64_Rela& r : elf_.entries<Elf64_Rela>(relocations)) relocate_one(section, r);
  }

  void relocate_one(size_t section, const Elf64_Rela& r) {
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(r.r_info));
    const size_t symbol = ELF64_R_SYM(r.r_info);
    const Reach reach = reach_of(host_machine, type);
    if (reach == Reach::none) return;
    const uint64_t size = elf_.sections()[section].header.sh_size;
    if (reach == Reach::unknown || symbol >= elf_.symbols().size() || r.r_offset > size ||
        size - r.r_offset < relocation_size(host_machine, type))
      elf_.damaged(fmt::format("relocation of type {} cannot be done", type));
    uint64_t target = address_of_symbol(elf_.symbols()[symbol]);
    const bool far = elf_.symbols()[symbol].entry.st_shndx == SHN_UNDEF;
    if (reach == Reach::address)
      target = reinterpret_cast<uint64_t>(stub(symbol, target) + stub_address_offset);
    else if (reach == Reach::stub && far)
      target = reinterpret_cast<uint64_t>(stub(symbol, target));
    std::byte* place = mapping_->begin() + offsets_[section] + r.r_offset;
    if (!relocate(host_machine, type, place, reinterpret_cast<uint64_t>(place),
                  target + static_cast<uint64_t>(r.r_addend)))
      elf_.damaged(fmt::format("{} is out of reach", elf_.symbols()[symbol].name));
  }

  void protect() const {
    auto* text = reinterpret_cast<char*>(mapping_->begin());
    __builtin___clear_cache(text, text + begins_[constants]);
    mapping_->protect(0, begins_[constants], PROT_READ | PROT_EXEC);
    mapping_->protect(begins_[constants], begins_[variables] - begins_[constants], PROT_READ);
  }

  std::map<std::string, void*> defined_symbols() const {
    std::map<std::string, void*> result;
    for (const ElfFile::Symbol& s : elf_.symbols())
      if (ELF64_ST_BIND(s.entry.st_info) == STB_GLOBAL && s.entry.st_shndx != SHN_UNDEF)
        // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers to a loader
        result.emplace(s.name, reinterpret_cast<void*>(address_of_symbol(s)));
    return result;
  }

  static constexpr size_t unplaced = SIZE_MAX, max_size = size_t{1} << 30;
  ElfFile elf_;
  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<size_t> offsets_;  ///< of each section in the mapping
  std::array<size_t, segment_count> begins_{};
  size_t stubs_at_ = 0, size_ = 0;
  std::shared_ptr<Mapping> mapping_;
};

class MappedObject final : public LoadedObject {
 public:
  MappedObject(std::shared_ptr<Mapping> mapping, std::map<std::string, void*> symbols)
      : mapping_(std::move(mapping)), symbols_(std::move(symbols)) {}
  void* symbol(const std::string& name) const override {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : found->second;
  }

 private:
  std::shared_ptr<Mapping> mapping_;
  std::map<std::string, void*> symbols_;
};

}  // namespace

std::shared_ptr<LoadedObject> load_object(std::span<const std::byte> object) {
  auto [mapping, symbols] = Loader(object).load();
  return std::make_shared<MappedObject>(std::move(mapping), std::move(symbols));
}

}  // namespace sinter::device::cpu
