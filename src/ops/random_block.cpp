// SPDX-License-Identifier: Apache-2.0
#include "src/ops/random_block.h"

#include <fmt/format.h>

#include "src/ops/describe.h"
#include "src/ops/move_elements.h"

namespace sinter::ops {
namespace {

using graph::Expr;
using loop::Value;

Expr element_number(const std::vector<Expr>& shape, std::span<const Expr> index) {
  Expr number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + index[d];
  return number;
}

/// Are there at most 2^31 elements, so that numbers have 32 bits?
bool is_narrow(const std::vector<Expr>& shape) {
  const auto elements = product(shape).constant();
  return elements && *elements <= int64_t{1} << 31;
}

Value low_word(loop::Builder& b, Value v) { return b.convert(v, u32); }
Value high_word(loop::Builder& b, Value v) { return b.convert(b.shr(v, b.constant(u64, 32)), u32); }

std::array<Value, 4> philox_values(loop::Builder& b, std::array<Value, 4> c, std::array<Value, 2> key) {
  const Value m0 = b.u32(philox_multipliers[0]), m1 = b.u32(philox_multipliers[1]);
  for (int round = 0; round < philox_rounds; ++round) {
    const Value low0 = b.mul(c[0], m0), low1 = b.mul(c[2], m1);
    const Value high0 = b.mul_hi(c[0], m0), high1 = b.mul_hi(c[2], m1);
    c = {b.bit_xor(b.bit_xor(high1, c[1]), key[0]), low1, b.bit_xor(b.bit_xor(high0, c[3]), key[1]), low0};
    for (size_t i = 0; i < key.size(); ++i) key[i] = b.add(key[i], b.u32(philox_weyl[i]));
  }
  return c;
}

}  // namespace

RandomBlock random_block(loop::Reader& reader, std::span<const Expr> index, const graph::Scalar& draw, int k) {
  loop::Builder& b = reader.builder();
  const size_t state = reader.operand_count() - 1;
  const Expr first[] = {0}, second[] = {1};
  const Value seed = reader.read(state, first);
  const Value offset = b.add(reader.read(state, second), reader.number(draw, u64));
  const std::vector<Expr>& shape = reader.result_type().shape;
  const Expr number = element_number(shape, index);
  const Value mask = b.u32((1u << k) - 1);
  Value low, high, place;
  if (is_narrow(shape)) {
    const Value n = b.bitcast(b.body().index_value(number, i32), u32);
    low = b.shr(n, b.u32(static_cast<uint32_t>(k)));
    high = b.u32(0);
    place = b.bit_and(n, mask);
  } else {
    const Value n = b.bitcast(b.body().index_value(number, i64), u64);
    const Value block = b.shr(n, b.constant(u64, k));
    low = low_word(b, block);
    high = high_word(b, block);
    place = b.bit_and(low_word(b, n), mask);
  }
  return {
      philox_values(b, {low, high, low_word(b, offset), high_word(b, offset)}, {low_word(b, seed), high_word(b, seed)}),
      place};
}

void check_state(graph::InferContext& context, size_t operand) {
  const graph::ValueType& t = context.operand(operand);
  if (t.dtype == u64 && t.rank() == 1 && context.same_extent(t.shape[0], 2)) return;
  context.fail(fmt::format("expected a generator's state, u64 [2], got {}", describe(t)));
}

ReferenceWords::ReferenceWords(const reference::Array& state, const graph::Scalar& draw)
    : seed_(state.at(0).bits), offset_(state.at(1).bits + literal_number(draw, u64).bits) {}

PhiloxWords ReferenceWords::block(uint64_t number) const {
  const auto low = [](uint64_t v) { return static_cast<uint32_t>(v); };
  const auto high = [](uint64_t v) { return static_cast<uint32_t>(v >> 32); };
  return philox({low(number), high(number), low(offset_), high(offset_)}, {low(seed_), high(seed_)});
}

}  // namespace sinter::ops
