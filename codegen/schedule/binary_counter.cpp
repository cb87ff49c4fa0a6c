// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/binary_counter.h"

#include <algorithm>

#include "src/loop/canonical_fold.h"

namespace sinter::schedule {

using tile_ir::Value;

namespace {

/// Levels whose slots are chosen without a branch; the others change once in 2^5 values.
constexpr int inline_levels = 5;

}  // namespace

Value BinaryCounter::combine(Value earlier, Value later) { return b_.scalar(loop::fold_op(kind_), {earlier, later}); }

std::vector<Value> BinaryCounter::empty(const tile_ir::Type& shape) {
  const Value padding = b_.constant(tile_ir::Type::scalar(type_), loop::reduction_padding(kind_, type_).bits);
  return std::vector<Value>(static_cast<size_t>(levels_), shape.is_tile ? b_.broadcast(padding, shape) : padding);
}

Value BinaryCounter::bit(Value count, int level) {
  return b_.ne(b_.bit_and(b_.shr(count, b_.literal(level)), b_.literal(1)), b_.literal(0));
}

std::vector<Value> BinaryCounter::push(Value count, Value v, std::span<const Value> slots) {
  std::vector<Value> next(slots.begin(), slots.end());
  // The value moves up as long as slots are full, and comes to rest in the first empty one.
  const auto settle = [&](int first, int last, Value moving) {
    for (int l = first; l < last; ++l) {
      const auto slot = static_cast<size_t>(l);
      const Value full = bit(count, l);
      const Value rests = b_.bit_and(moving, b_.bit_not(full));
      next[slot] = b_.select(rests, v, slots[slot]);
      if (l + 1 == last) break;
      v = b_.select(full, combine(slots[slot], v), v);
      moving = b_.bit_and(moving, full);
    }
  };
  const int low = std::min(levels_, inline_levels);
  settle(0, low, b_.constant(boolean, 1));
  if (levels_ == low) return next;
  v = b_.select(bit(count, low - 1), combine(slots[static_cast<size_t>(low) - 1], v), v);
  const Value mask = b_.literal((int64_t{1} << low) - 1);
  const Value carries = b_.eq(b_.bit_and(count, mask), mask);
  std::vector<Value> kept(slots.begin() + low, slots.end());
  const std::vector<Value> high = b_.if_then(
      carries,
      [&] {
        settle(low, levels_, b_.constant(boolean, 1));
        return std::vector<Value>(next.begin() + low, next.end());
      },
      [&] { return kept; });
  std::ranges::copy(high, next.begin() + low);
  return next;
}

Value BinaryCounter::drain(Value count, std::span<const Value> slots) {
  Value sum = slots[0], any = bit(count, 0);
  for (int l = 1; l < levels_; ++l) {
    const Value slot = slots[static_cast<size_t>(l)], full = bit(count, l);
    sum = b_.select(full, b_.select(any, combine(slot, sum), slot), sum);
    any = b_.bit_or(any, full);
  }
  return sum;
}

Value BinaryCounter::drain(int64_t count, std::span<const Value> slots) {
  Value sum;
  for (int l = 0; l < levels_; ++l)
    if ((count >> l & 1) != 0) {
      const Value slot = slots[static_cast<size_t>(l)];
      sum = sum.id < 0 ? slot : combine(slot, sum);
    }
  return sum;
}

}  // namespace sinter::schedule
