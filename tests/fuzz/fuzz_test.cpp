// SPDX-License-Identifier: Apache-2.0
// Random graphs give the interpreter's bits on every device. A failing one is minimised and printed as a test for
// reproductions_test.cpp. For longer runs, and on GPUs, there is sinter_fuzz (command/fuzz.cc).
//
//   SINTER_FUZZ_SECONDS   how long the CPU is tested (10)
//   SINTER_FUZZ_EMULATED  how many graphs run as CUDA text on the emulator (25), accurate and fast; g++ compiles every
//   kernel SINTER_FUZZ_SEED      the first seed (1); every run with one seed tests the same graphs, in order
//   SINTER_FUZZ_COVERAGE  set: prints how often ops, dtypes and layouts came up
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/fuzz/campaign.h"
#include "tests/simt/backend.h"

namespace sinter::fuzz {
namespace {

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtod(text, nullptr) : otherwise;
}

void summarise(const Campaign& campaign, const char* where, uint64_t first, double seconds) {
  fmt::print("{}: {} graphs from seed {} in {:.1f} s, {} refused, {} failures\n", where, campaign.graphs, first,
             seconds, campaign.refused, campaign.failures.size());
  if (std::getenv("SINTER_FUZZ_COVERAGE") != nullptr) fmt::print("{}", campaign.coverage.text());
  for (const std::string& f : campaign.failures) ADD_FAILURE() << f;
  // What is refused tests nothing.
  EXPECT_LE(campaign.refused * 20, campaign.graphs) << "too many graphs are refused";
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

uint64_t first_seed() { return static_cast<uint64_t>(from_environment("SINTER_FUZZ_SEED", 1)); }

TEST(Fuzz, CpuGivesTheReferenceBits) {
  const double limit = from_environment("SINTER_FUZZ_SECONDS", 10);
  const auto begin = Clock::now();
  Campaign campaign(cpu_ways, {});
  for (uint64_t seed = first_seed(); seconds_since(begin) < limit && campaign.goes_on(); ++seed) campaign.test(seed);
  summarise(campaign, "cpu", first_seed(), seconds_since(begin));
}

TEST(Fuzz, CudaTextGivesTheReferenceBits) {
  simt::install();
  const auto count = static_cast<uint64_t>(from_environment("SINTER_FUZZ_EMULATED", 25));
  const auto begin = Clock::now();
  constexpr Way emulated[] = {{Device::cuda(0), Fusion::all}, {Device::cuda(0), Fusion::all, Math::fast}};
  Campaign campaign(emulated, {.max_ops = 10, .symbols = true, .platform_functions = false});
  for (uint64_t i = 0; i < count && campaign.goes_on(); ++i) campaign.test(first_seed() + i);
  summarise(campaign, "emulator", first_seed(), seconds_since(begin));
}

}  // namespace
}  // namespace sinter::fuzz
