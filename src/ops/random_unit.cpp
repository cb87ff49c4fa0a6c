// SPDX-License-Identifier: Apache-2.0
#include "src/ops/random_unit.h"

#include <cmath>

namespace sinter::ops {
namespace {

using loop::Value;

int significand_bits(DType t) { return t == f16 ? 11 : t == bf16 ? 8 : t == f32 ? 24 : 53; }

}  // namespace

Value joined(loop::Builder& b, Value low, Value high) {
  return b.bit_or(b.shl(b.convert(high, u64), b.constant(u64, 32)), b.convert(low, u64));
}

Value chosen(loop::Builder& b, const RandomBlock& block, uint32_t bit, Value if_set, Value if_clear) {
  return b.select(b.ne(b.bit_and(block.place, b.u32(bit)), b.u32(0)), if_set, if_clear);
}

int uniform_k(DType dtype) { return dtype == f64 ? 1 : 2; }

Value uniform_unit(loop::Builder& b, const RandomBlock& block, DType dtype) {
  const int bits = significand_bits(dtype);
  if (dtype == f64) {
    const Value whole = b.shr(random_word64(b, block), b.constant(u64, 64 - bits));
    return b.mul(b.convert(whole, f64), b.f64(std::ldexp(1.0, -bits)));
  }
  const auto& w = block.words;
  const Value word = chosen(b, block, 2, chosen(b, block, 1, w[3], w[2]), chosen(b, block, 1, w[1], w[0]));
  const Value whole = b.shr(word, b.u32(static_cast<uint32_t>(32 - bits)));
  return b.mul(b.convert(whole, f32), b.f32(std::ldexp(1.0f, -bits)));
}

double uniform_unit(const PhiloxWords& words, uint32_t place, DType dtype) {
  const int bits = significand_bits(dtype);
  const uint64_t whole = dtype == f64 ? random_word64(words, place) >> (64 - bits) : words[place] >> (32 - bits);
  return std::ldexp(static_cast<double>(whole), -bits);
}

Value random_word64(loop::Builder& b, const RandomBlock& block) {
  const auto& w = block.words;
  return joined(b, chosen(b, block, 1, w[2], w[0]), chosen(b, block, 1, w[3], w[1]));
}

uint64_t random_word64(const PhiloxWords& words, uint32_t place) {
  return uint64_t{words[2 * place + 1]} << 32 | words[2 * place];
}

}  // namespace sinter::ops
