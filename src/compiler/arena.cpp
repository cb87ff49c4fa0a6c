// SPDX-License-Identifier: Apache-2.0
#include "src/compiler/arena.h"

#include <algorithm>

#include "src/graph/seeded_fault.h"

namespace sinter::compiler {
namespace {

using graph::Expr;

constexpr int64_t alignment = 256;

struct Life {
  size_t first = 0, last = 0;
  bool used = false;
  Expr bytes;
};

Expr aligned(Expr bytes) { return graph::ceildiv(bytes, Expr(alignment)) * Expr(alignment); }

/// The temporaries' by position, then each kernel's workspace.
std::vector<Life> find_lives(const loop::Program& program, const std::vector<schedule::ScheduledKernel>& kernels) {
  std::vector<Life> lives;
  for (const loop::Buffer& b : program.buffers)
    if (b.role == loop::BufferRole::temporary) {
      lives.resize(std::max(lives.size(), static_cast<size_t>(b.position) + 1));
      lives[static_cast<size_t>(b.position)].bytes = aligned(graph::product(b.shape) * Expr(int64_t{b.dtype.bytes()}));
    }
  const auto touch = [&](int buffer, size_t step) {
    const loop::Buffer& b = program.buffers[static_cast<size_t>(buffer)];
    if (b.role != loop::BufferRole::temporary) return;
    Life& l = lives[static_cast<size_t>(b.position)];
    if (!l.used) l.first = step;
    l.used = true;
    l.last = step > l.first && planted(graph::Fault::stale_alias) ? step - 1 : step;  // the fault: tests only
  };
  std::vector<Life> workspaces;
  size_t step = 0;
  for (const loop::Group& group : program.groups) {
    if (group.call) {
      for (const loop::CallTensor& t : group.call->operands) touch(t.buffer, step);
      for (const loop::CallTensor& t : group.call->results) touch(t.buffer, step);
    } else if (!group.nests.empty()) {
      const schedule::ScheduledKernel& kernel = kernels[workspaces.size()];
      for (const auto& s : kernel.sources)
        if (s.kind == schedule::ParameterSource::Kind::buffer) touch(s.id, step);
      workspaces.push_back({step, step, !kernel.workspace_bytes.is_constant(0), aligned(kernel.workspace_bytes)});
    }
    ++step;
  }
  lives.insert(lives.end(), workspaces.begin(), workspaces.end());
  return lives;
}

}  // namespace

Arena place_temporaries(const loop::Program& program, const std::vector<schedule::ScheduledKernel>& kernels) {
  const std::vector<Life> lives = find_lives(program, kernels);
  Arena arena{std::vector<Expr>(lives.size()), {}, Expr(int64_t{0})};
  int64_t literal_end = 0;
  std::vector<size_t> placed;
  for (size_t i = 0; i < lives.size(); ++i) {
    const auto size = lives[i].bytes.constant();
    if (!size || !lives[i].used) continue;
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t j : placed) {
        const bool together = lives[j].first <= lives[i].last && lives[i].first <= lives[j].last;
        const int64_t begin = *arena.offsets[j].constant(), end = begin + *lives[j].bytes.constant();
        if (!together || at + *size <= begin || at >= end) continue;
        at = end;
        moved = true;
      }
    }
    arena.offsets[i] = at;
    placed.push_back(i);
    literal_end = std::max(literal_end, at + *size);
  }
  arena.bytes = literal_end;
  for (size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].bytes.constant() || !lives[i].used) continue;
    arena.offsets[i] = arena.bytes;
    arena.bytes = arena.bytes + lives[i].bytes;
  }
  const auto workspaces = arena.offsets.end() - static_cast<std::ptrdiff_t>(kernels.size());
  arena.workspaces.assign(workspaces, arena.offsets.end());
  arena.offsets.erase(workspaces, arena.offsets.end());
  return arena;
}

}  // namespace sinter::compiler
