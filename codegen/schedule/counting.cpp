// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/strategies.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using tile_ir::Value;

constexpr int32_t most_places = 4096;
constexpr int64_t programs_together = 8;  ///< of 256 threads, on a multiprocessor
constexpr int64_t least_programs = 8;

/// How many places the sums of the nest go to, if they are few and lie side by side.
std::optional<int32_t> places_of(const loop::Program& program, const loop::Nest& nest) {
  if (nest.stores.size() != 1 || nest.stores[0].fold != loop::ReduceKind::sum) return std::nullopt;
  const loop::Buffer& b = program.buffers[static_cast<size_t>(nest.stores[0].buffer)];
  if (!b.offset.is_constant(0)) return std::nullopt;
  int64_t places = 1;
  for (size_t d = b.shape.size(); d-- > 0;) {
    const auto extent = b.shape[d].constant();
    if (!extent || !b.strides[d].is_constant(places)) return std::nullopt;
    places *= *extent;
    if (places < 1 || places > most_places) return std::nullopt;
  }
  return static_cast<int32_t>(places);
}

/// A program clears a table and adds what is in it, for which it goes through several times as many elements.
int64_t programs_for(const loop::Nest& nest, int64_t places, const Target& target) {
  const int64_t at_once = programs_together * target.processors, each = std::max<int64_t>(1024, 4 * places);
  int64_t elements = 1;
  for (const loop::Axis& a : nest.axes) {
    const auto extent = a.extent.constant();
    if (!extent || *extent > at_once * each) return at_once;
    elements = std::min(elements * *extent, at_once * each);
  }
  return elements / each;
}

ScheduledKernel schedule_counting(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                  const std::vector<std::string>& comments, const Target& target, const Tiling& tiling,
                                  int32_t places, int64_t programs) {
  KernelWriter kernel(program, target, name);
  tile_ir::KernelBuilder& b = kernel.builder();
  NestEmitter e(kernel, nest, tiling);
  e.sum_in_table(places);
  const Expr tiles = e.programs();
  const Value end = tiles.constant() ? b.literal(*tiles.constant()) : kernel.symbolic(tiles);
  b.for_loop(b.program_id(), end, b.literal(programs), {}, [&](Value tile, std::span<const Value>) {
    e.decode_program_id(tile);
    const auto store = [&] {
      e.store(nest.stores[0]);
      return std::vector<Value>{};
    };
    if (const auto some = e.has_elements())
      b.if_then(*some, store);
    else
      store();
    return std::vector<Value>{};
  });
  ScheduledKernel k = kernel.finish(programs, comments, tiling.num_warps);
  k.elements_per_program = e.elements_per_program();
  k.cost = cost_of(program, nest);
  return k;
}

}  // namespace

std::optional<Candidate> counting_in_tables(const loop::Program& program, const loop::Nest& nest,
                                            const std::string& name, const std::vector<std::string>& comments,
                                            const Target& target) {
  const auto places = target.cuda ? places_of(program, nest) : std::nullopt;
  if (!places) return std::nullopt;
  const int32_t bytes = *places * program.buffers[static_cast<size_t>(nest.stores[0].buffer)].dtype.bytes();
  const int64_t programs = programs_for(nest, *places, target);
  if (bytes > target.shared_bytes || programs < least_programs) return std::nullopt;
  return [&program, &nest, &name, &comments, &target, places = *places, programs] {
    const Tiling tiling = choose_tilings(program, nest, target)[0];
    return schedule_counting(program, nest, name, comments, target, tiling, places, programs);
  };
}

}  // namespace sinter::schedule
