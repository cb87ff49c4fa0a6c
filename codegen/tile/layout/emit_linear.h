// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/tile/layout/convert.h"

namespace sinter::tile_ir {

/// A C variable that a linear function reads: bit i of it contributes columns[i]. Its value has no other bits set.
struct LinearInput {
  std::string_view name;
  std::span<const uint32_t> columns;
};

/// Text of a linear function in C.
struct LinearText {
  std::string text;   ///< an expression; in parentheses unless it is a single name or number
  uint32_t bits = 0;  ///< the bits that its value can have set
};

/// A short C expression for the XOR of all contributions: every input bit goes through few terms of the form
/// ((name & mask) << shift) or ((name & mask) * factor), found greedily by how many matrix entries they cover. Masks
/// that keep everything and shifts by zero vanish; terms whose results cannot overlap are added, others XORed.
/// Variables are unsigned 32-bit integers, and so is the result. Example: `((lane & 3) << 2) + (warp << 4)`.
LinearText emit_linear(std::span<const LinearInput> inputs);

/// emit_linear of a thread function.
LinearText emit_thread_function(const ThreadFunction& function, std::string_view lane, std::string_view warp);

/// `thread` combined with a constant of the same bit space: an addition where the two cannot overlap (so that compilers
/// fold it into the displacement of an address), else an XOR. Nothing to do for zero.
std::string with_constant(const LinearText& thread, uint32_t constant);

/// The part of a register's coordinate along `dim` that the thread contributes. The coordinate of register r is
/// with_constant(thread part, layout.coords(r, 0)[dim]).
LinearText emit_thread_coordinate(const LinearLayout& layout, int dim, std::string_view lane, std::string_view warp);

}  // namespace sinter::tile_ir
