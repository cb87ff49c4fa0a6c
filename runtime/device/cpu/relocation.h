// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::device::cpu {

/// How a relocation reaches its symbol.
enum class Reach : uint8_t {
  unknown,  ///< not a type that position independent code of ours needs
  none,
  direct,   ///< the symbol itself
  stub,     ///< a call: the symbol, or a stub near the code if it may be far
  address,  ///< the place where the symbol's address is stored
};

/// `machine` is EM_X86_64 or EM_AARCH64.
Reach reach_of(uint16_t machine, uint32_t type);

/// Writes the relocation at `bytes`, which will run at address `place`; `target` is symbol + addend. False if the
/// target is out of reach.
bool relocate(uint16_t machine, uint32_t type, std::byte* bytes, uint64_t place, uint64_t target);
/// Bytes that relocate() touches.
size_t relocation_size(uint16_t machine, uint32_t type);

/// A jump to any address, followed by that address as 8 bytes: stub_address_offset bytes after the stub's begin.
constexpr size_t stub_size = 16, stub_address_offset = 8;
void write_stub(uint16_t machine, std::byte* bytes, uint64_t address);

}  // namespace sinter::device::cpu
