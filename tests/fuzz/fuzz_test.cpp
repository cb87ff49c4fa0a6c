// SPDX-License-Identifier: Apache-2.0
// Random graphs give the interpreter's bits on every device. A failing one is minimised and printed as a test for
// reproductions_test.cpp.
//
//   SINTER_FUZZ_SECONDS   how long the CPU is tested (10)
//   SINTER_FUZZ_EMULATED  how many graphs run as CUDA text on the emulator (40); g++ compiles every kernel
//   SINTER_FUZZ_SEED      the first seed (1); every run with one seed tests the same graphs, in order
//   SINTER_FUZZ_COVERAGE  set: prints how often ops, dtypes and layouts came up
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/coverage.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/minimise.h"
#include "tests/simt/backend.h"

namespace sinter::fuzz {
namespace {

constexpr int max_failures = 5, minimising_trials = 300;

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtod(text, nullptr) : otherwise;
}

/// "seed N": what a kernel that faults leaves behind.
char last_words[64];

void say_last_words(int signal) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words, std::strlen(last_words));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Generates and compares from seed to seed.
class Campaign {
 public:
  Campaign(std::span<const Way> ways, const GeneratorOptions& options) : ways_(ways), options_(options) {
    for (int signal : {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGABRT}) std::signal(signal, say_last_words);
  }

  void test(uint64_t seed) {
    *fmt::format_to_n(last_words, sizeof last_words - 1, "a fault in seed {}\n", seed).out = 0;
    const Case c = generate(seed, options_);
    coverage_.note(c);
    const Outcome o = compare(c, ways_);
    ++graphs_;
    refused_ += o.verdict == Verdict::refused ? 1 : 0;
    if (o.verdict == Verdict::different) report(c, seed, o.text);
  }

  bool goes_on() const { return failures_ < max_failures; }

  void summarise(const char* where, uint64_t first, double seconds) const {
    fmt::print("{}: {} graphs from seed {} in {:.1f} s, {} refused, {} failures\n", where, graphs_, first, seconds,
               refused_, failures_);
    if (std::getenv("SINTER_FUZZ_COVERAGE") != nullptr) fmt::print("{}", coverage_.text());
    // What is refused tests nothing.
    EXPECT_LE(refused_ * 20, graphs_) << "too many graphs are refused";
  }

 private:
  void report(const Case& c, uint64_t seed, const std::string& why) {
    ++failures_;
    const Case least = minimise(
        c, [&](const Case& smaller) { return compare(smaller, ways_).verdict == Verdict::different; },
        minimising_trials);
    ADD_FAILURE() << "seed " << seed << ": " << why << "\nminimised: " << compare(least, ways_).text << "\n"
                  << test_text(least, fmt::format("Seed{}", seed));
  }

  std::span<const Way> ways_;
  GeneratorOptions options_;
  Coverage coverage_;
  int graphs_ = 0, refused_ = 0, failures_ = 0;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

uint64_t first_seed() { return static_cast<uint64_t>(from_environment("SINTER_FUZZ_SEED", 1)); }

TEST(Fuzz, CpuGivesTheReferenceBits) {
  const double limit = from_environment("SINTER_FUZZ_SECONDS", 10);
  const auto begin = Clock::now();
  Campaign campaign(cpu_ways, {});
  for (uint64_t seed = first_seed(); seconds_since(begin) < limit && campaign.goes_on(); ++seed) campaign.test(seed);
  campaign.summarise("cpu", first_seed(), seconds_since(begin));
}

TEST(Fuzz, CudaTextGivesTheReferenceBits) {
  simt::install();
  const auto count = static_cast<uint64_t>(from_environment("SINTER_FUZZ_EMULATED", 40));
  const auto begin = Clock::now();
  constexpr Way emulated[] = {{Device::cuda(0), Fusion::all}};
  Campaign campaign(emulated, {.max_ops = 10, .symbols = true, .platform_functions = false});
  for (uint64_t i = 0; i < count && campaign.goes_on(); ++i) campaign.test(first_seed() + i);
  campaign.summarise("emulator", first_seed(), seconds_since(begin));
}

}  // namespace
}  // namespace sinter::fuzz
