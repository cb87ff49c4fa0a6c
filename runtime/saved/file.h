// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/saved/frozen_call.h"
#include "runtime/saved/target.h"

namespace sinter::saved {

/// Code of one or more kernels: an image for Backend::load, or CUDA C.
struct Code {
  std::string bytes;
  friend bool operator==(const Code&, const Code&) = default;
};

/// A tensor that the host code captured or made: the elements between the lowest and the highest address that its
/// strides reach.
struct Constant {
  DType dtype;
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;  ///< elements from the lowest address to the first element
  std::string bytes;
  friend bool operator==(const Constant&, const Constant&) = default;
};

/// A call's plan for one target.
struct Program {
  int32_t target = 0;
  bool aligned = false;  ///< for inputs at multiples of 16 bytes only
  exec::Plan plan;
  std::vector<int32_t> code;  ///< of each kernel of the plan
  friend bool operator==(const Program&, const Program&) = default;
};

struct SavedCall {
  FrozenCall call;
  std::vector<int32_t> constants;  ///< of the file, by the call's numbering
  std::vector<Program> programs;   ///< none if nothing is computed
  friend bool operator==(const SavedCall&, const SavedCall&) = default;
};

/// A saved function: plain data, no host code. Calls are tried in order.
struct File {
  std::string name;      ///< of the function
  std::string location;  ///< "pre.cpp:14"
  std::vector<Target> targets;
  std::vector<Code> code;
  std::vector<Constant> constants;
  std::vector<SavedCall> calls;
  friend bool operator==(const File&, const File&) = default;
};

/// The bytes of a file: magic, version of the format, length and checksum of the rest, the rest.
std::string pack(const File& file);
/// Checks everything, down to each index. UserError naming `path` in words: cut off, changed, of another version, not a
/// saved function.
File unpack(std::string_view bytes, const std::string& path);

}  // namespace sinter::saved
