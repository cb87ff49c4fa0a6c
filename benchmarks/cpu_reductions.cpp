// SPDX-License-Identifier: Apache-2.0
// Reductions and norms of 64 Mi f32 on the CPU beside STREAM's triad with non-temporal stores, on the same threads, in
// interleaved rounds. A figure is the time over the one that the triad takes for as many bytes, formed round by round;
// bytes are those of argument and result. 1 / 0.6 is 60 % of the triad.
//
//   bench_cpu_reductions [--json] [rounds]
#include <fmt/format.h>
#include <sinter/sinter.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/harness/rounds.h"
#include "benchmarks/harness/triad.h"

namespace {

using namespace sinter;
using benchmarks::Case;
using benchmarks::Figure;
using benchmarks::Samples;

constexpr int64_t rows = 16384, columns = 4096, elements = rows * columns;
constexpr double goal = 1 / 0.6;

struct Row {
  std::string name;
  double bytes;
  Case timed;
};

Row row(const std::string& name, const Tensor& x, const std::function<Tensor(const Tensor&)>& f) {
  auto compiled = compile(f, {.name = "row"});
  const double bytes = 4.0 * static_cast<double>(elements + compiled(x).numel());
  return {name, bytes, {1, [compiled, x]() mutable { compiled(x); }}};
}

std::list<Row> make_rows(const Tensor& x) {
  std::list<Row> all;
  all.push_back(row("sum of all", x, [](const Tensor& t) { return sum(t); }));
  all.push_back(row("sum of rows", x, [](const Tensor& t) { return sum(t, {.dims = {1}}); }));
  all.push_back(row("sum of columns", x, [](const Tensor& t) { return sum(t, {.dims = {0}}); }));
  all.push_back(row("softmax of rows", x, [](const Tensor& t) { return softmax(t, -1); }));
  all.push_back(row("log_softmax of rows", x, [](const Tensor& t) { return log_softmax(t, -1); }));
  all.push_back(row("rms_norm of rows", x, [](const Tensor& t) { return rms_norm(t, {columns}); }));
  all.push_back(row("layer_norm of rows", x, [](const Tensor& t) { return layer_norm(t, {columns}); }));
  return all;
}

void compare(int rounds, bool as_json) {
  const Tensor x = reshape(sin(arange(elements, {.dtype = f32, .device = Device::cpu()})) * 4, {rows, columns});
  std::vector<Tensor> arrays;
  for (int i = 0; i < 3; ++i) arrays.push_back(full({elements}, i, f32, Device::cpu()));
  const auto at = [&](int i) { return static_cast<float*>(arrays[static_cast<size_t>(i)].data_ptr()); };
  Case triad{1, [&] { benchmarks::run_triad({at(0), at(1), at(2)}, elements); }};
  std::list<Row> all = make_rows(x);
  std::vector<Case*> cases{&triad};
  for (Row& r : all) cases.push_back(&r.timed);
  benchmarks::measure(cases, rounds);
  std::vector<Figure> figures;
  for (const Row& r : all) {
    const double share = benchmarks::triad_bytes(elements) / r.bytes;
    const Samples of_triad = r.timed.ns.with(triad.ns, [share](double a, double b) { return a / b * share; });
    figures.push_back(benchmarks::figure(fmt::format("{}, {} x {} f32", r.name, rows, columns), "x", of_triad, goal));
  }
  benchmarks::report(figures, as_json);
  if (as_json) return;
  fmt::print("triad {:.1f} GB/s\n", benchmarks::triad_bytes(elements) / triad.ns.median());
  for (const Row& r : all)
    fmt::print("{:20} {:8.2f} ms {:6.1f} GB/s\n", r.name, r.timed.ns.median() / 1e6, r.bytes / r.timed.ns.median());
}

}  // namespace

int main(int argc, char** argv) { return sinter::benchmarks::run_rounds(argc, argv, 15, compare); }
