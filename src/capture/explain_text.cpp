// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/explain.h>

#include <algorithm>
#include <iterator>

namespace sinter {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string size_text(int64_t bytes) {
  if (bytes >= 1'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  if (bytes >= 1'000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{} B", bytes);
}

std::string counted(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }
std::string counted(int n, const char* what) { return counted(static_cast<size_t>(n), what); }

void write_kernel(Out out, const KernelExplanation& k) {
  fmt::format_to(out, "kernel {}  grid {}", k.name, k.blocks);
  if (k.symbol != k.name) fmt::format_to(out, "   symbol {}", k.symbol);
  if (k.registers > 0)
    fmt::format_to(out, " x {} threads   {} registers, {} bytes spilled, {} shared", k.threads, k.registers,
                   k.spill_bytes, k.shared_bytes);
  fmt::format_to(out, "\n");
  for (const std::string& n : k.notes) fmt::format_to(out, "  {}\n", n);
}

std::string list_text(const std::vector<std::string>& list) {
  std::string s;
  for (const std::string& e : list) s += (s.empty() ? "" : ", ") + e;
  return s;
}

void write_call(Out out, const CallExplanation& c) {
  fmt::format_to(out, "library call {} by {}  ({}) -> {}{}{}\n", c.op, c.library, list_text(c.operands),
                 list_text(c.results), c.attributes.empty() ? "" : "  ", c.attributes);
}

void write_steps(Out out, const RegionExplanation& r) {
  size_t call = 0;
  for (const KernelExplanation& k : r.kernels) {
    for (; call < r.calls.size() && r.calls[call].step < k.step; ++call) write_call(out, r.calls[call]);
    write_kernel(out, k);
  }
  for (; call < r.calls.size(); ++call) write_call(out, r.calls[call]);
  for (const std::string& n : r.library_notes) fmt::format_to(out, "no library call: {}\n", n);
}

void write_region(Out out, const RegionExplanation& r, size_t number, size_t count) {
  if (r.later)
    fmt::format_to(out, "kept before, computed for {}, stores {}\n", r.end, counted(r.stored, "value"));
  else if (count > 1 || r.at_break)
    fmt::format_to(out, "region {}, ends at {}, stores {}\n", number, r.end, counted(r.stored, "value"));
  if (r.stored > 0)
    fmt::format_to(out, "{}{}{}   {}\n", r.entry, r.backend == "sinter" ? "" : fmt::format("   backend {}", r.backend),
                   r.fast_math ? "   fast math" : "",
                   r.from_disk
                       ? fmt::format("disk cache hit, {:.1f} ms", r.compile_ms)
                       : fmt::format("compiled in {:.0f} ms{}", r.compile_ms, r.compiled_now ? " (this call)" : ""));
  fmt::format_to(out, "moves {};  op by op: {}, {}\n", size_text(r.bytes), counted(r.op_count, "op"),
                 size_text(r.unfused_bytes));
  fmt::format_to(out, "guards\n");
  for (const GuardExplanation& g : r.guards) fmt::format_to(out, "  {:<10} {:<50} {}\n", g.subject, g.text, g.state);
  fmt::format_to(out, "graph\n");
  for (const std::string& line : r.graph) fmt::format_to(out, "  {}\n", line);
  for (const std::string& k : r.kept) fmt::format_to(out, "kept: {} (recipe)\n", k);
  write_steps(out, r);
}

}  // namespace

std::vector<KernelExplanation> Explanation::kernels() const {
  std::vector<KernelExplanation> all;
  for (const RegionExplanation& r : regions) all.insert(all.end(), r.kernels.begin(), r.kernels.end());
  return all;
}

std::vector<CallExplanation> Explanation::library_calls() const {
  std::vector<CallExplanation> all;
  for (const RegionExplanation& r : regions) all.insert(all.end(), r.calls.begin(), r.calls.end());
  return all;
}

int Explanation::breaks() const {
  return static_cast<int>(std::ranges::count(regions, true, &RegionExplanation::at_break));
}

std::string Explanation::text() const {
  std::string s;
  Out out(s);
  fmt::format_to(out, "{}  {}   {}\n", name, location, device);
  const auto count = static_cast<size_t>(std::ranges::count(regions, false, &RegionExplanation::later));
  fmt::format_to(out, "{}, {}, {}, {}", counted(count, "region"), counted(kernels().size(), "kernel"),
                 counted(library_calls().size(), "library call"), counted(breaks(), "break"));
  if (floor_us > 0)
    fmt::format_to(out, ", floor {:.1f} us at {:.2f} TB/s copy", floor_us, copy_bytes_per_second / 1e12);
  fmt::format_to(out, "\n");
  size_t number = 0;
  for (const RegionExplanation& r : regions) write_region(out, r, number += !r.later, count);
  fmt::format_to(out, "recompiles: {}\n", recompiles.size());
  for (const std::string& r : recompiles) fmt::format_to(out, "  {}\n", r);
  return s;
}

}  // namespace sinter
