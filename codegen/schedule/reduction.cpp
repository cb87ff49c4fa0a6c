// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "codegen/schedule/joint_axis.h"
#include "codegen/schedule/nest_emitter.h"
#include "codegen/schedule/strategies.h"

namespace sinter::schedule {
namespace {

using graph::Expr;
using tile::Value;

constexpr int32_t partials = 256;  ///< partial sums of a chunk
constexpr int64_t chunk = 1024;    ///< logical elements of a chunk
constexpr int max_levels = 30;     ///< of the binary counter: 2^40 elements

/// Changes no bit of the fold: -0 for floating sums (x + -0 is x, also for x = -0).
Value identity(tile::KernelBuilder& b, graph::ReduceKind kind, DType t) {
  const auto bits = [&](uint64_t v) { return b.constant(tile::Type::scalar(t), v); };
  const bool floating = t.is_floating();
  switch (kind) {
    case graph::ReduceKind::sum:
      return floating ? bits(t == f64 ? uint64_t{1} << 63 : uint64_t{1} << 31) : bits(0);
    case graph::ReduceKind::prod:
      return b.constant(t, 1);
    case graph::ReduceKind::amax:
    case graph::ReduceKind::amin:
      break;
  }
  const bool max = kind == graph::ReduceKind::amax;
  if (floating)
    return b.constant(t, max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
  if (t == boolean) return bits(max ? 0 : 1);
  const uint64_t ones = t.bits() == 64 ? ~uint64_t{0} : 0xffffffffu, top = uint64_t{1} << (t.bits() - 1);
  if (t.is_signed()) return bits(max ? top : ones ^ top);
  return bits(max ? 0 : ones);
}

tile::ScalarOp fold_op(graph::ReduceKind kind) {
  switch (kind) {
    case graph::ReduceKind::sum:
      return tile::ScalarOp::add;
    case graph::ReduceKind::prod:
      return tile::ScalarOp::mul;
    case graph::ReduceKind::amax:
      return tile::ScalarOp::max;
    case graph::ReduceKind::amin:
      return tile::ScalarOp::min;
  }
  return tile::ScalarOp::add;
}

loop::ValueId the_reduce(const loop::Nest& nest) {
  for (size_t i = 0; i < nest.body.size(); ++i)
    if (nest.body[static_cast<loop::ValueId>(i)].kind == loop::InstructionKind::reduce)
      return static_cast<loop::ValueId>(i);
  throw CompileError("internal: reduction axes without a reduce");
}

/// One or two dims: the partials, and a strip of neighbouring outputs where they, not the reduced axis, are contiguous.
Tiling tiling_of(const loop::Nest& nest, size_t reduced, const Target& target) {
  Tiling t;
  t.axes.resize(nest.axes.size());
  t.axes[reduced] = {AxisPlace::Kind::tile, 0, partials};
  t.dims = {partials};
  t.num_warps = target.cuda ? 8 : 1;
  int strip = -1;
  bool row = false;
  for (const loop::Instruction& in : nest.body.instructions()) {
    if (in.kind != loop::InstructionKind::load) continue;
    const AxisStrides s = axis_strides(in.index[0], nest.axes.size());
    row = row || (s[reduced] && s[reduced]->is_constant(1));
    for (size_t a = 0; a < reduced; ++a)
      if (s[a] && s[a]->is_constant(1)) strip = static_cast<int>(a);
  }
  if (row || strip < 0) return t;
  const int64_t extent = nest.axes[static_cast<size_t>(strip)].extent.constant().value_or(1 << 20);
  const auto wish = static_cast<int64_t>(target.cuda ? 16 : 4);
  const auto size = static_cast<int32_t>(std::bit_ceil(static_cast<uint64_t>(std::min(extent, wish))));
  if (size == 1) return t;
  t.axes[static_cast<size_t>(strip)] = {AxisPlace::Kind::tile, 1, size};
  t.dims = {partials, size};
  return t;
}

class Reduction {
 public:
  Reduction(const loop::Program& program, const loop::Nest& nest, const Target& target, const std::string& name)
      : nest_(nest),
        axis_(nest.axes.size() - 1),
        tiling_(tiling_of(nest, axis_, target)),
        e_(program, nest, tiling_, target, name),
        b_(e_.builder()),
        reduce_(the_reduce(nest)),
        kind_(static_cast<graph::ReduceKind>(nest.body[reduce_].id)),
        type_(nest.body[reduce_].type),
        extent_(nest.axes[axis_].extent) {}

  ScheduledKernel run(const std::vector<std::string>& comments) {
    const Expr grid = e_.decode_program_id();
    e_.set_value(reduce_, fold());
    for (const loop::Store& s : nest_.stores) e_.store(s);
    return e_.finish(grid, comments, tiling_.num_warps);
  }

 private:
  Value combine(Value a, Value v) { return b_.scalar(fold_op(kind_), {a, v}); }

  tile::Type one() const {
    std::vector<int32_t> dims = tiling_.dims;
    dims[0] = 1;
    return tile::Type::tile(type_, dims);
  }

  Value fold() {
    const auto n = extent_.constant();
    // An empty sum is +0, though -0 is what pads one.
    if (n == 0)
      return b_.broadcast(kind_ == graph::ReduceKind::sum ? b_.constant(type_, 0) : identity(b_, kind_, type_), one());
    if (n && *n <= chunk) return chunk_at(b_.literal(0), *n);
    return many_chunks();
  }

  /// Partial p is element p, then p + 256, p + 512, p + 768 are folded into it; then the partials form a tree.
  Value chunk_at(Value first, int64_t elements) {
    std::optional<Value> acc;
    for (int64_t q = 0; q * partials < elements; ++q) {
      e_.forget_axis(axis_);
      e_.set_origin(axis_, q == 0 ? first : b_.add(first, b_.literal(q * partials)));
      Value v = e_.value(nest_.body[reduce_].operands[0]);
      const tile::Type full = tile::Type::tile(type_, tiling_.dims);
      if (!(b_.type(v) == full)) v = b_.broadcast(v, full);
      if (const auto inside = e_.inside(axis_)) v = b_.select(*inside, v, identity(b_, kind_, type_));
      acc = acc ? combine(*acc, v) : v;
    }
    return b_.reduce(static_cast<tile::ReduceKind>(kind_), 0, *acc);
  }

  /// The tree over chunk results, lowest bit first, as a binary counter: slot l holds the fold of a run of 2^l chunks.
  Value many_chunks() {
    const auto n = extent_.constant();
    const Value chunks = e_.scalar_of(graph::ceildiv(extent_, Expr(chunk)));
    const int levels =
        n ? static_cast<int>(std::bit_width(static_cast<uint64_t>((*n + chunk - 1) / chunk))) : max_levels;
    const Value empty = b_.broadcast(identity(b_, kind_, type_), one());
    const NestEmitter::Memo before = e_.memo();
    const std::vector<Value> slots =
        b_.for_loop(b_.literal(0), chunks, b_.literal(1), std::vector<Value>(static_cast<size_t>(levels), empty),
                    [&](Value c, std::span<const Value> carried) {
                      const Value v = chunk_at(b_.mul(c, b_.literal(chunk)), chunk);
                      return counted(c, v, carried);
                    });
    e_.restore(before);
    return drained(chunks, slots);
  }

  Value bit(Value count, size_t level) {
    return b_.ne(b_.bit_and(b_.shr(count, b_.literal(static_cast<int64_t>(level))), b_.literal(1)), b_.literal(0));
  }

  std::vector<Value> counted(Value c, Value v, std::span<const Value> slots) {
    std::vector<Value> next(slots.begin(), slots.end());
    Value carrying = b_.constant(boolean, 1);
    for (size_t l = 0; l < slots.size(); ++l) {
      const Value full = bit(c, l);
      next[l] = b_.select(b_.bit_and(carrying, b_.bit_not(full)), v, slots[l]);
      carrying = b_.bit_and(carrying, full);
      v = b_.select(carrying, combine(slots[l], v), v);
    }
    return next;
  }

  Value drained(Value chunks, const std::vector<Value>& slots) {
    Value sum = slots[0], any = bit(chunks, 0);
    for (size_t l = 1; l < slots.size(); ++l) {
      const Value full = bit(chunks, l);
      const Value joined = b_.select(any, combine(slots[l], sum), slots[l]);
      sum = b_.select(full, joined, sum);
      any = b_.bit_or(any, full);
    }
    return sum;
  }

  const loop::Nest& nest_;
  const size_t axis_;
  const Tiling tiling_;
  NestEmitter e_;
  tile::KernelBuilder& b_;
  const loop::ValueId reduce_;
  const graph::ReduceKind kind_;
  const DType type_;
  const Expr extent_;
};

}  // namespace

ScheduledKernel schedule_reduction(const loop::Program& program, const loop::Nest& nest, const std::string& name,
                                   const std::vector<std::string>& comments, const Target& target) {
  const loop::Nest joined = with_joint_reduction_axis(nest, program.ranges);
  return Reduction(program, joined, target, name).run(comments);
}

}  // namespace sinter::schedule
