// SPDX-License-Identifier: Apache-2.0
#include "src/lower/legality.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/graph/seeded_fault.h"
#include "src/loop/dependence.h"
#include "src/lower/limits.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using graph::NodeId;

std::string list(std::span<const Expr> v) {
  std::string s;
  for (Expr e : v) s += (s.empty() ? "" : ", ") + e.text();
  return "[" + s + "]";
}

std::string space_text(const Space& s) {
  const std::span<const Expr> all(s.extents);
  return list(all.first(s.parallel)) + (s.reduces() ? " folding " + list(all.subspan(s.parallel)) : "");
}

Expr points(const Space& s, size_t first, size_t last) {
  return graph::product(std::span(s.extents).subspan(first, last - first));
}

std::string why_spaces_differ(const Options& options, const Space& a, const Space& b) {
  if (a.extents != b.extents || (a.reduces() && b.reduces() && a.parallel != b.parallel))
    return fmt::format("iteration spaces differ: {} and {}", space_text(a), space_text(b));
  if (a.scans() && b.scans() && a.scan != b.scan) return "their scans go along different axes";
  if ((a.scans() && b.reduces()) || (a.reduces() && b.scans())) return "one scans, the other folds";
  if (a.reduces() == b.reduces()) return {};
  return why_row_is_too_long(options, a.reduces() ? a : b);
}

/// Does the later one fold with what the earlier one folds?
std::string why_stages_differ(const Options& options, const PlannedGroup& later, const PlannedGroup& earlier) {
  if (!later.space.reduces() || !earlier.space.reduces()) return {};
  const std::vector<bool> folded = loop::folded_instructions(later.nest.body);
  for (size_t i = 0; i < folded.size(); ++i) {
    const loop::Instruction& in = later.nest.body[static_cast<loop::ValueId>(i)];
    const bool reads =
        in.kind == loop::InstructionKind::load && std::ranges::find(earlier.roots, in.id) != earlier.roots.end();
    if (folded[i] && reads) return why_row_is_too_long(options, later.space);
  }
  return {};
}

std::string why_addresses_differ(const PlannedGroup& later, const PlannedGroup& earlier) {
  if (planted(graph::Fault::missing_alias_guard)) return {};  // tests only
  for (const loop::Instruction& in : later.nest.body.instructions()) {
    if (in.kind != loop::InstructionKind::load) continue;
    if (std::ranges::find(earlier.roots, in.id) == earlier.roots.end()) continue;
    const std::vector<Expr>& stored = earlier.store_of(in.id).index;
    if (in.index != stored)
      return fmt::format("%{} is stored at {}, but read at {}", in.id, list(stored), list(in.index));
    if (in.operands[0] >= 0) return fmt::format("%{} is read under a mask", in.id);
  }
  return {};
}

std::string why_too_large(const PlannedGroup& a, const PlannedGroup& b) {
  if (a.roots.size() + b.roots.size() > max_stores)
    return fmt::format("{} stores are enough for one kernel", a.roots.size());
  if (a.nest.body.size() + b.nest.body.size() > max_instructions)
    return fmt::format("{} and {} instructions are too many for one kernel", a.nest.body.size(), b.nest.body.size());
  std::set<NodeId> buffers = a.reads;
  buffers.insert(b.reads.begin(), b.reads.end());
  if (buffers.size() > max_buffers) return fmt::format("{} buffers are too many for one kernel", buffers.size());
  return {};
}

bool share_reads(const PlannedGroup& a, const PlannedGroup& b) {
  return std::ranges::any_of(a.reads, [&](NodeId n) { return b.reads.contains(n); });
}

}  // namespace

std::string why_row_is_too_long(const Options& options, const Space& space) {
  return why_row_is_too_long(options, points(space, 0, space.parallel),
                             points(space, space.parallel, space.extents.size()));
}

std::string why_row_is_too_long(const Options& options, Expr rows, Expr row) {
  const auto length = row.constant(), count = rows.constant();
  if (!length) return count == 1 ? "one program cannot keep a whole tensor of unknown size" : "";
  if (*length <= max_row_alone) return {};
  if (*length > max_row_read_again) return fmt::format("rows of {} elements are too long for one program", *length);
  if (!count || *count >= options.many_rows) return {};
  return fmt::format("{} rows of {} elements are too few programs", *count, *length);
}

bool reads_stores_of(const PlannedGroup& later, const PlannedGroup& earlier) {
  return std::ranges::any_of(earlier.roots, [&](NodeId root) { return later.reads.contains(root); });
}

Space joint_space(const PlannedGroup& a, const PlannedGroup& b) {
  return a.space.reduces() || a.space.scans() ? a.space : b.space;
}

std::string why_not_together(const Options& options, const PlannedGroup& later, const PlannedGroup& earlier,
                             const std::function<bool()>& through_others) {
  const bool reads = reads_stores_of(later, earlier);
  if (!options.fuse) return "fusion is off";
  if (!reads && !options.several_outputs) return "only producers and consumers are fused";
  if (std::string why = why_spaces_differ(options, later.space, earlier.space); !why.empty()) return why;
  if (std::string why = why_stages_differ(options, later, earlier); !why.empty()) return why;
  if (std::string why = why_addresses_differ(later, earlier); !why.empty()) return why;
  if (!reads && !share_reads(later, earlier)) return "they read nothing in common";
  if (std::string why = why_too_large(later, earlier); !why.empty()) return why;
  if (through_others()) return "one also depends on the other through a third kernel";
  return {};
}

}  // namespace sinter::lower
