// SPDX-License-Identifier: Apache-2.0
#include "src/lower/join_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/loop/dependence.h"
#include "src/lower/limits.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using loop::InstructionKind;
using BufferOfRole = std::pair<loop::BufferRole, int>;

constexpr size_t max_open = 8;  ///< kernels that a group is compared with

/// What a group reads and writes, and how much it asks of a kernel.
struct Uses {
  std::set<BufferOfRole> reads, writes;
  std::set<int> buffers;
  size_t nests = 0, instructions = 0;
  int64_t bytes = 0;  ///< that it moves at most, where that is known
  bool symbolic = false;

  void add(const Uses& other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    buffers.insert(other.buffers.begin(), other.buffers.end());
    nests += other.nests;
    instructions += other.instructions;
    bytes += other.bytes;
    symbolic = symbolic || other.symbolic;
  }
  /// Must it run after `earlier`?
  bool depends_on(const Uses& earlier) const {
    const auto meet = [](const std::set<BufferOfRole>& a, const std::set<BufferOfRole>& b) {
      return std::ranges::any_of(a, [&](const BufferOfRole& m) { return b.contains(m); });
    };
    return meet(reads, earlier.writes) || meet(writes, earlier.reads) || meet(writes, earlier.writes);
  }
};

bool has_symbols(Expr e) {
  bool found = false;
  visit_leaves(e, [&](Expr leaf) { found = found || leaf.kind() == Expr::Kind::symbol; });
  return found;
}

class UsesFinder {
 public:
  explicit UsesFinder(const loop::Program& program) : program_(program) {}

  Uses of(const loop::Group& group) {
    if (group.call) {
      for (const loop::CallTensor& t : group.call->operands) read(t.buffer);
      for (const loop::CallTensor& t : group.call->results) write(t.buffer);
    }
    for (const loop::Nest& nest : group.nests) {
      for (const loop::Axis& a : nest.axes) uses_.symbolic = uses_.symbolic || has_symbols(a.extent);
      for (const loop::Instruction& in : nest.body.instructions()) {
        if (in.kind == InstructionKind::load) read(in.id);
        for (Expr e : in.index) uses_.symbolic = uses_.symbolic || has_symbols(e);
      }
      for (const loop::Store& s : nest.stores) {
        write(s.buffer);
        for (Expr e : s.index) uses_.symbolic = uses_.symbolic || has_symbols(e);
      }
      uses_.instructions += nest.body.size();
    }
    uses_.nests = group.nests.size();
    return std::move(uses_);
  }

 private:
  BufferOfRole memory(int buffer) {
    const loop::Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
    uses_.buffers.insert(buffer);
    return {b.role, b.position};
  }
  void read(int buffer) { uses_.reads.insert(memory(buffer)); }
  void write(int buffer) {
    uses_.writes.insert(memory(buffer));
    if (!program_.buffers[static_cast<size_t>(buffer)].overlapped) return;
    for (const loop::Buffer& b : program_.buffers)  // any of the inputs may be the same memory
      if (b.role == loop::BufferRole::input) uses_.writes.insert({b.role, b.position});
  }

  const loop::Program& program_;
  Uses uses_;
};

/// Bytes that a nest's loads and stores move at most; more than small_group_bytes if they are not known.
int64_t most_bytes(const loop::Program& program, const loop::Nest& nest) {
  int64_t bytes = 0;
  for (const loop::Instruction& in : nest.body.instructions())
    if (in.kind == InstructionKind::load) bytes += in.attribute.bytes();
  for (const loop::Store& s : nest.stores) bytes += program.buffers[static_cast<size_t>(s.buffer)].dtype.bytes();
  for (const loop::Axis& a : nest.axes) {
    const int64_t extent = std::max<int64_t>(program.ranges.of(a.extent).second, 1);
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return INT64_MAX;
  }
  return bytes;
}

/// The bytes of a group that may share a launch; nothing if it may not.
std::optional<int64_t> bytes_of_small(const loop::Program& program, const loop::Group& group) {
  if (group.call || group.nests.empty()) return std::nullopt;
  int64_t bytes = 0;
  for (const loop::Nest& nest : group.nests) {
    const bool folds = std::ranges::any_of(nest.axes, &loop::Axis::reduction) ||
                       std::ranges::any_of(nest.stores, [](const loop::Store& s) { return s.fold.has_value(); });
    if (folds || loop::scan_axis(nest)) return std::nullopt;
    const int64_t most = most_bytes(program, nest);
    if (most > small_group_bytes - bytes) return std::nullopt;
    bytes += most;
  }
  return bytes;
}

/// Does a kernel hold both?
bool fit(const Uses& a, const Uses& b) {
  Uses both = a;
  both.add(b);
  // Extents, strides and beginnings that the host computes are parameters too.
  return both.bytes <= max_joined_bytes && both.nests <= (both.symbolic ? max_boxes : max_joined_nests) &&
         both.buffers.size() <= (both.symbolic ? max_buffers : max_joined_buffers) &&
         both.instructions <= (both.symbolic ? max_instructions : max_joined_instructions);
}

/// A kernel that groups may still go to.
struct Open {
  size_t at = 0;  ///< among the groups
  Uses own;
  Uses since;  ///< of it and of all groups after it
};

void append(loop::Group& to, loop::Group from) {
  std::ranges::move(from.nests, std::back_inserter(to.nests));
  std::ranges::move(from.nodes, std::back_inserter(to.nodes));
  std::ranges::move(from.notes, std::back_inserter(to.notes));
  std::ranges::move(from.comments, std::back_inserter(to.comments));
}

}  // namespace

void join_groups(loop::Program& program) {
  std::vector<loop::Group> groups;
  std::vector<Open> open;
  std::vector<size_t> joined;  // by group: how many were put together
  for (loop::Group& g : program.groups) {
    Uses uses = UsesFinder(program).of(g);
    const auto bytes = bytes_of_small(program, g);
    uses.bytes = bytes.value_or(0);
    const auto place = std::ranges::find_if(
        open, [&](const Open& o) { return bytes && !uses.depends_on(o.since) && fit(o.own, uses); });
    if (place != open.end()) {
      append(groups[place->at], std::move(g));
      place->own.add(uses);
      ++joined[place->at];
    } else {
      if (bytes && open.size() == max_open) open.erase(open.begin());
      if (bytes) open.push_back({.at = groups.size(), .own = uses, .since = {}});
      groups.push_back(std::move(g));
      joined.push_back(1);
    }
    for (Open& o : open) o.since.add(uses);
  }
  for (size_t i = 0; i < groups.size(); ++i)
    if (joined[i] > 1)
      groups[i].notes.push_back(
          fmt::format("{} small groups that do not depend on each other share a launch", joined[i]));
  program.groups = std::move(groups);
}

}  // namespace sinter::lower
