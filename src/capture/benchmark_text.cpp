// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/benchmark.h>

#include <iterator>

namespace sinter {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string size_text(int64_t bytes) {
  const auto b = static_cast<double>(bytes);
  return bytes >= 1'000'000 ? fmt::format("{:.1f} MB", b / 1e6)
         : bytes >= 1'000   ? fmt::format("{:.1f} KB", b / 1e3)
                            : fmt::format("{} B", bytes);
}

std::string time_text(double us) {
  return us >= 1e5   ? fmt::format("{:.0f} ms", us / 1e3)
         : us >= 1e3 ? fmt::format("{:.2f} ms", us / 1e3)
                     : fmt::format("{:.1f} us", us);
}

void write_way(Out out, const BenchmarkWay& w) {
  const std::string spread =
      fmt::format("{} ({} .. {})", time_text(w.device.median), time_text(w.device.p10), time_text(w.device.p90));
  const std::string disk = w.disk_ms < 0 ? "-" : fmt::format("{:.1f} ms", w.disk_ms);
  const std::string counted =
      w.captured < 0 || w.captured == w.launches ? "" : fmt::format(" (driver: {})", w.captured);
  fmt::format_to(out, "{:<18}{:>9.1f} ms{:>12}   {:<34}{:>10}{:>8.1f} %{:>8}{}\n", w.name, w.cold_ms, disk, spread,
                 time_text(w.host.median), 100 * w.of_copy, w.launches, counted);
}

}  // namespace

std::string BenchmarkResult::text() const {
  std::string s;
  Out out(s);
  fmt::format_to(out, "benchmark {}  {}   {}\n", name, location, device);
  fmt::format_to(out, "moves {} (arguments {}, results {}); a copy of that size takes {} ({} .. {})\n",
                 size_text(argument_bytes + result_bytes), size_text(argument_bytes), size_text(result_bytes),
                 time_text(copy.median), time_text(copy.p10), time_text(copy.p90));
  fmt::format_to(out, "{:<18}{:>12}{:>12}   {:<34}{:>10}{:>10}{:>8}\n", "", "cold", "from disk", "steady (p10 .. p90)",
                 "host", "of copy", "kernels");
  for (const BenchmarkWay& w : ways) write_way(out, w);
  for (const BenchmarkWay& w : ways) {
    const CompileTimes& c = w.cold_compile;
    fmt::format_to(out,
                   "cold, {}: record, run and wait {:.1f} ms, passes {:.1f} ms, text {:.1f} ms, machine code {:.1f} "
                   "ms, load and store {:.1f} ms\n",
                   w.name, w.cold_ms - c.total_ms(), c.passes_ms, c.text_ms, c.machine_ms, c.load_ms);
  }
  if (!why_not_captured.empty()) fmt::format_to(out, "not captured: {}\n", why_not_captured);
  return s;
}

}  // namespace sinter
