// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sinter {

/// One generated kernel of a region.
struct KernelExplanation {
  int step = 0;        ///< kernels and library calls run in this order
  std::string name;    ///< "pre_0"; in the second region of a call "pre.1_0"
  std::string symbol;  ///< of the generated code, as profilers show it: regions may share one
  int64_t blocks = 0;
  int threads = 0;
  int registers = 0;    ///< CUDA
  int spill_bytes = 0;  ///< CUDA: local memory a thread
  int shared_bytes = 0;
  std::vector<std::string> notes;  ///< what was fused, what was refused and by which rule
  std::string source;              ///< CUDA C text, or the tile program on the CPU
};

/// One call of a region that a library, or a function of the user's, computes.
struct CallExplanation {
  int step = 0;
  std::string op;                     ///< "matmul"
  std::string library;                ///< "cublaslt"
  std::string attributes;             ///< "epilogue=relu, dtype=bf16"
  std::vector<std::string> operands;  ///< "bf16 [4096,1024] strides [1,4096]", as the library reads them
  std::vector<std::string> results;
};

struct GuardExplanation {
  std::string subject;  ///< "input 0", "number 2"
  std::string text;     ///< "u8 [1080,1920,3] cuda:0 contiguous"
  std::string state;    ///< "static", or "s1 = 10 in this call; was 50, then 37 (call 2)"
};

/// One region: what was recorded between two points where the host needed a value.
struct RegionExplanation {
  std::string end;                ///< "end of function", "[item] gate.cpp:18"
  bool at_break = false;          ///< it ended before the end of the function
  bool later = false;             ///< values that an earlier break had kept, computed because `end` needed them
  int stored = 0;                 ///< values that it computed
  std::vector<std::string> kept;  ///< "%3 f32 [4,6]": alive, but computed only if something uses them
  std::string entry;              ///< "entry 2 of 2"
  std::string backend;            ///< what runs it: "sinter", "eager", ...
  bool fast_math = false;         ///< compiled with Math::fast
  bool compiled_now = false, from_disk = false;
  double compile_ms = 0;
  int64_t bytes = 0;          ///< of inputs that the stored values need, and of these, once each
  int64_t unfused_bytes = 0;  ///< the same, op by op
  int op_count = 0;           ///< that the stored values need
  std::vector<GuardExplanation> guards;
  std::vector<std::string> graph;  ///< one line an op
  std::vector<KernelExplanation> kernels;
  std::vector<CallExplanation> calls;
  std::vector<std::string> library_notes;  ///< calls that no library computes, and why; they became kernels
};

/// What a call did. Fields for programs, text() for people.
struct Explanation {
  std::string name;
  std::string location;  ///< where compile() was called
  std::string device;
  std::vector<RegionExplanation> regions;
  std::vector<std::string> recompiles;  ///< "call 2 ([item] gate.cpp:18): input 0: dim 0 was 50, now 37"
  double copy_bytes_per_second = 0;     ///< the device's known copy ceiling (read and written), or 0
  double floor_us = 0;                  ///< bytes of all regions over that ceiling

  std::vector<KernelExplanation> kernels() const;      ///< of all regions
  std::vector<CallExplanation> library_calls() const;  ///< of all regions
  int breaks() const;                                  ///< regions that ended before the end of the function
  std::string text() const;
};

}  // namespace sinter
#pragma GCC visibility pop
