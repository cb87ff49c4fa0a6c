// SPDX-License-Identifier: Apache-2.0
//
// Random graphs over all ops, dtypes and views, compared with the reference interpreter bit by bit:
//   sinter_fuzz [--seconds 60] [--device cpu|cuda] [--processes 1] [--seed 1]
// Prints what came up how often and each failure, minimised, as a test for reproductions_test.cpp; returns 1 if there
// is one. Process p of n tests the seeds that begin with SEED + p, n apart. On CUDA graphs do without f64 functions
// that are the platform's.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "src/ops/ops.h"
#include "tests/fuzz/campaign.h"

namespace {

using namespace sinter::fuzz;  // NOLINT(google-build-using-namespace): nothing else is in this file

struct Arguments {
  double seconds = 60;
  bool cuda = false;
  uint64_t processes = 1, seed = 1;
};

bool read(int argc, char** argv, Arguments& a) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (value.empty()) return false;
    if (name == "--seconds")
      a.seconds = std::strtod(value.c_str(), nullptr);
    else if (name == "--processes")
      a.processes = std::max<uint64_t>(1, std::strtoull(value.c_str(), nullptr, 10));
    else if (name == "--seed")
      a.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--device" && (value == "cpu" || value == "cuda"))
      a.cuda = value == "cuda";
    else
      return false;
  }
  return true;
}

constexpr Way cuda_ways[] = {{sinter::Device::cuda(0), sinter::Fusion::all},
                             {sinter::Device::cuda(0), sinter::Fusion::none},
                             {sinter::Device::cuda(0), sinter::Fusion::all, sinter::Math::fast}};

/// One process's share; what it found goes to the file: numbers, coverage, failures. `at` is the seed that it tests.
void run_share(const Arguments& a, uint64_t process, const std::string& path, volatile uint64_t& at) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  GeneratorOptions options;
  options.platform_functions = !a.cuda;
  const std::span<const Way> ways = a.cuda ? std::span<const Way>(cuda_ways) : std::span<const Way>(cpu_ways);
  Campaign campaign(ways, options);
  if (const std::string why = why_nothing_runs(ways); !why.empty()) {  // no graph's fault, and nothing to minimise
    std::ofstream(path) << "0 0 1\nfailures\nnothing runs: " << why << '\n';
    return;
  }
  for (uint64_t seed = a.seed + process; seconds() < a.seconds && campaign.goes_on(); seed += a.processes) {
    at = seed;
    campaign.test(seed);
  }
  std::ofstream file(path);
  file << campaign.graphs << ' ' << campaign.refused << ' ' << campaign.failures.size() << '\n';
  file << campaign.coverage.lines() << "failures\n";
  for (const std::string& f : campaign.failures) file << f << '\n';
}

struct Total {
  int graphs = 0, refused = 0, failures = 0;
  Coverage coverage;
  std::string texts;
};

/// Adds a process's findings; one that died left only the seed that it was at.
void collect(Total& total, const std::string& path, int status, uint64_t at) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  int graphs = 0, refused = 0, failures = 0;
  if (status != 0 || !(text >> graphs >> refused >> failures)) {
    ++total.failures;
    total.texts +=
        fmt::format("a process died at seed {} of {}; its last words are above\n", at,
                    WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                        : fmt::format("exit status {}", WEXITSTATUS(status)));
    return;
  }
  total.graphs += graphs;
  total.refused += refused;
  total.failures += failures;
  const std::string rest = text.str();
  const size_t first = rest.find('\n') + 1, last = rest.find("failures\n");
  total.coverage.add(std::string_view(rest).substr(first, last - first));
  total.texts += rest.substr(last + std::strlen("failures\n"));
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  if (!read(argc, argv, a)) {
    fmt::print(stderr, "usage: sinter_fuzz [--seconds 60] [--device cpu|cuda] [--processes 1] [--seed 1]\n");
    return 2;
  }
  sinter::ops::register_all_ops();
  char folder[] = "/tmp/sinter_fuzz_XXXXXX";
  if (mkdtemp(folder) == nullptr) return 2;
  void* const shared = mmap(nullptr, a.processes * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto* const seeds = static_cast<volatile uint64_t*>(shared);
  std::vector<pid_t> children;
  std::vector<std::string> paths;
  for (uint64_t p = 0; p < a.processes; ++p) {
    paths.push_back(fmt::format("{}/{}", folder, p));
    const pid_t child = fork();  // before anything of the device exists
    if (child == 0) {
      run_share(a, p, paths.back(), seeds[p]);
      std::_Exit(0);
    }
    children.push_back(child);
  }
  Total total;
  for (size_t p = 0; p < children.size(); ++p) {
    int status = -1;
    waitpid(children[p], &status, 0);
    collect(total, paths[p], status, seeds[p]);
    unlink(paths[p].c_str());
  }
  rmdir(folder);
  fmt::print("{}", total.coverage.text());
  fmt::print("{}", total.texts);
  fmt::print("{}: {} graphs from seed {} in {} s by {} processes, {} refused, {} failures\n", a.cuda ? "cuda" : "cpu",
             total.graphs, a.seed, a.seconds, a.processes, total.refused, total.failures);
  return total.failures == 0 && total.graphs > 0 ? 0 : 1;
}
