// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::lower {

// What one kernel may hold. Code generation takes longer than linear time in a kernel's instructions, and a kernel's
// parameters, registers and memory streams are few; past these sizes a value goes through memory.
inline constexpr size_t max_instructions = 1024;
inline constexpr int max_depth = 160;  ///< producers inlined into each other
inline constexpr size_t max_nodes = 224;
inline constexpr size_t max_buffers = 48;
inline constexpr size_t max_stores = 16;

// Instructions that may be repeated instead of going through memory. At memory speed the machine has about 28
// instructions to spare for every two bytes that it moves.
inline constexpr int max_repeated = 32;
inline constexpr int load_weight = 4;  ///< instructions that a load counts for

// A fold whose result is read again over the folded elements, or folded with (softmax), keeps a row in one program.
// Longer rows give too few programs; a short one is read again from cache.
inline constexpr int64_t max_row_read_again = int64_t{1} << 20;
inline constexpr int64_t max_row_alone = int64_t{1} << 14;  ///< where there are fewer than Options::many_rows

// Boxes of one value (cat, pad). A kernel is compiled in time proportional to its boxes, and finds a program's box by
// comparisons; a value of more boxes is written by several kernels.
inline constexpr size_t max_boxes = 16;  ///< of one kernel
// Boxes along several axes multiply, and each holds its own copy of what is computed from the joined value.
inline constexpr size_t boxes_per_masked_load = 4;
inline constexpr size_t max_copied_instructions = 8 * max_instructions;
/// A box whose runs of neighbouring elements are shorter is not worth apart: memory moves in lines and sectors.
inline constexpr int64_t shortest_run_bytes = 64;

// Groups that share a launch (join_groups.h). A launch takes the host as long as an H200 takes to move some 14 MB; a
// group of a quarter of that is bound by its launch, and what it moves does not suffer from the registers of its
// neighbours. A kernel has at most 4 KB of parameters, 512 of them.
inline constexpr int64_t small_group_bytes = int64_t{4} << 20;
inline constexpr int64_t max_joined_bytes = 16 * small_group_bytes;
inline constexpr size_t max_joined_nests = 64;
inline constexpr size_t max_joined_buffers = 448;
inline constexpr size_t max_joined_instructions = 2 * max_instructions;

}  // namespace sinter::lower
