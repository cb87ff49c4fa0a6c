// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::benchmarks {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What one thing took, once a round. Rounds of all cases take turns, so a difference or ratio of two cases is formed
/// round by round: what disturbed the machine then disturbed both.
struct Samples {
  std::vector<double> values;

  double quantile(double q) const {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  double median() const { return quantile(0.5); }
  double min() const { return quantile(0); }

  /// f of each round's values.
  template <class F>
  Samples with(const Samples& other, const F& f) const {
    Samples s;
    for (size_t i = 0; i < values.size(); ++i) s.values.push_back(f(values[i], other.values[i]));
    return s;
  }
  Samples operator-(const Samples& o) const {
    return with(o, [](double a, double b) { return a - b; });
  }
};

/// Something to time: `repeats` runs a round.
struct Case {
  int repeats;
  std::function<void()> run;
  Samples ns = {};  ///< of one run
};

inline void measure(const std::vector<Case*>& cases, int rounds) {
  for (Case* c : cases)
    for (int i = 0; i < c->repeats; ++i) c->run();
  for (int round = 0; round < rounds; ++round)
    for (Case* c : cases) {
      const auto begin = Clock::now();
      for (int i = 0; i < c->repeats; ++i) c->run();
      c->ns.values.push_back(seconds_since(begin) * 1e9 / c->repeats);
    }
}

/// A line of a benchmark's output. A goal is an upper bound of the median; 0: none.
struct Figure {
  std::string name, unit;
  double median = 0, min = 0, goal = 0;
};

inline Figure figure(std::string name, std::string unit, const Samples& s, double goal = 0) {
  return {std::move(name), std::move(unit), s.median(), s.min(), goal};
}

inline void print(const Figure& r) {
  fmt::print("{:<68} {:>9.2f} {:<3} min {:>9.2f}", r.name, r.median, r.unit, r.min);
  if (r.goal > 0) fmt::print("   goal {:g}: {}", r.goal, r.median <= r.goal ? "met" : "MISSED");
  fmt::print("\n");
}

/// {"name": {"median": .., "min": .., "unit": .., "goal": ..}, ..}
inline std::string json(const std::vector<Figure>& rows) {
  std::string s = "{";
  for (const Figure& r : rows) {
    s += fmt::format("{}\"{}\": {{\"median\": {:.3f}, \"min\": {:.3f}, \"unit\": \"{}\"", s.size() > 1 ? ", " : "",
                     r.name, r.median, r.min, r.unit);
    s += r.goal > 0 ? fmt::format(", \"goal\": {:g}}}", r.goal) : "}";
  }
  return s + "}";
}

/// Rows for a person, or as one line of JSON for benchmarks/record_cpu.py.
inline void report(const std::vector<Figure>& rows, bool as_json) {
  if (as_json) fmt::print("{}\n", json(rows));
  if (!as_json)
    for (const Figure& r : rows) print(r);
}

/// main() of a program that takes "--json" and a number of rounds: run(rounds, as_json).
inline int run_rounds(int argc, char** argv, int rounds, const std::function<void(int, bool)>& run) {
  bool as_json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json")
      as_json = true;
    else
      rounds = std::max(1, std::atoi(argv[i]));
  }
  try {
    run(rounds, as_json);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}

}  // namespace sinter::benchmarks
