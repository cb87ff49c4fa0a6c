// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/campaign.h"

#include <fmt/format.h>

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "tests/fuzz/minimise.h"

namespace sinter::fuzz {
namespace {

constexpr int minimising_trials = 300;

/// "seed N": what a kernel that faults leaves behind.
char last_words[64];

void say_last_words(int signal) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words, std::strlen(last_words));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Campaign::Campaign(std::span<const Way> ways, const GeneratorOptions& options) : ways_(ways), options_(options) {
  for (int signal : {SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGABRT}) std::signal(signal, say_last_words);
}

void Campaign::test(uint64_t seed) {
  *fmt::format_to_n(last_words, sizeof last_words - 1, "a fault in seed {}\n", seed).out = 0;
  const Case c = generate(seed, options_);
  coverage.note(c);
  const Outcome o = compare(c, ways_);
  ++graphs;
  refused += o.verdict == Verdict::refused ? 1 : 0;
  if (o.verdict == Verdict::different) failures.push_back(report(c, seed, o.text));
}

std::string Campaign::report(const Case& c, uint64_t seed, const std::string& why) const {
  const Case least = minimise(
      c, [&](const Case& smaller) { return compare(smaller, ways_).verdict == Verdict::different; }, minimising_trials);
  return fmt::format("seed {}: {}\nminimised: {}\n{}", seed, why, compare(least, ways_).text,
                     test_text(least, fmt::format("Seed{}", seed)));
}

}  // namespace sinter::fuzz
