// SPDX-License-Identifier: Apache-2.0
// Random graphs give the interpreter's bits on every device. SINTER_FUZZ_SECONDS = how long to run (15 by default, then
// seeds are those of every run); SINTER_FUZZ_SEED = the first seed (1). A failing graph is minimised and printed as a
// test for reproductions_test.cpp. SINTER_FUZZ_COVERAGE=1 prints how often each op, dtype and kind of layout was used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "src/graph/registry.h"
#include "src/graph/text.h"
#include "src/ops/ops.h"
#include "tests/fuzz/generator.h"
#include "tests/simt/backend.h"

namespace sinter::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtod(text, nullptr) : otherwise;
}

TEST(Fuzz, CpuGivesTheReferenceBits) {
  const double seconds = from_environment("SINTER_FUZZ_SECONDS", 15);
  const auto first = static_cast<uint64_t>(from_environment("SINTER_FUZZ_SEED", 1));
  const auto begin = Clock::now();
  int graphs = 0, refused = 0;
  for (uint64_t seed = first; seconds_since(begin) < seconds; ++seed, ++graphs) {
    const Case c = generate(seed);
    const Outcome o = compare(c, cpu_ways);
    refused += o.verdict == Verdict::refused ? 1 : 0;
    if (o.verdict == Verdict::different) ADD_FAILURE() << "seed " << seed << ": " << o.text << "\n" << test_text(c, "x");
    if (o.verdict == Verdict::refused) fmt::print("seed {} refused {}\n", seed, o.text);
  }
  fmt::print("{} graphs from seed {}, {} refused\n", graphs, first, refused);
}

}  // namespace
}  // namespace sinter::fuzz
