// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/relocation.h"

#include <elf.h>

#include <cstring>
#include <limits>

namespace sinter::device::cpu {

namespace {

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

bool fits(int64_t value, int bits) { return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1); }

Reach reach_on_x86_64(uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
      return Reach::none;
    case R_X86_64_64:
    case R_X86_64_PC32:
    case R_X86_64_PC64:
      return Reach::direct;
    case R_X86_64_PLT32:
      return Reach::stub;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return Reach::address;
    default:
      return Reach::unknown;
  }
}

Reach reach_on_aarch64(uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
      return Reach::none;
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL32:
    case R_AARCH64_PREL64:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return Reach::direct;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return Reach::stub;
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return Reach::address;
    default:
      return Reach::unknown;
  }
}

bool relocate_x86_64(uint32_t type, std::byte* bytes, uint64_t place, uint64_t target) {
  const auto distance = static_cast<int64_t>(target - place);
  if (type == R_X86_64_64) {
    store(bytes, target);
  } else if (type == R_X86_64_PC64) {
    store(bytes, distance);
  } else {
    if (!fits(distance, 32)) return false;
    store(bytes, static_cast<int32_t>(distance));
  }
  return true;
}

/// Puts the low `width` bits of `value` at bit `shift` of an instruction.
void patch(std::byte* bytes, uint64_t value, int width, int shift) {
  uint32_t instruction;
  std::memcpy(&instruction, bytes, sizeof instruction);
  const uint32_t mask = ((uint32_t{1} << width) - 1) << shift;
  instruction = (instruction & ~mask) | (static_cast<uint32_t>(value << shift) & mask);
  store(bytes, instruction);
}

/// log2 of the access size: the unit of a load or store's 12-bit offset.
int offset_scale(uint32_t type) {
  switch (type) {
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return 1;
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return 2;
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return 3;
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return 4;
    default:
      return 0;
  }
}

bool relocate_aarch64(uint32_t type, std::byte* bytes, uint64_t place, uint64_t target) {
  const auto distance = static_cast<int64_t>(target - place);
  switch (type) {
    case R_AARCH64_ABS64:
      store(bytes, target);
      return true;
    case R_AARCH64_PREL64:
      store(bytes, distance);
      return true;
    case R_AARCH64_PREL32:
      if (!fits(distance, 32)) return false;
      store(bytes, static_cast<int32_t>(distance));
      return true;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      if (!fits(distance, 28)) return false;
      patch(bytes, static_cast<uint64_t>(distance >> 2), 26, 0);
      return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE: {
      const int64_t pages = static_cast<int64_t>(target >> 12) - static_cast<int64_t>(place >> 12);
      if (!fits(pages, 21)) return false;
      patch(bytes, static_cast<uint64_t>(pages) & 3, 2, 29);
      patch(bytes, static_cast<uint64_t>(pages >> 2), 19, 5);
      return true;
    }
    default: {
      const int scale = offset_scale(type);
      const uint64_t low = target & 0xfff;
      if ((low & ((uint64_t{1} << scale) - 1)) != 0) return false;
      patch(bytes, low >> scale, 12, 10);
      return true;
    }
  }
}

}  // namespace

Reach reach_of(uint16_t machine, uint32_t type) {
  if (machine == EM_X86_64) return reach_on_x86_64(type);
  return machine == EM_AARCH64 ? reach_on_aarch64(type) : Reach::unknown;
}

size_t relocation_size(uint16_t machine, uint32_t type) {
  const bool wide = machine == EM_X86_64 ? type == R_X86_64_64 || type == R_X86_64_PC64
                                         : type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64;
  return wide ? 8 : 4;
}

bool relocate(uint16_t machine, uint32_t type, std::byte* bytes, uint64_t place, uint64_t target) {
  return machine == EM_X86_64 ? relocate_x86_64(type, bytes, place, target)
                              : relocate_aarch64(type, bytes, place, target);
}

void write_stub(uint16_t machine, std::byte* bytes, uint64_t address) {
  if (machine == EM_X86_64) {
    const uint8_t jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x90, 0x90};  // jmp *2(%rip); nop; nop
    std::memcpy(bytes, jump, sizeof jump);
  } else {
    store(bytes, uint32_t{0x58000050});      // ldr x16, .+8
    store(bytes + 4, uint32_t{0xd61f0200});  // br x16
  }
  store(bytes + stub_address_offset, address);
}

}  // namespace sinter::device::cpu
