// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/strategies.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using tile_ir::Value;

/// In place: everything is read before anything is written.
bool writes_what_it_reads(const loop::Nest& nest) {
  return std::ranges::any_of(nest.body.instructions(), [&](const loop::Instruction& in) {
    return in.kind == loop::InstructionKind::load &&
           std::ranges::find(nest.stores, in.id, &loop::Store::buffer) != nest.stores.end();
  });
}

class PointwiseEmitter {
 public:
  PointwiseEmitter(KernelWriter& kernel, std::span<const loop::Nest> nests, std::span<const Tiling> tilings)
      : kernel_(kernel), b_(kernel.builder()), nests_(nests), tilings_(tilings) {
    Expr end = 0;
    for (size_t i = 0; i < nests.size(); ++i) {
      begins_.push_back(end);
      const NestEmitter nest(kernel, nests[i], tilings[i]);
      end = end + nest.programs();
      elements_ = std::max(elements_, nest.elements_per_program());
    }
    grid_ = end;
  }

  Expr grid() const { return grid_; }
  /// Of the nest with the most.
  int64_t elements_per_program() const { return elements_; }

  void emit() { choose(0, nests_.size(), b_.program_id()); }

 private:
  Value number_of_programs(Expr e) { return e.constant() ? b_.literal(*e.constant()) : kernel_.symbolic(e); }

  /// Finds the nest of a program among [first, last).
  void choose(size_t first, size_t last, Value pid) {
    if (last - first == 1) return emit(first, pid);
    const size_t middle = (first + last) / 2;
    const auto branch = [&](size_t from, size_t to) {
      return [this, from, to, pid] {
        choose(from, to, pid);
        return std::vector<Value>{};
      };
    };
    b_.if_then(b_.lt(pid, number_of_programs(begins_[middle])), branch(first, middle), branch(middle, last));
  }

  void emit(size_t nest, Value pid) {
    NestEmitter e(kernel_, nests_[nest], tilings_[nest]);
    e.decode_program_id(nest == 0 ? pid : b_.sub(pid, number_of_programs(begins_[nest])));
    const auto store = [&] {
      if (writes_what_it_reads(nests_[nest]))
        for (const loop::Store& s : nests_[nest].stores) e.value(s.value);
      for (const loop::Store& s : nests_[nest].stores) e.store(s);
      return std::vector<Value>{};
    };
    if (const auto some = e.has_elements())
      b_.if_then(*some, store);
    else
      store();
  }

  KernelWriter& kernel_;
  tile_ir::KernelBuilder& b_;
  std::span<const loop::Nest> nests_;
  std::span<const Tiling> tilings_;
  std::vector<Expr> begins_;  ///< programs of the nests before
  Expr grid_;
  int64_t elements_ = 1;
};

/// Of all nests together.
std::optional<Cost> cost_together(const loop::Program& program, std::span<const loop::Nest> nests) {
  Cost all;
  for (const loop::Nest& nest : nests) {
    const auto cost = cost_of(program, nest);
    if (!cost) return std::nullopt;
    all.bytes += cost->bytes;
    all.instructions += cost->instructions;
  }
  return all;
}

}  // namespace

ScheduledKernel schedule_pointwise(const loop::Program& program, std::span<const loop::Nest> nests,
                                   const std::string& name, const std::vector<std::string>& comments,
                                   const Target& target, std::span<const Tiling> tilings) {
  KernelWriter kernel(program, target, name);
  PointwiseEmitter emitter(kernel, nests, tilings);
  emitter.emit();
  const int warps = std::ranges::max_element(tilings, {}, &Tiling::num_warps)->num_warps;
  ScheduledKernel k = kernel.finish(emitter.grid(), comments, warps);
  k.elements_per_program = emitter.elements_per_program();
  k.cost = cost_together(program, nests);
  return k;
}

}  // namespace sinter::schedule
