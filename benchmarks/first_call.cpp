// SPDX-License-Identifier: Apache-2.0
// The first call of a compiled function in a fresh process: with an empty disk cache (capture, passes, code generation,
// load) and with a warm one. Every sample is a child process of its own; medians over them. The warm ones prove by
// /proc/self/maps that no code generator was loaded.
//
//   bench_first_call [--device cpu|cuda] [--runs n] [--json]
#include <sinter/sinter.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/harness/rounds.h"
#ifdef SINTER_WITH_LLVM
#include "codegen/llvm/open.h"
#endif
#ifdef SINTER_WITH_CUDA
#include "runtime/device/cuda/nvrtc_library.h"
#endif

namespace {

using namespace sinter;
using namespace sinter::benchmarks;
namespace fs = std::filesystem;

using Body = std::function<Tensor(const Tensor&)>;

/// What is compiled. Sizes are small: a first call should cost what compiling costs.
struct Program {
  std::string name;
  Body body;
};

std::vector<Program> programs() {
  return {{"relu(x + 1) * 2", [](const Tensor& x) { return relu(x + 1) * 2; }},
          {"gelu(x * 2 + 1)", [](const Tensor& x) { return gelu(x * 2 + 1); }}};
}

/// Is a file whose name contains `part` mapped into this process?
bool is_loaded(const std::string& part) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

/// Opens the code generator's library; milliseconds.
double open_code_generator(Device device) {
  const auto begin = Clock::now();
  if (device.is_cuda()) {
#ifdef SINTER_WITH_CUDA
    if (!device::cuda::nvrtc().found) throw DeviceError(device::cuda::nvrtc().text);
#endif
  } else {
#ifdef SINTER_WITH_LLVM
    llvm_codegen::open_backend(SINTER_LLVM_MODULE);
#endif
  }
  return seconds_since(begin) * 1e3;
}

/// Milliseconds of a call, its result computed.
double timed_call(Compiled<Body>& f, const Tensor& x) {
  const auto begin = Clock::now();
  const Tensor y = f(x);
  synchronize(x.device());
  return seconds_since(begin) * 1e3;
}

/// One sample: prints "name value" lines for the parent.
void child(const Program& program, Device device, bool warm) {
  std::vector<float> values(16384, 0.5f);
  Tensor x = from<float>(values, {128, 128});
  if (device.is_cuda()) x = to(x, device);  // makes the context
  synchronize(device);
  const double open = warm ? 0 : open_code_generator(device);
  auto f = sinter::compile(program.body, {.name = "first"});
  const double first = timed_call(f, x), second = timed_call(f, x);
  if (const bool hit = f.stats().disk_hits > 0; hit != warm)
    throw CompileError(warm ? "the disk cache was not used" : "the disk cache was not empty");
  if (warm && (is_loaded("libLLVM") || is_loaded("libsinter_llvm") || is_loaded("libnvrtc")))
    throw CompileError("a code generator was loaded though the disk cache had the kernel");
  const double compile = f.explain(x).regions.at(0).compile_ms;
  fmt::print("open {}\nfirst {}\nsecond {}\ncompile {}\n", open, first, second * 1e3, compile);
  if (warm) return;
  auto g = sinter::compile(Body([](const Tensor& t) { return tanh(t * 3) - 1; }), {.name = "other"});
  fmt::print("other {}\n", timed_call(g, x));
}

/// A folder that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "sinter-first-call-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::map<std::string, double> run_child(size_t program, Device device, bool warm, const fs::path& cache) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("SINTER_CACHE=1 SINTER_CACHE_DIR='{}' '{}' --child {} {} {}", cache.string(),
                                          self, program, device.is_cuda() ? "cuda" : "cpu", warm ? "warm" : "cold");
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr) throw std::runtime_error("cannot run " + command);
  std::map<std::string, double> values;
  char name[32];
  double value = 0;
  while (fscanf(out, "%31s %lf", name, &value) == 2) values[name] = value;
  if (pclose(out) != 0) throw std::runtime_error("failed: " + command);
  return values;
}

std::vector<Figure> figures(Device device, int runs) {
  const bool cuda = device.is_cuda();
  const char* generator = cuda ? "NVRTC" : "the LLVM object";
  std::vector<Figure> f;
  const std::vector<Program> all = programs();
  for (size_t p = 0; p < all.size(); ++p) {
    std::map<std::string, Samples> cold, warm;
    for (int i = 0; i < runs; ++i) {
      const TemporaryFolder cache;
      for (const auto& [name, ms] : run_child(p, device, false, cache.path())) cold[name].values.push_back(ms);
      for (const auto& [name, ms] : run_child(p, device, true, cache.path())) warm[name].values.push_back(ms);
    }
    const std::string n = all[p].name + ": ";
    const Samples total = cold["open"].with(cold["first"], [](double x, double y) { return x + y; });
    f.push_back(figure(n + "first call, cold, code generator opened before", "ms", cold["first"], cuda ? 0 : 30));
    f.push_back(figure(n + "  of it passes, code generation, load, store", "ms", cold["compile"]));
    f.push_back(figure(n + "  opening " + generator + " (not in it)", "ms", cold["open"]));
    f.push_back(figure(n + "  both", "ms", total, cuda ? 150 : 0));
    f.push_back(figure(n + "  first call of another function after it, cold", "ms", cold["other"]));
    f.push_back(figure(n + "first call, warm disk cache, no code generator", "ms", warm["first"], 15));
    f.push_back(figure(n + "  of it reading the cache and loading", "ms", warm["compile"]));
    f.push_back(figure(n + "  second call", "us", warm["second"]));
  }
  return f;
}

bool can_generate(Device device) {
#ifdef SINTER_WITH_LLVM
  if (device.is_cpu()) return true;
#endif
#ifdef SINTER_WITH_CUDA
  if (device.is_cuda()) return true;
#endif
  fmt::print(stderr, "this build has no code generator for {}: nothing to measure\n", device.text());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Device device = Device::cpu();
  int runs = 11;
  bool as_json = false;
  const auto device_of = [](const char* name) {
    return std::strcmp(name, "cuda") == 0 ? Device::cuda(0) : Device::cpu();
  };
  try {
    if (argc == 5 && std::strcmp(argv[1], "--child") == 0) {
      child(programs().at(static_cast<size_t>(std::atoi(argv[2]))), device_of(argv[3]),
            std::strcmp(argv[4], "warm") == 0);
      return 0;
    }
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--json") == 0) as_json = true;
      if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc) device = device_of(argv[++i]);
      if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) runs = std::max(1, std::atoi(argv[++i]));
    }
    if (!can_generate(device)) return 0;
    report(figures(device, runs), as_json);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
