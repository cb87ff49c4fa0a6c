// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/nan_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/graph/registry.h"
#include "src/reference/interpret.h"
#include "tests/support/op_cases.h"

namespace sinter::fuzz {
namespace {

using reference::Array;

bool is_nan(const Array& a, int64_t i) { return std::isnan(scalar::as_double(a.at(i))); }

uint64_t stored_bits(const Array& a, int64_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, a.data.data() + a.byte(i), static_cast<size_t>(a.dtype.bytes()));
  return bits;
}

/// The other sign, and a payload of 1.
void change_nan(Array& a, int64_t i) {
  const int width = static_cast<int>(a.dtype.bytes()) * 8;
  const int fraction = a.dtype == f16 ? 10 : a.dtype == bf16 ? 7 : a.dtype == f32 ? 23 : 52;
  const uint64_t sign = uint64_t{1} << (width - 1), exponent = (sign - 1) & ~((uint64_t{1} << fraction) - 1);
  const uint64_t bits = (~stored_bits(a, i) & sign) | exponent | uint64_t{1} << (fraction - 1) | 1;
  std::memcpy(a.data.data() + a.byte(i), &bits, static_cast<size_t>(a.dtype.bytes()));
}

/// Does an operand hold a NaN of these bits?
bool is_moved(const Array& result, int64_t i, std::span<const Array> operands) {
  return std::ranges::any_of(operands, [&](const Array& o) {
    if (o.dtype != result.dtype) return false;
    for (int64_t j = 0; j < o.size(); ++j)
      if (stored_bits(o, j) == stored_bits(result, i)) return true;
    return false;
  });
}

/// Views move elements, ops that compute where they read may move them; all others compute.
void change_nans(const graph::Node& node, std::span<const Array> operands, std::vector<Array>& results) {
  if (node.op->op_class == graph::OpClass::view || node.op->scatter != nullptr) return;
  const bool may_move = node.op->op_class == graph::OpClass::indexed;
  for (Array& a : results) {
    if (!a.dtype.is_floating()) continue;
    for (int64_t i = 0; i < a.size(); ++i)
      if (is_nan(a, i) && !(may_move && is_moved(a, i, operands))) change_nan(a, i);
  }
}

}  // namespace

std::vector<NanBits> hanging_on_nan_bits(const graph::Graph& graph, std::span<const Array> inputs,
                                         std::span<const int64_t> symbols, std::span<const Array> outputs) {
  const std::vector<Array> others = reference::interpret(graph, inputs, symbols, change_nans);
  std::vector<NanBits> all;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Array &one = outputs[k], &other = others[k];
    NanBits& hangs = all.emplace_back(static_cast<size_t>(one.size()));
    for (int64_t i = 0; i < one.size(); ++i)
      hangs[static_cast<size_t>(i)] = !(one.at(i) == other.at(i)) && !(is_nan(one, i) && is_nan(other, i));
  }
  return all;
}

std::string difference(const Array& expected, const Array& got, const NanBits& ignored) {
  if (std::ranges::find(ignored, true) == ignored.end() || expected.dtype != got.dtype ||
      !(expected.shape == got.shape))
    return test::difference(expected, got);
  Array as_got = expected;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (ignored[static_cast<size_t>(i)]) as_got.set(i, got.at(i));
  return test::difference(as_got, got);
}

}  // namespace sinter::fuzz
