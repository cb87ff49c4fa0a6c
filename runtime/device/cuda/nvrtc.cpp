// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/nvrtc.h"

#include <fmt/format.h>
#include <sinter/error.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "runtime/device/cuda/nvrtc_library.h"
#include "runtime/device/environment.h"
#include "runtime/device/log.h"

namespace sinter::device::cuda {

namespace {

std::string version_text(int version) { return fmt::format("NVRTC {}.{}", version / 1000, version % 1000 / 10); }

const Nvrtc& library() {
  const NvrtcResult& result = nvrtc();
  if (!result.found)
    throw DeviceError(
        {.op = {},
         .what = "CUDA kernels cannot be compiled: no NVRTC could be loaded",
         .line = {},
         .context = result.text,
         .fix = "install the CUDA toolkit's NVRTC (pip and apt have it alone), or name it in SINTER_NVRTC"});
  return result.nvrtc;
}

/// A program that is destroyed in any case.
class Program {
 public:
  Program(const Nvrtc& library, const std::string& text, const std::string& name) : library_(library) {
    if (library.CreateProgram(&program_, text.c_str(), name.c_str(), 0, nullptr, nullptr) != NVRTC_SUCCESS)
      throw CompileError("internal: NVRTC made no program");
  }
  ~Program() { library_.DestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return library_.CompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }
  std::string log() const {
    size_t size = 0;
    if (library_.GetProgramLogSize(program_, &size) != NVRTC_SUCCESS || size < 2) return {};
    std::string text(size, '\0');
    library_.GetProgramLog(program_, text.data());
    text.resize(size - 1);  // without the final zero
    return text;
  }
  std::vector<std::byte> cubin() const {
    size_t size = 0;
    if (library_.GetCUBINSize(program_, &size) != NVRTC_SUCCESS || size == 0) return {};
    std::vector<std::byte> bytes(size);
    library_.GetCUBIN(program_, reinterpret_cast<char*>(bytes.data()));
    return bytes;
  }

 private:
  const Nvrtc& library_;
  nvrtcProgram program_ = nullptr;
};

void check_architecture(const Nvrtc& library, std::string_view architecture) {
  int number = 0;
  const std::string_view digits = architecture.substr(std::min<size_t>(3, architecture.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (std::ranges::find(library.architectures, number) != library.architectures.end()) return;
  throw DeviceError({.op = {},
                     .what = fmt::format("{} does not compile for {}", version_text(library.version), architecture),
                     .line = {},
                     .context = fmt::format("it knows sm_{}", fmt::join(library.architectures, ", sm_")),
                     .fix = "use an NVRTC as new as the GPU: name its library in SINTER_NVRTC"});
}

/// Writes a refused text where it can be read; the path, or why it could not be written.
std::string keep(const CompileRequest& request) {
  static std::atomic<int> count{0};
  std::error_code error;
  const std::string& dump = environment().dump;
  const std::filesystem::path folder =
      dump.empty() ? std::filesystem::temp_directory_path(error) : std::filesystem::path(dump);
  std::filesystem::create_directories(folder, error);
  const auto path = folder / fmt::format("sinter-{}-{}-{}.cu", request.name, ::getpid(), count.fetch_add(1));
  std::ofstream out(path);
  out << request.text;
  out.close();
  return out ? path.string() : "nowhere: " + path.string() + " cannot be written";
}

[[noreturn]] void refuse(const Nvrtc& library, const CompileRequest& request, const std::string& log) {
  throw CompileError({.op = {},
                      .what = fmt::format("{} refused kernel {} for {}:\n{}", version_text(library.version),
                                          request.name, request.architecture, log),
                      .line = {},
                      .context = "the text is in " + keep(request),
                      .fix = "this is an error of Sinter; please report it with that file"});
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
  const Nvrtc& n = library();
  check_architecture(n, request.architecture);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> options{fmt::format("--gpu-architecture={}", request.architecture)};
  options.insert(options.end(), request.options.begin(), request.options.end());
  Program program(n, std::string(request.text), fmt::format("{}.cu", request.name));
  nvrtcResult result = program.compile(options);
  if (result == NVRTC_ERROR_INVALID_OPTION && std::erase(options, "--minimal") > 0)
    result = program.compile(options);  // older versions do without: it only saves time
  CompileResult compiled{program.cubin(), program.log(), 0};
  if (result != NVRTC_SUCCESS || compiled.cubin.empty())
    refuse(n, request, compiled.log.empty() ? fmt::format("error {}", static_cast<int>(result)) : compiled.log);
  compiled.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (log_enabled(LogChannel::compile))
    log(LogChannel::compile, fmt::format("{}: {:.1f} ms by {} for {}, {} bytes", request.name, compiled.milliseconds,
                                         version_text(n.version), request.architecture, compiled.cubin.size()));
  return compiled;
}

NvrtcVersion nvrtc_version() {
  const NvrtcResult& result = nvrtc();
  return {result.nvrtc.version, result.text};
}

}  // namespace sinter::device::cuda
