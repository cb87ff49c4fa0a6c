// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::device::cuda {

struct CompileRequest {
  std::string_view text;          ///< CUDA C without #include
  std::string_view name;          ///< of the kernel, for messages and dumped files
  std::string_view architecture;  ///< "sm_90a"
  std::span<const std::string_view> options;
};

struct CompileResult {
  std::vector<std::byte> cubin;
  std::string log;  ///< warnings, and ptxas' report if the options ask for it
  double milliseconds = 0;
};

/// The options generated text is written for: every operation is rounded by itself, subnormals are kept.
inline constexpr std::string_view strict_options[] = {"--std=c++17", "--minimal",       "--fmad=false",
                                                      "--ftz=false", "--prec-div=true", "--prec-sqrt=true"};

/// Compiles in this process with NVRTC. CompileError with the log, and the file the text was written to, if the text is
/// refused; DeviceError if there is no NVRTC or it does not know the architecture. Any number of threads may call at
/// once.
CompileResult compile(const CompileRequest& request);

/// NVRTC as it was found: its version (13000 is 13.0; 0 without one) and a few words, "NVRTC 13.0: found".
struct NvrtcVersion {
  int version = 0;
  std::string text;
};
NvrtcVersion nvrtc_version();

}  // namespace sinter::device::cuda
