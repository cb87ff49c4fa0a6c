// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sinter::simt {

/// A CUDA text, unchanged, and what it becomes as C++.
struct HostUnit {
  std::string_view text;
  std::string_view entry;
  std::string symbol;  ///< unique in the process
};

/// One C++ file of several texts. It exports sinter_host (a HostTable*), and for each of them a function
/// `symbol(const uint64_t* slots)`, an int `symbol`_slots and the array `symbol`_shared.
std::string host_file(std::span<const HostUnit> units);

/// Name of the only kernel of a text, and its static shared memory. Throws CompileError where there is none.
std::string entry_of(std::string_view text);
size_t shared_bytes_of(std::string_view text);
/// Blocks that run together.
unsigned cluster_of(std::string_view text);

}  // namespace sinter::simt
