// SPDX-License-Identifier: Apache-2.0
// bench_workloads: first calls and steady calls of the workloads, without peers (compare_torch.py adds them).
//
//     bench_workloads [--device cpu|cuda] [--rounds n] [--csv] [--json] [name ..]     all workloads if none is named
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/workload_runner/workload.h"

namespace sinter::benchmarks {
namespace {

struct Settings {
  Device device = Device::best();
  BenchmarkOptions how;
  bool as_csv = false, as_json = false;
  std::vector<std::string> names;
};

Settings settings_of(const std::vector<std::string>& words) {
  Settings s;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--csv")
      s.as_csv = true;
    else if (words[i] == "--json")
      s.as_json = true;
    else if (words[i] == "--device" && has_value)
      s.device = words[++i] == "cuda" ? Device::cuda(0) : Device::cpu();
    else if (words[i] == "--rounds" && has_value)
      s.how.rounds = std::atoi(words[++i].c_str());
    else if (words[i].starts_with("--"))
      throw std::runtime_error("unknown option " + words[i]);
    else
      s.names.push_back(words[i]);
  }
  for (const std::string& n : s.names)
    if (std::ranges::none_of(workloads(), [&](const Workload* w) { return w->name == n; }))
      throw std::runtime_error("no workload " + n);
  return s;
}

void run(const Workload& w, const Settings& s) {
  const BenchmarkResult r =
      benchmark(compile(w.run, {.name = w.name, .math = w.math}), s.how, make_arguments(w, s.device));
  fmt::print("{}\n", s.as_csv ? csv(r) : s.as_json ? json(r) : r.text());
}

}  // namespace
}  // namespace sinter::benchmarks

int main(int argc, char** argv) try {
  using namespace sinter::benchmarks;
  const Settings s = settings_of({argv + 1, argv + argc});
  if (s.as_csv) fmt::print("{}", csv_titles());
  for (const Workload* w : workloads())
    if (s.names.empty() || std::ranges::find(s.names, w->name) != s.names.end()) run(*w, s);
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
