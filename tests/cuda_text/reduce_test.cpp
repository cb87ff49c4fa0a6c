// SPDX-License-Identifier: Apache-2.0
// Reductions as CUDA text against the canonical order written down plainly, bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "codegen/tile/builder.h"
#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing {
namespace {

using scalar::Constant;
using tile_ir::ReduceKind;

Constant combine(ReduceKind kind, const Constant& a, const Constant& b) {
  constexpr scalar::ScalarOp ops[] = {scalar::ScalarOp::add, scalar::ScalarOp::mul, scalar::ScalarOp::max,
                                      scalar::ScalarOp::min};
  const Constant both[] = {a, b};
  return scalar::evaluate(ops[static_cast<size_t>(kind)], both);
}

Constant tree(ReduceKind kind, std::vector<Constant> level) {
  while (level.size() > 1) {
    std::vector<Constant> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(i + 1 < level.size() ? combine(kind, level[i], level[i + 1]) : level[i]);
    level = next;
  }
  return level[0];
}

/// DESIGN: within a chunk of 1024, partial p takes in p + 256, p + 512, p + 768; partials form a tree, lowest bit
/// first; then chunks do.
Constant canonical(ReduceKind kind, const std::vector<Constant>& x) {
  std::vector<Constant> chunks;
  for (size_t c = 0; c < x.size(); c += 1024) {
    const size_t end = std::min(x.size(), c + 1024);
    std::vector<Constant> partials;
    for (size_t p = c; p < std::min(end, c + 256); ++p) {
      Constant v = x[p];
      for (size_t j = p + 256; j < end; j += 256) v = combine(kind, v, x[j]);
      partials.push_back(v);
    }
    chunks.push_back(tree(kind, partials));
  }
  return tree(kind, chunks);
}

struct ReduceCase {
  DType t;
  ReduceKind kind;
  std::vector<int32_t> dims;
  int parts, dim, warps;
  std::string name() const {
    std::string s = fmt::format("{}_{}_{}", tile_ir::reduce_kind_names[static_cast<size_t>(kind)], t.name(), parts);
    for (int32_t d : dims) s += fmt::format("x{}", d);
    return s + fmt::format("_{}_w{}", dim < 0 ? "parts" : fmt::format("dim{}", dim), warps);
  }
};

tile_ir::Access dense(const std::vector<int32_t>& dims) {
  tile_ir::Access a;
  a.dims.resize(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) a.dims[d] = tile_ir::along(0, stride);
  a.parts = tile_ir::along(0, stride);
  return a;
}

DeviceKernel compile(const ReduceCase& c) {
  tile_ir::KernelBuilder b(c.name());
  const int x = b.add_pointer("x", c.t, {.alignment = 16}), y = b.add_pointer("y", c.t, {.written = true});
  const tile_ir::Value v = b.block_load(x, dense(c.dims), c.dims, c.parts);
  std::vector<int32_t> folded = c.dims;
  if (c.dim >= 0) folded[static_cast<size_t>(c.dim)] = 1;
  b.block_store(y, dense(folded), b.reduce(c.kind, c.dim, v));
  b.kernel().num_warps = c.warps;
  return DeviceKernel(b.finish());
}

Constant random_value(std::mt19937_64& random, DType t) {
  if (t == boolean) return scalar::constant_bool(random() % 2 != 0);
  if (!t.is_floating()) return {t, t.bits() == 32 ? random() & 0xffffffffu : random()};
  if (random() % 50 == 0) return scalar::constant_of(t, random() % 2 ? 0.0 : -0.0);
  return scalar::constant_of(t, std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -63) * 3);
}

bool same(const Constant& a, const Constant& b) {
  const bool nan = a.dtype.is_floating() && std::isnan(scalar::as_double(a)) && std::isnan(scalar::as_double(b));
  return a == b || nan;
}

void check(const ReduceCase& c, const DeviceKernel& kernel) {
  SCOPED_TRACE(c.name());
  std::mt19937_64 random(3);
  int64_t part = 1, inner = 1;
  for (int32_t d : c.dims) part *= d;
  const int64_t n = part * c.parts, length = c.dim < 0 ? c.parts : c.dims[static_cast<size_t>(c.dim)];
  if (c.dim < 0)
    inner = part;
  else
    for (size_t d = static_cast<size_t>(c.dim) + 1; d < c.dims.size(); ++d) inner *= c.dims[d];
  std::vector<Constant> x;
  const auto bytes = static_cast<size_t>(c.t.bytes());
  std::vector<unsigned char> memory(static_cast<size_t>(n) * bytes);
  for (int64_t i = 0; i < n; ++i) {
    x.push_back(random_value(random, c.t));
    scalar::store_element(memory.data() + static_cast<size_t>(i) * bytes, c.t, x.back());
  }
  const DeviceArray<unsigned char> dx(memory),
      dy(std::vector<unsigned char>(memory.size() / static_cast<size_t>(length)));
  ASSERT_NO_THROW(kernel(1, dx, dy)) << kernel.text().text;
  const std::vector<unsigned char> y = dy.values();
  for (int64_t i = 0; i < n / length; ++i) {
    std::vector<Constant> row;
    for (int64_t k = 0; k < length; ++k)
      row.push_back(x[static_cast<size_t>(i / inner * inner * length + k * inner + i % inner)]);
    const Constant expected = canonical(c.kind, row),
                   got = scalar::load_element(y.data() + static_cast<size_t>(i) * bytes, c.t);
    ASSERT_TRUE(same(got, expected)) << "result " << i
                                     << fmt::format(": {:#x}, expected {:#x}\n", got.bits, expected.bits)
                                     << kernel.text().text;
  }
}

std::vector<ReduceCase> cases() {
  std::vector<ReduceCase> all;
  const auto add = [&](DType t, ReduceKind kind, std::vector<int32_t> dims, int parts, int dim, int warps) {
    all.push_back({t, kind, std::move(dims), parts, dim, warps});
  };
  for (int32_t n = 1; n <= 4096; n *= 2) {  // rows and columns of every length
    add(f32, ReduceKind::sum, {n}, 1, 0, n % 3 == 0 ? 2 : 4);
    add(f32, ReduceKind::sum, {n, std::max(1, 2048 / n)}, 1, 0, 8);
    add(f32, ReduceKind::prod, {std::max(1, 1024 / n), n}, 1, 1, 1);
  }
  for (DType t : {f64, i32, u32, i64, u64})
    for (ReduceKind kind : {ReduceKind::sum, ReduceKind::prod, ReduceKind::amax, ReduceKind::amin}) {
      add(t, kind, {512}, 1, 0, 2);
      add(t, kind, {1024, 4}, 1, 0, 4);
    }
  for (DType t : {f32, boolean})
    for (ReduceKind kind : {ReduceKind::amax, ReduceKind::amin}) {
      add(t, kind, {2, 2048}, 1, 1, 8);
      add(t, kind, {64, 16}, 3, 0, 2);
    }
  add(f32, ReduceKind::sum, {1024}, 4, 0, 4);  // each part by itself
  add(f32, ReduceKind::sum, {4, 512, 2}, 3, 1, 4);
  add(f32, ReduceKind::sum, {256, 64}, 1, 0, 8);  // what does not fit into shared memory at once
  add(f64, ReduceKind::sum, {64, 256}, 2, 0, 8);
  for (int parts : {1, 2, 3, 5, 7, 16, 33, 300}) add(f32, ReduceKind::sum, {4, 8}, parts, tile_ir::parts_dim, 1);
  return all;
}

TEST(Reduce, IsInCanonicalOrder) {
  std::vector<std::pair<ReduceCase, DeviceKernel>> all;
  for (const ReduceCase& c : cases()) all.emplace_back(c, compile(c));
  for (const auto& [c, kernel] : all) {
    check(c, kernel);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
