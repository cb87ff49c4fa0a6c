// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/coverage.h"
#include "tests/fuzz/generator.h"

namespace sinter::fuzz {

/// Generates graphs and compares them, seed by seed; a failing one is minimised.
class Campaign {
 public:
  Campaign(std::span<const Way> ways, const GeneratorOptions& options);

  void test(uint64_t seed);

  static constexpr int max_failures = 5;
  bool goes_on() const { return static_cast<int>(failures.size()) < max_failures; }

  Coverage coverage;
  int graphs = 0, refused = 0;
  std::vector<std::string> failures;  ///< each with a test that reproduces it

 private:
  std::string report(const Case& c, uint64_t seed, const std::string& why) const;

  std::span<const Way> ways_;
  GeneratorOptions options_;
};

}  // namespace sinter::fuzz
