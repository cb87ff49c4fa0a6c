// SPDX-License-Identifier: Apache-2.0
#include "src/lower/split_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/loop/dependence.h"
#include "src/lower/box_nest.h"
#include "src/lower/cuts.h"
#include "src/lower/limits.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using loop::InstructionKind;
using loop::Nest;

/// Do all stores go along the axis outermost? Then a box is one run of neighbouring elements.
bool goes_outermost(const Nest& nest, size_t axis) {
  return std::ranges::all_of(nest.stores, [&](const loop::Store& s) {
    const auto first = std::ranges::find_if(s.index, [](Expr e) { return !e.constant(); });
    return first != s.index.end() && *first == Expr::axis(static_cast<int>(axis));
  });
}

/// Bytes that a step along an axis adds to a run of neighbouring stored elements; nothing if extents are symbolic.
std::optional<int64_t> bytes_of_step(const loop::Program& program, const Nest& nest, size_t axis) {
  std::optional<int64_t> bytes;
  for (const loop::Store& s : nest.stores) {
    const loop::Buffer& b = program.buffers[static_cast<size_t>(s.buffer)];
    int64_t inner = b.dtype.bytes();
    for (size_t d = s.index.size(); d-- > 0 && s.index[d] != Expr::axis(static_cast<int>(axis));) {
      const auto extent = b.shape[d].constant();
      if (!extent) return std::nullopt;
      inner *= *extent;
    }
    bytes = std::min(bytes.value_or(inner), inner);
  }
  return bytes;
}

/// Ends of the boxes along an axis, the last one its extent: the points inside of it that leave no box too narrow.
class Ends {
 public:
  Ends(Expr extent, const graph::Ranges& symbols) : extent_(extent), symbols_(symbols) {}

  /// The point moved into the extent, which decides the same.
  Expr inside(Expr p) const {
    if (symbols_.of(p).first < 0) p = max(p, 0);
    if (symbols_.of(extent_ - p).first < 0) p = min(p, extent_);
    return simplify(p, symbols_);
  }

  std::vector<Expr> of(const std::vector<Expr>& points, std::optional<int64_t> step_bytes) const {
    const auto narrow = [&](Expr begin, Expr end) {
      const auto width = (end - begin).constant();
      return width && (*width <= 0 || (step_bytes && *width * *step_bytes < shortest_run_bytes));
    };
    std::vector<Expr> ends;
    Expr begin = 0;
    for (Expr p : points) {
      const Expr end = inside(p);
      if (narrow(begin, end)) continue;
      ends.push_back(end);
      begin = end;
    }
    while (!ends.empty() && narrow(ends.back(), extent_)) ends.pop_back();
    ends.push_back(extent_);
    return ends;
  }

 private:
  Expr extent_;
  const graph::Ranges& symbols_;
};

bool reads_memory(const Nest& nest) {
  return std::ranges::any_of(nest.body.instructions(),
                             [](const loop::Instruction& in) { return in.kind == InstructionKind::load; });
}

/// The boxes of a nest along one axis; only itself if its masks do not change along it.
std::vector<Nest> split_along(const loop::Program& program, const Nest& nest, size_t axis) {
  const graph::Ranges& symbols = program.ranges;
  const auto cuts = find_cuts(nest);
  const Expr extent = nest.axes[axis].extent;
  const Ends inside(extent, symbols);
  const std::vector<Expr> points = mask_points(nest, cuts, static_cast<int>(axis), symbols);
  const bool outermost = goes_outermost(nest, axis);
  const std::vector<Expr> ends = inside.of(points, outermost ? std::nullopt : bytes_of_step(program, nest, axis));
  if (ends.size() == 1) return {nest};
  // For each cut the number of the box that ends at it, counted up to the ends before it.
  std::vector<std::optional<size_t>> end_of(cuts.size());
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (!cuts[i] || cuts[i]->axis != static_cast<int>(axis)) continue;
    const auto at = std::ranges::find(ends, inside.inside(cuts[i]->at));
    if (at != ends.end()) end_of[i] = static_cast<size_t>(at - ends.begin());
  }
  std::vector<Nest> boxes;
  Expr begin = 0;
  for (size_t box = 0; box < ends.size(); ++box) {
    Known decided(cuts.size());
    for (size_t i = 0; i < cuts.size(); ++i)
      if (end_of[i]) decided[i] = (box <= *end_of[i]) == cuts[i]->below;
    const Expr width = simplify(ends[box] - begin, symbols);
    if (!width.is_constant(0)) boxes.push_back(box_of(nest, axis, begin, width, std::move(decided), symbols));
    begin = ends[box];
  }
  // Margins of unknown width may be thinner than a tile, and cost nothing as masks of the one box that reads.
  const bool known = std::ranges::all_of(ends, [](Expr e) { return e.constant().has_value(); });
  if (!outermost && !known && std::ranges::count_if(boxes, reads_memory) <= 1) return {nest};
  return boxes;
}

size_t masked_loads(const Nest& nest) {
  return static_cast<size_t>(std::ranges::count_if(nest.body.instructions(), [](const loop::Instruction& in) {
    return in.kind == InstructionKind::load && in.operands[0] >= 0;
  }));
}

size_t instructions(const std::vector<Nest>& nests) {
  size_t n = 0;
  for (const Nest& nest : nests) n += nest.body.size();
  return n;
}

std::vector<Nest> split(const loop::Program& program, const Nest& whole) {
  const size_t most = 16 + boxes_per_masked_load * masked_loads(whole);
  std::vector<Nest> boxes{whole};
  for (size_t axis = 0; axis < whole.axes.size(); ++axis) {
    std::vector<Nest> finer;
    for (const Nest& box : boxes) {
      std::vector<Nest> parts = split_along(program, box, axis);
      std::ranges::move(parts, std::back_inserter(finer));
      if (finer.size() > most) break;
    }
    if (finer.size() <= most && instructions(finer) <= max_copied_instructions) boxes = std::move(finer);
  }
  return boxes;
}

void add_buffers(const Nest& nest, std::set<int>& buffers) {
  for (const loop::Instruction& in : nest.body.instructions())
    if (in.kind == InstructionKind::load) buffers.insert(in.id);
  for (const loop::Store& s : nest.stores) buffers.insert(s.buffer);
}

/// Groups of as many boxes as a kernel takes.
std::vector<loop::Group> packed(const loop::Group& group, std::vector<Nest> boxes) {
  std::vector<loop::Group> groups;
  std::set<int> buffers;
  size_t held = 0;
  for (Nest& box : boxes) {
    std::set<int> together = buffers;
    add_buffers(box, together);
    const bool fits = !groups.empty() && groups.back().nests.size() < max_boxes && together.size() <= max_buffers &&
                      held + box.body.size() <= max_instructions;
    if (!fits) {
      groups.push_back(group);
      groups.back().nests.clear();
      if (groups.size() > 1) groups.back().name += fmt::format("_part{}", groups.size() - 1);
      together.clear();
      add_buffers(box, together);
      held = 0;
    }
    held += box.body.size();
    buffers = std::move(together);
    groups.back().nests.push_back(std::move(box));
  }
  return groups;
}

}  // namespace

void split_boxes(loop::Program& program) {
  std::vector<loop::Group> groups;
  for (loop::Group& g : program.groups) {
    const bool whole = g.nests.size() != 1 || masked_loads(g.nests[0]) == 0 ||
                       std::ranges::any_of(g.nests[0].axes, &loop::Axis::reduction) || loop::scan_axis(g.nests[0]) ||
                       std::ranges::any_of(g.nests[0].stores, [](const loop::Store& s) { return s.fold.has_value(); });
    std::vector<Nest> boxes;
    if (!whole) boxes = split(program, g.nests[0]);
    if (boxes.size() < 2) {
      groups.push_back(std::move(g));
      continue;
    }
    g.notes.push_back(fmt::format("written as {} boxes, where the masks of its reads change", boxes.size()));
    for (loop::Group& part : packed(g, std::move(boxes))) groups.push_back(std::move(part));
  }
  program.groups = std::move(groups);
}

}  // namespace sinter::lower
