// SPDX-License-Identifier: Apache-2.0
// Every scalar op on every compute type, as CUDA text, against the reference, bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "codegen/tile/builder.h"
#include "tests/cuda_text/device_kernel.h"
#include "tests/support/approximations.h"
#include "tests/support/scalar_op_cases.h"

namespace sinter::cuda::testing {
namespace {

using scalar::Constant;
using scalar::ScalarOp;
using scalar::ScalarRule;
using Bytes = std::vector<unsigned char>;

constexpr int tile_size = 1024, programs = 2;
constexpr size_t samples = tile_size * programs;

using ScalarCase = test::ScalarOpCase;

/// Small integers, ends of ranges, specials of floating types, halfway cases; else anything.
uint64_t sample(std::mt19937_64& random, DType t) {
  if (t == boolean) return random() & 1;
  const uint64_t anything = random(), choice = random() % 4;
  if (t.is_floating()) {
    constexpr double specials[] = {0.0,     -0.0,         1,        -1,           0.5,   1.5,  2.5,      -2.5,
                                   1e-45,   -1e-40,       3e38,     INFINITY,     NAN,   1e38, 65504,    65520,
                                   65519.9, 2147483648.0, 9.3e18,   4294967296.0, -1e99, 0.1,  1.9e19,   5.96e-8,
                                   2.98e-8, 6.1e-5,       16777217, 1.00390625,   -0.75, -7,   -INFINITY};
    if (choice == 0) return scalar::constant_of(t, specials[anything % std::size(specials)]).bits;
    if (choice < 3) {
      const int exponent = -50 - static_cast<int>(anything % 16);
      return scalar::constant_of(t, std::ldexp(static_cast<double>(static_cast<int64_t>(anything)), exponent)).bits;
    }
    return t == f32 ? anything & 0xffffffffu : anything;
  }
  const uint64_t top = uint64_t{1} << (t.bits() - 1), all = top | (top - 1);
  if (choice == 0) return (anything % 70) & all;
  if (choice == 1) return (top + anything % 5 - 2) & all;
  if (choice == 2) return (0 - anything % 40) & all;
  return anything & all;
}

bool is_nan(DType t, uint64_t bits) {
  if (t == f32) return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return t == f64 && std::isnan(std::bit_cast<double>(bits));
}

/// Is a GPU's approximation within the bound of src/scalar/math/hardware.h?
bool within_bound(ScalarOp op, double got, double expected) {
  const double error = std::fabs(got - expected), size = std::fabs(expected);
  switch (op) {
    case ScalarOp::lg2_approx:
      return error <= 0x1p-21 * std::max(size, 1.0);
    case ScalarOp::tanh_approx:
      return error <= 0x1p-10 * size;
    case ScalarOp::ex2_approx:
      return error <= 0x1p-21 * size || (size < 0x1p-125 && error < 0x1p-125);
    default:
      return error <= 0x1p-21 * size;
  }
}

/// The same bits but for platform functions and, on a GPU, approximations.
bool close(ScalarOp op, DType t, uint64_t got, uint64_t expected) {
  if (got == expected) return true;
  if (scalar::is_approximation(op))
    return test::approximates(Device::cuda(0)) &&
           within_bound(op, scalar::as_double({t, got}), scalar::as_double({t, expected}));
  const uint64_t apart = got > expected ? got - expected : expected - got;
  return scalar::is_platform_function(op) && apart <= 4;
}

struct Compiled {
  ScalarCase c;
  std::unique_ptr<DeviceKernel> kernel;
};

Compiled compiled(const ScalarCase& c) {
  tile_ir::KernelBuilder b(c.name());
  tile_ir::Access access;
  const int y = b.add_pointer("y", c.result, {.written = true, .alignment = 16});
  std::vector<int> pointers;
  for (const DType t : c.types)
    pointers.push_back(b.add_pointer("x" + std::to_string(pointers.size()), t, {.alignment = 16}));
  access.dims = {tile_ir::along(b.mul(b.program_id(), b.literal(tile_size)), 1)};
  std::vector<tile_ir::Value> x;
  for (const int p : pointers) x.push_back(b.block_load(p, access, {tile_size}));
  b.block_store(y, access, b.scalar(c.op, x, c.attribute));
  return {c, std::make_unique<DeviceKernel>(b.finish())};
}

void check(const Compiled& compiled) {
  const ScalarCase& c = compiled.c;
  std::mt19937_64 random(5);
  const auto bytes_of = [](DType t) { return static_cast<size_t>(t.bytes()); };
  std::vector<std::vector<uint64_t>> bits(c.types.size(), std::vector<uint64_t>(samples));
  std::vector<std::unique_ptr<DeviceArray<unsigned char>>> arrays;
  arrays.push_back(std::make_unique<DeviceArray<unsigned char>>(Bytes(samples * bytes_of(c.result))));
  for (size_t k = 0; k < c.types.size(); ++k) {
    Bytes packed(samples * bytes_of(c.types[k]));
    for (size_t e = 0; e < samples; ++e) {
      bits[k][e] = sample(random, c.types[k]);
      std::memcpy(packed.data() + e * bytes_of(c.types[k]), &bits[k][e], bytes_of(c.types[k]));
    }
    arrays.push_back(std::make_unique<DeviceArray<unsigned char>>(packed));
  }
  std::vector<uint64_t> slots;
  for (const auto& a : arrays) slots.push_back(slot(*a));
  compiled.kernel->launch(programs, slots);
  const Bytes got = arrays[0]->values();
  int wrong = 0;
  for (size_t e = 0; e < samples && wrong < 3; ++e) {
    std::vector<Constant> x;
    std::string operands;
    for (size_t k = 0; k < c.types.size(); ++k) {
      x.push_back({c.types[k], bits[k][e]});
      operands += fmt::format(" {:#x}", bits[k][e]);
    }
    const uint64_t expected = scalar::evaluate(c.op, x, c.attribute).bits;
    uint64_t result = 0;
    std::memcpy(&result, got.data() + e * bytes_of(c.result), bytes_of(c.result));
    if ((is_nan(c.result, result) && is_nan(c.result, expected)) || close(c.op, c.result, result, expected)) continue;
    ++wrong;
    ADD_FAILURE() << c.name() << operands << fmt::format(": expected {:#x}, got {:#x}", expected, result);
  }
}

TEST(ScalarOps, EveryOpOnEveryTypeIsTheReference) {
  std::vector<Compiled> all;
  for (const ScalarCase& c : test::scalar_op_cases()) all.push_back(compiled(c));
  EXPECT_GT(all.size(), 150u);
  for (const Compiled& c : all) check(c);
}

}  // namespace
}  // namespace sinter::cuda::testing
