// SPDX-License-Identifier: Apache-2.0
// Every access pattern against a plain loop, in memory whose neighbours are unmapped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "codegen/llvm/access_pattern.h"
#include "codegen/tile/builder.h"
#include "src/scalar/scalar_ops.h"
#include "tests/llvm/compiled_kernel.h"
#include "tests/llvm/guarded_memory.h"

namespace sinter::llvm_codegen {
namespace {

using Kind = AccessPattern::Kind;
using scalar::Constant;

/// A box in numbers. Masked dims have an extent.
struct BoxDim {
  int64_t origin, stride;
  std::optional<int64_t> extent = std::nullopt;
};

struct BoxCase {
  std::string name;
  std::vector<int32_t> dims;
  std::vector<BoxDim> along;
  int32_t parts = 1;
  BoxDim parts_along{0, 0};
  std::optional<int64_t> row_extent = std::nullopt;
  std::optional<Kind> kind = std::nullopt;  ///< expected on the host's vectors
  bool literal_strides = true;
};

/// Calls f(part, element, address, inside) in row-major order.
template <class F>
void for_elements(const BoxCase& c, F f) {
  int64_t elements = 1;
  for (const int32_t n : c.dims) elements *= n;
  for (int32_t p = 0; p < c.parts; ++p) {
    for (int64_t e = 0; e < elements; ++e) {
      int64_t address = (c.parts_along.origin + p) * c.parts_along.stride, rest = e;
      bool inside = !c.parts_along.extent || c.parts_along.origin + p < *c.parts_along.extent;
      int64_t last = 0;
      for (size_t d = c.dims.size(); d-- > 0;) {
        const int64_t k = c.along[d].origin + rest % c.dims[d];
        if (d + 1 == c.dims.size()) last = k;
        rest /= c.dims[d];
        address += k * c.along[d].stride;
        if (c.along[d].extent) inside = inside && k >= 0 && k < *c.along[d].extent;
      }
      if (c.row_extent) inside = inside && (c.parts_along.origin + p) * c.dims.back() + last < *c.row_extent;
      f(p, e, address, inside);
    }
  }
}

int64_t element_count(const BoxCase& c) {
  int64_t n = c.parts;
  for (const int32_t d : c.dims) n *= d;
  return n;
}

/// Lowest and one past the highest address of elements in bounds.
std::pair<int64_t, int64_t> reach(const BoxCase& c) {
  int64_t low = 0, high = 0;
  bool any = false;
  for_elements(c, [&](int32_t, int64_t, int64_t address, bool inside) {
    if (!inside) return;
    low = any ? std::min(low, address) : address;
    high = any ? std::max(high, address + 1) : address + 1;
    any = true;
  });
  return {low, high};
}

/// The box over parameters: every number of it that is not a literal is a scalar parameter, in the order of `numbers`.
struct BoxKernel {
  tile_ir::Kernel kernel;
  std::vector<int64_t> numbers;
};

/// load: y = box of x; otherwise box of y = x. The contiguous side has the compute type.
BoxKernel box_kernel(const BoxCase& c, DType storage, bool load, tile_ir::CachePolicy policy) {
  BoxKernel r;
  tile_ir::KernelBuilder b("box");
  const DType compute = scalar::compute_type(storage);
  const int x = b.add_pointer("x", load ? storage : compute);
  const int y = b.add_pointer("y", load ? compute : storage, {.written = true});
  const auto number = [&](int64_t v) -> tile_ir::Index {
    const int p = b.add_scalar("n" + std::to_string(r.numbers.size()), i64);
    r.numbers.push_back(v);
    return b.parameter(p);
  };
  const auto dim = [&](const BoxDim& d) {
    const tile_ir::Index stride = c.literal_strides ? tile_ir::Index(d.stride) : number(d.stride);
    return d.extent ? tile_ir::along(number(d.origin), stride, number(*d.extent))
                    : tile_ir::along(number(d.origin), stride);
  };
  tile_ir::Access box, plain;
  box.base = number(0);
  box.parts = dim(c.parts_along);
  for (const BoxDim& d : c.along) box.dims.push_back(dim(d));
  if (c.row_extent) {
    box.row_masked = true;
    box.row_extent = number(*c.row_extent);
  }
  int64_t stride = 1;
  for (size_t d = c.dims.size(); d-- > 0; stride *= c.dims[d])
    plain.dims.insert(plain.dims.begin(), tile_ir::along(0, stride));
  plain.parts = tile_ir::along(0, stride);
  const tile_ir::Value fill = b.constant(compute, 1.0);
  const tile_ir::Value v = b.block_load(x, load ? box : plain, c.dims, c.parts, fill);
  b.block_store(y, load ? plain : box, v, policy);
  r.kernel = b.finish();
  return r;
}

/// Small numbers that every dtype holds.
void fill_memory(std::byte* memory, int64_t n, DType t, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int64_t e = 0; e < n; ++e)
    scalar::store_element(
        memory + e * t.bytes(), t,
        scalar::constant_of(scalar::compute_type(t),
                            t.is_boolean() ? static_cast<double>(random() & 1) : static_cast<double>(random() % 100)));
}

/// Compiled once: cases differ in numbers more than in kernels.
const CompiledKernel& compiled(const tile_ir::Kernel& kernel, const TargetOptions& target) {
  static std::map<std::string, CompiledKernel> kernels;
  const std::string key = target.architecture + tile_ir::print(kernel);
  const auto it = kernels.find(key);
  return it != kernels.end() ? it->second : kernels.try_emplace(key, kernel, target).first->second;
}

void run(const CompiledKernel& kernel, const BoxKernel& box, const std::byte* x, std::byte* y) {
  std::vector<uint64_t> slots{CompiledKernel::slot(x), CompiledKernel::slot(y)};
  for (const int64_t n : box.numbers) slots.push_back(static_cast<uint64_t>(n));
  kernel.entry()(slots.data(), 0, 1);
}

void check_load(const BoxCase& c, DType storage, const TargetOptions& target, GuardedMemory::Flush flush) {
  const DType compute = scalar::compute_type(storage);
  const auto [low, high] = reach(c);
  const GuardedMemory x(static_cast<size_t>((high - low) * storage.bytes()), flush);
  const GuardedMemory y(static_cast<size_t>(element_count(c) * compute.bytes()), flush);
  fill_memory(x.data(), high - low, storage, 1);
  const BoxKernel box = box_kernel(c, storage, true, tile_ir::CachePolicy::standard);
  run(compiled(box.kernel, target), box, x.data() - low * storage.bytes(), y.data());
  int64_t at = 0;
  int wrong = 0;
  for_elements(c, [&, low = low](int32_t p, int64_t e, int64_t address, bool inside) {
    const Constant expected = inside ? scalar::load_element(x.data() + (address - low) * storage.bytes(), storage)
                                     : scalar::constant_of(compute, 1.0);
    const Constant got = scalar::load_element(y.data() + at++ * compute.bytes(), compute);
    if (got.bits != expected.bits && ++wrong < 4)
      ADD_FAILURE() << fmt::format("part {} element {}: expected {:#x}, got {:#x}", p, e, expected.bits, got.bits);
  });
}

void check_store(const BoxCase& c, DType storage, const TargetOptions& target, GuardedMemory::Flush flush,
                 tile_ir::CachePolicy policy) {
  const DType compute = scalar::compute_type(storage);
  const auto [low, high] = reach(c);
  const auto bytes = static_cast<size_t>((high - low) * storage.bytes());
  const GuardedMemory y(bytes, flush), x(static_cast<size_t>(element_count(c) * compute.bytes()), flush);
  std::vector<std::byte> expected(bytes);
  fill_memory(y.data(), high - low, storage, 2);
  fill_memory(x.data(), element_count(c), compute, 3);
  std::memcpy(expected.data(), y.data(), bytes);
  int64_t at = 0;
  for_elements(c, [&, low = low](int32_t, int64_t, int64_t address, bool inside) {
    const Constant value = scalar::load_element(x.data() + at++ * compute.bytes(), compute);
    if (inside) scalar::store_element(expected.data() + (address - low) * storage.bytes(), storage, value);
  });
  const BoxKernel box = box_kernel(c, storage, false, policy);
  run(compiled(box.kernel, target), box, x.data(), y.data() - low * storage.bytes());
  EXPECT_EQ(std::memcmp(expected.data(), y.data(), bytes), 0);
}

std::vector<BoxCase> register_patterns() {
  return {
      {.name = "contiguous", .dims = {64}, .along = {{5, 1}}, .kind = Kind::rows},
      {.name = "one element", .dims = {1}, .along = {{5, 7}}, .kind = Kind::rows},
      {.name = "rank 0", .dims = {}, .along = {}, .kind = Kind::rows},
      {.name = "two lanes", .dims = {2}, .along = {{5, 1}}, .kind = Kind::rows},
      {.name = "broadcast", .dims = {32}, .along = {{3, 0}}, .kind = Kind::rows},
      {.name = "reversed", .dims = {64}, .along = {{0, -1}}, .kind = Kind::rows},
      {.name = "rows", .dims = {4, 32}, .along = {{2, 100}, {1, 1}}, .kind = Kind::rows},
      {.name = "short rows", .dims = {16, 4}, .along = {{0, 9}, {0, 1}}, .kind = Kind::rows},
      {.name = "whole rows", .dims = {4, 8}, .along = {{1, 8}, {0, 1}}, .kind = Kind::rows},
      {.name = "row of columns", .dims = {8, 16}, .along = {{0, 0}, {4, 1}}, .kind = Kind::rows},
      {.name = "splat rows", .dims = {8, 16}, .along = {{0, 1}, {4, 0}}, .kind = Kind::rows},
      {.name = "column", .dims = {16, 16}, .along = {{0, 1}, {0, 50}}, .kind = Kind::permuted},
      {.name = "wide column", .dims = {64, 4}, .along = {{3, 1}, {0, 70}}, .kind = Kind::permuted},
      {.name = "tall column", .dims = {4, 64}, .along = {{0, 1}, {0, 5}}, .kind = Kind::permuted},
      {.name = "middle column", .dims = {2, 16, 8}, .along = {{0, 300}, {0, 1}, {0, 20}}, .kind = Kind::permuted},
      {.name = "reversed column", .dims = {16, 8}, .along = {{0, -1}, {0, 40}}, .kind = Kind::permuted},
      {.name = "strided", .dims = {64}, .along = {{0, 3}}, .kind = Kind::elements},
      {.name = "parts in rows",
       .dims = {64},
       .along = {{0, 1}},
       .parts = 3,
       .parts_along = {0, 64},
       .kind = Kind::rows},
      {.name = "planes", .dims = {32}, .along = {{7, 1}}, .parts = 3, .parts_along = {0, 500}, .kind = Kind::rows},
      {.name = "bgr", .dims = {64}, .along = {{5, 3}}, .parts = 3, .parts_along = {-2, -1}, .kind = Kind::interleaved},
  };
}

std::vector<BoxCase> patterns() {
  std::vector<BoxCase> r = register_patterns();
  for (int32_t n = 2; n <= 8; ++n)
    r.push_back({.name = fmt::format("interleaved {}", n),
                 .dims = {64},
                 .along = {{3, n}},
                 .parts = n,
                 .parts_along = {0, 1},
                 .kind = Kind::interleaved});
  r.push_back({.name = "interleaved rows",
               .dims = {2, 64},
               .along = {{0, 400}, {0, 3}},
               .parts = 3,
               .parts_along = {0, 1},
               .kind = Kind::interleaved});
  r.push_back({.name = "interleaved with a gap",
               .dims = {64},
               .along = {{0, 4}},
               .parts = 3,
               .parts_along = {0, 1},
               .kind = Kind::elements});
  r.push_back({.name = "large", .dims = {1024}, .along = {{5, 1}}, .kind = Kind::rows});
  r.push_back({.name = "large rows", .dims = {16, 64}, .along = {{0, 80}, {3, 1}}, .kind = Kind::rows});
  r.push_back({.name = "large reversed", .dims = {512}, .along = {{0, -1}}, .kind = Kind::rows});
  r.push_back({.name = "large strided", .dims = {512}, .along = {{0, 2}}, .kind = Kind::elements});
  r.push_back({.name = "large column", .dims = {32, 16}, .along = {{0, 1}, {0, 50}}, .kind = Kind::permuted});
  r.push_back({.name = "large planes",
               .dims = {128},
               .along = {{7, 1}},
               .parts = 3,
               .parts_along = {0, 500},
               .kind = Kind::rows});
  r.push_back({.name = "large interleaved",
               .dims = {128},
               .along = {{0, 3}},
               .parts = 3,
               .parts_along = {0, 1},
               .kind = Kind::interleaved});
  const size_t literal = r.size();
  for (size_t i = 0; i < literal; ++i) {  // the same numbers, not known when compiling
    BoxCase c = r[i];
    c.name += " (unknown strides)";
    c.literal_strides = false;
    c.kind.reset();
    r.push_back(c);
  }
  return r;
}

/// Each pattern masked in every dim: all inside, partly inside at both ends, nothing inside.
std::vector<BoxCase> masked(const BoxCase& c) {
  std::vector<BoxCase> r;
  for (const int cut : {0, 1, 3, 1000}) {
    for (const int before : {0, 2}) {
      BoxCase m = c;
      m.name += fmt::format(" cut {} before {}", cut, before);
      for (size_t d = 0; d < m.dims.size(); ++d) {
        if (before && m.along[d].origin != 0) continue;
        m.along[d].origin -= before;
        m.along[d].extent = std::max<int64_t>(0, m.along[d].origin + m.dims[d] - cut);
      }
      r.push_back(m);
    }
  }
  return r;
}

TEST(LlvmAccess, PatternsAreRecognised) {
  for (const BoxCase& c : patterns()) {
    if (!c.kind) continue;
    const BoxKernel box = box_kernel(c, f32, true, tile_ir::CachePolicy::standard);
    for (const tile_ir::Instruction& i : box.kernel.body.body)
      if (i.op == tile_ir::Op::block_load) {
        EXPECT_EQ(access_pattern(*i.access, i.type, 16).kind, *c.kind) << c.name;
      }
  }
}

TEST(LlvmAccess, LoadsAndStoresAreThoseOfALoop) {
  for (const TargetOptions& target : runnable_targets()) {
    for (const BoxCase& c : patterns()) {
      for (const DType t : {u8, f16, f32}) {
        SCOPED_TRACE(fmt::format("{} of {} on {}", c.name, t.name(), target.architecture));
        for (const auto flush : {GuardedMemory::Flush::end, GuardedMemory::Flush::begin}) {
          check_load(c, t, target, flush);
          check_store(c, t, target, flush, tile_ir::CachePolicy::standard);
          check_store(c, t, target, flush, tile_ir::CachePolicy::streaming);
        }
      }
    }
  }
}

TEST(LlvmAccess, EveryStorageTypeWidensAndNarrows) {
  for (const TargetOptions& target : runnable_targets()) {
    for (const DType t : all_dtypes) {
      for (const int32_t lanes : {1, 4, 16, 64}) {
        SCOPED_TRACE(fmt::format("{} x {} on {}", t.name(), lanes, target.architecture));
        const BoxCase c{.name = "contiguous", .dims = {lanes}, .along = {{0, 1}}};
        check_load(c, t, target, GuardedMemory::Flush::end);
        check_store(c, t, target, GuardedMemory::Flush::end, tile_ir::CachePolicy::standard);
      }
    }
  }
}

TEST(LlvmAccess, MaskedLanesTouchNoMemory) {
  for (const BoxCase& c : patterns()) {
    for (const BoxCase& m : masked(c)) {
      for (const DType t : {u8, f32}) {
        SCOPED_TRACE(fmt::format("{} of {}", m.name, t.name()));
        check_load(m, t, host(), GuardedMemory::Flush::end);
        check_store(m, t, host(), GuardedMemory::Flush::begin, tile_ir::CachePolicy::streaming);
      }
    }
  }
}

TEST(LlvmAccess, RowsInPartsEndAnywhere) {
  for (const int64_t n : {1, 63, 64, 65, 127, 128, 150, 191, 192}) {
    BoxCase c{.name = "row", .dims = {64}, .along = {{0, 1}}, .parts = 3, .parts_along = {0, 64}, .row_extent = n};
    SCOPED_TRACE(n);
    check_load(c, f32, host(), GuardedMemory::Flush::end);
    check_store(c, bf16, host(), GuardedMemory::Flush::end, tile_ir::CachePolicy::standard);
  }
}

/// y = x + 1 over n elements, 64 a program.
tile_ir::Kernel tail_kernel(DType storage) {
  tile_ir::KernelBuilder b("tail");
  const int x = b.add_pointer("x", storage), y = b.add_pointer("y", storage, {.written = true}),
            n = b.add_scalar("n", i64);
  tile_ir::Access access;
  access.dims = {tile_ir::along(b.mul(b.program_id(), b.literal(64)), 1, b.parameter(n))};
  const DType compute = scalar::compute_type(storage);
  tile_ir::Value v = b.block_load(x, access, {64}, 1, b.constant(compute, 0.0));
  v = storage.is_boolean() ? b.bit_not(v) : b.round_to(b.add(v, b.constant(compute, 1.0)), storage);
  b.block_store(y, access, v);
  return b.finish();
}

TEST(LlvmAccess, TailsOfEveryLength) {
  for (const TargetOptions& target : runnable_targets()) {
    for (const DType t : all_dtypes) {
      const CompiledKernel kernel(tail_kernel(t), target);
      for (int64_t n = 1; n <= 130; ++n) {
        const GuardedMemory x(static_cast<size_t>(n * t.bytes())), y(static_cast<size_t>(n * t.bytes()));
        fill_memory(x.data(), n, t, static_cast<uint64_t>(n));
        kernel(0, (n + 63) / 64, x.data(), y.data(), n);
        for (int64_t e = 0; e < n; ++e) {
          const double before = scalar::as_double(scalar::load_element(x.data() + e * t.bytes(), t));
          const double after = scalar::as_double(scalar::load_element(y.data() + e * t.bytes(), t));
          ASSERT_EQ(after, t.is_boolean() ? 1 - before : before + 1) << t.name() << " " << e << " of " << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sinter::llvm_codegen
