// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/exec/plan.h"

namespace sinter::saved {

/// Which arguments a frozen call takes, as plain data over the words of the arguments' key (exec::append_inputs). A
/// word whose mask is 0 is free but for its range and the equalities.
struct Signature {
  struct Range {
    int32_t word = 0;
    int64_t least = 0, most = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  /// `reason` says who asked for it: "the host code read dim 0 of [add] pre.cpp:12".
  struct Equality {
    exec::HostExpr left, right;
    std::string reason;
    friend bool operator==(const Equality&, const Equality&) = default;
  };

  int32_t arguments = 0;
  std::vector<int64_t> expected, mask;
  std::vector<Range> ranges;
  std::vector<Equality> equal;
  std::vector<exec::HostInstruction> code;  ///< of the equalities
  friend bool operator==(const Signature&, const Signature&) = default;

  bool matches(std::span<const int64_t> key) const;
  /// The first thing about a call's key that does not fit, in words: "argument 0: dim 1 is 37, not 50".
  std::string mismatch(std::span<const int64_t> key, size_t argument_count) const;
  /// "f32 [n >= 2,3], u8 []": free extents by their ranges.
  std::string text() const;
};

/// The bits of a key's word with an input's dtype, device, rank and memory order, without the device, since saved calls
/// run on any that they have code for, and without the promise of freeze().
inline constexpr int64_t meta_without_device = ~(int64_t{0xffffff} << 16 | int64_t{1} << 50);

/// CompileError if the parts do not fit together: signatures come from files.
void check(const Signature& s);

}  // namespace sinter::saved
