// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/kept_counter.h"

#include "src/loop/canonical_fold.h"

namespace sinter::schedule {

using tile_ir::Value;

/// Number of the lowest bit that is set; 0 if none is. A power of two is exact in f64, whose exponent is the answer.
Value KeptCounter::lowest_one(Value n) {
  constexpr int64_t fraction_bits = 52, bias = 1023;
  const Value power = b_.convert(b_.bit_and(n, b_.neg(n)), f64);
  const Value exponent = b_.sub(b_.shr(b_.bitcast(power, i64), b_.literal(fraction_bits)), b_.literal(bias));
  return b_.max(exponent, b_.literal(0));
}

/// Folds what an earlier slot holds into `slot`.
void KeptCounter::add(Value earlier, Value slot) {
  const Value left = b_.recall(store_, earlier, tile_), right = b_.recall(store_, slot, tile_);
  b_.keep(store_, slot, b_.scalar(loop::fold_op(kind_), {left, right}));
}

void KeptCounter::clear() {
  const uint64_t padding = loop::reduction_padding(kind_, tile_.dtype).bits;
  b_.keep(store_, b_.literal(0), b_.broadcast(b_.constant(tile_ir::Type::scalar(tile_.dtype), padding), tile_));
}

void KeptCounter::push(Value count, Value v) {
  const Value rests = lowest_one(b_.add(count, b_.literal(1)));  // the first empty slot
  b_.keep(store_, rests, v);
  b_.for_loop(b_.literal(0), rests, b_.literal(1), {}, [&](Value level, std::span<const Value>) {
    add(level, rests);
    return std::vector<Value>{};
  });
}

Value KeptCounter::drain(Value count) {
  const Value sum = lowest_one(count);
  b_.for_loop(b_.add(sum, b_.literal(1)), b_.literal(store_.slots), b_.literal(1), {},
              [&](Value level, std::span<const Value>) {
                const Value one = b_.literal(1);
                b_.if_then(b_.eq(b_.bit_and(b_.shr(count, level), one), one), [&] {
                  add(level, sum);
                  return std::vector<Value>{};
                });
                return std::vector<Value>{};
              });
  return b_.recall(store_, sum, tile_);
}

}  // namespace sinter::schedule
