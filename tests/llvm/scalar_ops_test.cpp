// SPDX-License-Identifier: Apache-2.0
// Every scalar op on every type it takes against the scalar reference, bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "codegen/tile/builder.h"
#include "src/scalar/scalar_ops.h"
#include "tests/llvm/compiled_kernel.h"
#include "tests/support/scalar_op_cases.h"

namespace sinter::llvm_codegen {
namespace {

using scalar::Constant;
using scalar::ScalarOp;
using scalar::ScalarRule;

std::vector<uint64_t> special_bits(DType t) {
  if (t.is_boolean()) return {0, 1};
  if (t == f32)
    return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x807fffff,
            0x00800000, 0x7f7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x4f000000, 0xcf000000,
            0x4f800000, 0x5f000000, 0x477fefff, 0x477ff000, 0x33000000, 0x33000001, 0x38800000, 0x3f808000, 0x3f818000};
  if (t == f64)
    return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
            0x7ff8000000000000, 0x0000000000000001, 0x7fefffffffffffff, 0x4004000000000000, 0xc004000000000000,
            0x41dfffffffc00000, 0xc1e0000000000000, 0x43e0000000000000, 0x43f0000000000000, 0x3ff0000010000000};
  const uint64_t sign = uint64_t{1} << (t.bits() - 1), all = sign | (sign - 1);
  return {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, sign, sign - 1, sign + 1, all, all - 1, all - 30};
}

/// Specials with each other, then random bits, half of the floating ones of ordinary size.
std::vector<std::vector<uint64_t>> samples(const std::vector<DType>& types, size_t n) {
  std::mt19937_64 random(7);
  std::vector<std::vector<uint64_t>> r(types.size(), std::vector<uint64_t>(n));
  for (size_t e = 0; e < n; ++e) {
    size_t digit = e;
    for (size_t k = 0; k < types.size(); ++k) {
      const std::vector<uint64_t> specials = special_bits(types[k]);
      const uint64_t bits = types[k].is_boolean()   ? random() & 1
                            : types[k].bits() == 32 ? random() & 0xffffffff
                                                    : random();
      const double ordinary = std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -50);
      r[k][e] = e < n / 2 ? specials[digit % specials.size()] : bits;
      if (e >= n / 2 && types[k].is_floating() && random() % 2) r[k][e] = scalar::constant_of(types[k], ordinary).bits;
      digit /= specials.size();
    }
  }
  return r;
}

bool is_nan(DType t, uint64_t bits) {
  if (t == f32) return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return t == f64 && std::isnan(std::bit_cast<double>(bits));
}

using Case = test::ScalarOpCase;

/// x -> op(x...), `lanes` elements a program, operands and result in memory by their compute type.
tile_ir::Kernel elementwise(const Case& c, int lanes) {
  tile_ir::KernelBuilder b("op");
  std::vector<tile_ir::Value> x;
  const int y = b.add_pointer("y", c.result, {.written = true});
  std::vector<int> pointers;
  for (size_t k = 0; k < c.types.size(); ++k) pointers.push_back(b.add_pointer("x" + std::to_string(k), c.types[k]));
  const tile_ir::Value origin = b.mul(b.program_id(), b.literal(lanes));
  tile_ir::Access access;
  access.dims = {tile_ir::along(origin, 1)};
  for (const int p : pointers) x.push_back(b.block_load(p, access, {lanes}));
  b.block_store(y, access, b.scalar(c.op, x, c.attribute));
  return b.finish();
}

uint64_t read(const std::vector<std::byte>& memory, DType t, size_t element) {
  uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + element * static_cast<size_t>(t.bytes()), static_cast<size_t>(t.bytes()));
  return bits;
}

std::vector<std::byte> pack(const std::vector<uint64_t>& bits, DType t) {
  std::vector<std::byte> memory(bits.size() * static_cast<size_t>(t.bytes()));
  for (size_t e = 0; e < bits.size(); ++e)
    std::memcpy(memory.data() + e * static_cast<size_t>(t.bytes()), &bits[e], static_cast<size_t>(t.bytes()));
  return memory;
}

void check(const Case& c, int lanes, const TargetOptions& target) {
  SCOPED_TRACE(c.name() + " x " + std::to_string(lanes) + " on " + target.architecture);
  constexpr size_t n = 2048;
  const CompiledKernel kernel(elementwise(c, lanes), target);
  const auto bits = samples(c.types, n);
  std::vector<std::vector<std::byte>> memory;
  for (size_t k = 0; k < c.types.size(); ++k) memory.push_back(pack(bits[k], c.types[k]));
  std::vector<std::byte> result(n * static_cast<size_t>(c.result.bytes()));
  std::vector<uint64_t> slots{CompiledKernel::slot(result.data())};
  for (const auto& m : memory) slots.push_back(CompiledKernel::slot(m.data()));
  kernel.entry()(slots.data(), 0, static_cast<int64_t>(n) / lanes);
  int wrong = 0;
  for (size_t e = 0; e < n && wrong < 3; ++e) {
    std::vector<Constant> x;
    for (size_t k = 0; k < c.types.size(); ++k) x.push_back({c.types[k], bits[k][e]});
    const uint64_t expected = scalar::evaluate(c.op, x, c.attribute).bits, got = read(result, c.result, e);
    const bool equal = expected == got || (is_nan(c.result, expected) && is_nan(c.result, got));
    if (equal) continue;
    ++wrong;
    std::string operands;
    for (const Constant& v : x) operands += fmt::format(" {:#x}", v.bits);
    ADD_FAILURE() << c.name() << operands << fmt::format(": expected {:#x}, got {:#x}", expected, got);
  }
}

TEST(LlvmScalarOps, EveryOpOnEveryTypeIsTheReference) {
  const std::vector<Case> cases = test::scalar_op_cases();
  EXPECT_GT(cases.size(), 150u);
  for (const TargetOptions& target : runnable_targets())
    for (const Case& c : cases) check(c, target.vector_bits / 32, target);
}

TEST(LlvmScalarOps, OddShapesAgreeWithNativeOnes) {
  for (const Case& c : test::scalar_op_cases())
    for (const int lanes : {1, 2, 64, 512}) check(c, lanes, host());
}

}  // namespace
}  // namespace sinter::llvm_codegen
