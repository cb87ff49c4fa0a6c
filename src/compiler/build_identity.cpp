// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/build_identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>

namespace sinter::compiler {
namespace {

struct Search {
  uintptr_t address;
  std::string id;
};

std::string build_id_in(const char* notes, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) n;
    std::memcpy(&n, notes, sizeof n);
    const size_t name = (n.n_namesz + 3) / 4 * 4, desc = (n.n_descsz + 3) / 4 * 4;
    if (sizeof n + name + desc > bytes) break;
    if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && std::memcmp(notes + sizeof n, "GNU", 4) == 0) {
      std::string id;
      for (size_t i = 0; i < n.n_descsz; ++i)
        id += fmt::format("{:02x}", static_cast<unsigned char>(notes[sizeof n + name + i]));
      return id;
    }
    notes += sizeof n + name + desc;
    bytes -= sizeof n + name + desc;
  }
  return {};
}

int visit(dl_phdr_info* info, size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + p.p_vaddr;
    ours = ours || (p.p_type == PT_LOAD && search.address >= begin && search.address < begin + p.p_memsz);
  }
  if (!ours) return 0;
  for (int i = 0; i < info->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type == PT_NOTE)
      search.id = build_id_in(reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr), p.p_memsz);
  }
  return 1;
}

std::string find_identity() {
  Search search{reinterpret_cast<uintptr_t>(&build_identity), {}};
  dl_iterate_phdr(visit, &search);
  return search.id.empty() ? std::string("built ") + __DATE__ + " " + __TIME__ : "build " + search.id;
}

}  // namespace

const std::string& build_identity() {
  static const std::string id = find_identity();
  return id;
}

}  // namespace sinter::compiler
