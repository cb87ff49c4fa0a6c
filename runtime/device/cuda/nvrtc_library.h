// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

namespace sinter::device::cuda {

/// The functions of NVRTC that we use; their signatures have not changed from CUDA 11 to 13.
#define SINTER_NVRTC(X)                                                                      \
  X(Version, (int* major, int* minor))                                                       \
  X(GetNumSupportedArchs, (int* count))                                                      \
  X(GetSupportedArchs, (int* architectures))                                                 \
  X(CreateProgram, (nvrtcProgram * program, const char* text, const char* name, int headers, \
                    const char* const* header_texts, const char* const* header_names))       \
  X(CompileProgram, (nvrtcProgram program, int count, const char* const* options))           \
  X(GetProgramLogSize, (nvrtcProgram program, size_t* size))                                 \
  X(GetProgramLog, (nvrtcProgram program, char* log))                                        \
  X(GetCUBINSize, (nvrtcProgram program, size_t* size))                                      \
  X(GetCUBIN, (nvrtcProgram program, char* cubin))                                           \
  X(DestroyProgram, (nvrtcProgram * program))

struct Nvrtc {
#define SINTER_MEMBER(name, parameters) nvrtcResult(*name) parameters = nullptr;
  SINTER_NVRTC(SINTER_MEMBER)
#undef SINTER_MEMBER
  int version = 0;                 ///< 13000 is 13.0
  std::vector<int> architectures;  ///< 80, 86, ... that it compiles for
};

struct NvrtcResult {
  bool found = false;
  Nvrtc nvrtc;
  std::string text;  ///< "NVRTC 13.0: found", or what was tried
};

/// The process's NVRTC, opened on first use: SINTER_NVRTC, or version 13 or 12, whichever the driver can run the code
/// of.
const NvrtcResult& nvrtc();

/// The first of these libraries that can be used.
NvrtcResult load_nvrtc(const std::vector<std::string>& libraries);

}  // namespace sinter::device::cuda
