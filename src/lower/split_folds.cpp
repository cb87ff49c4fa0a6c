// SPDX-License-Identifier: Apache-2.0
#include "src/lower/split_folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "src/loop/address.h"
#include "src/loop/builder.h"
#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::lower {
namespace {

using graph::Expr;
using loop::InstructionKind;
using loop::Nest;
using loop::ValueId;

constexpr int64_t max_runs = loop::reduction_partials;  ///< more would not fold as a plain tree
constexpr int64_t shortest_run = 8 * loop::reduction_chunk;
constexpr int64_t strip = 32;  ///< neighbouring columns that share a program

struct Split {
  int64_t run = 0;  ///< elements
  int64_t runs = 0;
};

bool folds_stand_alone(const Nest& nest) {
  const std::vector<loop::AxisSet> axes = loop::axis_dependence(nest);
  std::vector<bool> folded(nest.body.size());  // depends on a reduce
  const size_t last = nest.axes.size() - 1;
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const loop::Instruction& in = nest.body[static_cast<ValueId>(i)];
    for (ValueId v : in.operands) folded[i] = folded[i] || (v >= 0 && folded[static_cast<size_t>(v)]);
    for (Expr e : in.index)
      visit_leaves(e, [&](Expr leaf) {
        if (leaf.kind() == Expr::Kind::value) folded[i] = folded[i] || folded[static_cast<size_t>(leaf.id())];
      });
    if (in.kind != InstructionKind::reduce) continue;
    if (folded[i] || (axes[static_cast<size_t>(in.operands[0])] >> last & 1) == 0) return false;
    folded[i] = true;
  }
  return std::ranges::none_of(nest.stores, [&](const loop::Store& s) {
    return ((axes[static_cast<size_t>(s.value)] | loop::axes_of(s.index[0], axes)) >> last & 1) != 0;
  });
}

/// Do neighbouring results stand side by side in what is folded?
bool folds_columns(const Nest& nest) {
  const auto last = static_cast<int>(nest.axes.size()) - 1;
  return std::ranges::any_of(nest.body.instructions(), [&](const loop::Instruction& in) {
    if (in.kind != InstructionKind::load) return false;
    const auto a = loop::as_affine(in.index[0], nest.axes.size());
    return a && last > 0 && !a->coefficients[static_cast<size_t>(last)].is_constant(1) &&
           a->coefficients[static_cast<size_t>(last) - 1].is_constant(1);
  });
}

std::optional<Split> choose(const Nest& nest, int64_t programs) {
  const auto folds = std::ranges::count(nest.axes, true, &loop::Axis::reduction);
  if (folds != 1) return std::nullopt;
  Expr points = 1;
  for (const loop::Axis& a : nest.axes)
    if (!a.reduction) points = points * a.extent;
  const auto length = nest.axes.back().extent.constant(), results = points.constant();
  if (!length || !results || *results == 0 || *length < 2 * shortest_run || !folds_stand_alone(nest))
    return std::nullopt;
  const int64_t now = folds_columns(nest) ? (*results + strip - 1) / strip : *results;
  if (now * 2 > programs) return std::nullopt;
  const int64_t wish = std::min(max_runs, (programs + now - 1) / now);
  const auto run = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>((*length + wish - 1) / wish)));
  Split s;
  s.run = std::max(run, shortest_run);
  s.runs = (*length + s.run - 1) / s.run;
  return s.runs < 2 ? std::nullopt : std::optional(s);
}

class Splitter {
 public:
  Splitter(loop::Program& program, const loop::Group& group, const Split& split)
      : program_(program), group_(group), whole_(group.nests[0]), split_(split), axes_(loop::axis_dependence(whole_)) {
    for (size_t a = 0; a + 1 < whole_.axes.size(); ++a)
      row_ = row_ * whole_.axes[a].extent + Expr::axis(static_cast<int>(a));
    for (const loop::Axis& a : whole_.axes)
      if (!a.reduction) rows_ = rows_ * a.extent;
  }

  /// The two kernels that replace the group.
  std::vector<loop::Group> run() {
    loop::Group first = group_, second = group_;
    first.name += "_runs";
    second.notes.push_back(
        fmt::format("{} runs of {} elements are folded by the kernel before", split_.runs, split_.run));
    first.nests = {runs()};
    second.nests = {results()};
    return {std::move(first), std::move(second)};
  }

 private:
  size_t parallel() const { return whole_.axes.size() - 1; }
  bool is_inner(ValueId v) const { return (axes_[static_cast<size_t>(v)] >> parallel() & 1) != 0; }

  /// Position of a run's result: the results' row-major index, then the run.
  Expr slot(Expr run) const { return row_ * Expr(split_.runs) + run; }

  int temporary(DType type) {
    int position = 0;
    for (const loop::Buffer& b : program_.buffers) position += b.role == loop::BufferRole::temporary;
    program_.buffers.push_back({type, loop::BufferRole::temporary, position, {rows_ * Expr(split_.runs)}, {1}, 0});
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  /// The folded elements of each run; what lies past the end is not read, and does not count.
  Nest runs() {
    Nest nest;
    nest.axes.assign(whole_.axes.begin(), whole_.axes.end() - 1);
    nest.axes.push_back({split_.runs, false});
    nest.axes.push_back({split_.run, true});
    const Expr run = Expr::axis(static_cast<int>(parallel())), inside = Expr::axis(static_cast<int>(parallel()) + 1);
    const Expr element = run * Expr(split_.run) + inside;
    const int64_t length = *whole_.axes.back().extent.constant();
    loop::Builder b(nest.body);
    loop::Value present;
    if (split_.runs * split_.run != length) present = b.lt(nest.body.index_value(element, i64), b.i64(length));
    std::vector<loop::Value> map(whole_.body.size());
    for (size_t i = 0; i < whole_.body.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const loop::Instruction& in = whole_.body[id];
      if (in.kind == InstructionKind::reduce) {
        store_fold(nest, in, map[static_cast<size_t>(in.operands[0])], present, slot(run));
      } else if (feeds_fold(id)) {
        nest.body.set_guard(is_inner(id) ? present : loop::Value{});
        map[i] = copy(nest.body, in, map, [&](Expr leaf) -> std::optional<Expr> {
          return leaf.id() == static_cast<int>(parallel()) ? std::optional(element) : std::nullopt;
        });
        nest.body.set_guard({});
      }
    }
    return nest;
  }

  void store_fold(Nest& nest, const loop::Instruction& fold, loop::Value v, loop::Value present, Expr at) {
    loop::Builder b(nest.body);
    const auto kind = static_cast<graph::ReduceKind>(fold.id);
    if (present.id >= 0) v = b.select(present, v, nest.body.constant(loop::reduction_padding(kind, fold.type)));
    temporaries_.push_back(temporary(fold.type));
    nest.stores.push_back({temporaries_.back(), {at}, nest.body.reduce(kind, v).id});
  }

  /// What the stores need, with the folds over the runs' results.
  Nest results() {
    Nest nest;
    nest.axes.assign(whole_.axes.begin(), whole_.axes.end() - 1);
    nest.axes.push_back({split_.runs, true});
    std::vector<loop::Value> map(whole_.body.size());
    size_t fold = 0;
    for (size_t i = 0; i < whole_.body.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      const loop::Instruction& in = whole_.body[id];
      if (in.kind == InstructionKind::reduce) {
        const loop::Value v =
            nest.body.load(temporaries_[fold++], in.type, {slot(Expr::axis(static_cast<int>(parallel())))});
        map[i] = nest.body.reduce(static_cast<graph::ReduceKind>(in.id), v);
      } else if (!is_inner(id)) {
        map[i] = copy(nest.body, in, map, [](Expr) { return std::nullopt; });
      }
    }
    for (const loop::Store& s : whole_.stores)
      nest.stores.push_back({s.buffer,
                             {renamed(s.index[0], map, [](Expr) { return std::nullopt; })},
                             map[static_cast<size_t>(s.value)].id});
    return nest;
  }

  /// Is the value an element of a fold, or what such an element is computed from?
  bool feeds_fold(ValueId id) {
    if (feeds_.empty()) {
      feeds_.resize(whole_.body.size());
      for (size_t i = whole_.body.size(); i-- > 0;) {
        const loop::Instruction& in = whole_.body[static_cast<ValueId>(i)];
        if (!feeds_[i] && in.kind != InstructionKind::reduce) continue;
        for (ValueId v : in.operands)
          if (v >= 0) feeds_[static_cast<size_t>(v)] = true;
        for (Expr e : in.index)
          visit_leaves(e, [&](Expr leaf) {
            if (leaf.kind() == Expr::Kind::value) feeds_[static_cast<size_t>(leaf.id())] = true;
          });
      }
    }
    return feeds_[static_cast<size_t>(id)];
  }

  template <class Axes>
  static Expr renamed(Expr e, const std::vector<loop::Value>& map, const Axes& axis) {
    return substitute(e, [&](Expr leaf) -> std::optional<Expr> {
      if (leaf.kind() == Expr::Kind::value) return Expr::value(map[static_cast<size_t>(leaf.id())].id);
      return leaf.kind() == Expr::Kind::axis ? axis(leaf) : std::nullopt;
    });
  }

  template <class Axes>
  static loop::Value copy(loop::Body& body, loop::Instruction in, const std::vector<loop::Value>& map,
                          const Axes& axis) {
    for (ValueId& v : in.operands)
      if (v >= 0) v = map[static_cast<size_t>(v)].id;
    for (Expr& e : in.index) e = renamed(e, map, axis);
    const auto value = [&](ValueId v) { return v < 0 ? loop::Value{} : loop::Value{v, body[v].type}; };
    switch (in.kind) {
      case InstructionKind::load:
        return body.load(in.id, in.attribute, in.index, value(in.operands[0]), value(in.operands[1]));
      case InstructionKind::to_index: {
        body.set_message(in.id);
        const Expr at = body.to_index(value(in.operands[0]), in.index[0], in.mode);
        return {at.id(), i64};
      }
      default:
        return body.append(std::move(in));
    }
  }

  loop::Program& program_;
  const loop::Group& group_;
  const Nest& whole_;
  const Split split_;
  const std::vector<loop::AxisSet> axes_;
  Expr row_, rows_ = 1;
  std::vector<int> temporaries_;
  std::vector<bool> feeds_;
};

/// to_index of a constant would no longer be an instruction: such a nest stays as it is.
bool has_constant_index(const Nest& nest) {
  return std::ranges::any_of(nest.body.instructions(), [&](const loop::Instruction& in) {
    return in.kind == InstructionKind::to_index && nest.body[in.operands[0]].kind == InstructionKind::constant;
  });
}

}  // namespace

void split_folds(loop::Program& program, int64_t programs) {
  std::vector<loop::Group> groups;
  for (loop::Group& g : program.groups) {
    const auto split =
        g.nests.size() == 1 && !has_constant_index(g.nests[0]) ? choose(g.nests[0], programs) : std::nullopt;
    if (!split) {
      groups.push_back(std::move(g));
      continue;
    }
    for (loop::Group& part : Splitter(program, g, *split).run()) groups.push_back(std::move(part));
  }
  program.groups = std::move(groups);
}

}  // namespace sinter::lower
