// SPDX-License-Identifier: Apache-2.0
// Scans as CUDA text against the canonical order written down plainly, bit by bit: what is scanned, and its ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "codegen/tile/builder.h"
#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing::scans {
namespace {

using scalar::Constant;
using scalar::ScalarOp;
using tile_ir::Value;

struct ScanCase {
  DType t;
  bool first_largest;  ///< else a sum; pairs of an element and its number, the first largest wins
  std::vector<int32_t> dims;
  int dim, warps;
  std::string name() const {
    std::string s = fmt::format("{}_{}", first_largest ? "first_largest" : "sum", t.name());
    for (int32_t d : dims) s += fmt::format("x{}", d);
    return s + fmt::format("_dim{}_w{}", dim, warps);
  }
};

using Element = std::pair<Constant, Constant>;

Constant evaluated(ScalarOp op, const Constant& a, const Constant& b) {
  const Constant both[] = {a, b};
  return scalar::evaluate(op, both);
}

Element combined(const ScanCase& c, const Element& a, const Element& b) {
  if (!c.first_largest) return {evaluated(ScalarOp::add, a.first, b.first), b.second};
  return evaluated(ScalarOp::lt, a.first, b.first).bits != 0 ? b : a;
}

/// For k = 0, 1, ... each j with bit k set becomes the combination of the one at ((j >> k) << k) - 1 and itself.
void canonical(const ScanCase& c, std::vector<Element>& row) {
  for (size_t k = 0; size_t{1} << k < row.size(); ++k)
    for (size_t j = 0; j < row.size(); ++j)
      if ((j >> k & 1) != 0) row[j] = combined(c, row[((j >> k) << k) - 1], row[j]);
}

tile_ir::Access row_major_access(const std::vector<int32_t>& dims) {
  tile_ir::Access a;
  a.dims.resize(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) a.dims[d] = tile_ir::along(0, stride);
  return a;
}

DeviceKernel compile(const ScanCase& c) {
  tile_ir::KernelBuilder b(c.name());
  const int x = b.add_pointer("x", c.t, {.alignment = 16}), y = b.add_pointer("y", c.t, {.written = true});
  const int end = b.add_pointer("end", c.t, {.written = true}), at = b.add_pointer("at", i32, {.written = true});
  std::vector<Value> values{b.block_load(x, row_major_access(c.dims), c.dims)};
  if (c.first_largest) values.push_back(b.iota(c.dim, b.type(values[0])));
  const auto results = b.scan(c.dim, values, [&](std::span<const Value> earlier, std::span<const Value> later) {
    if (!c.first_largest) return std::vector<Value>{b.add(earlier[0], later[0])};
    const Value takes = b.lt(earlier[0], later[0]);
    return std::vector<Value>{b.select(takes, later[0], earlier[0]), b.select(takes, later[1], earlier[1])};
  });
  std::vector<int32_t> ended = c.dims;
  ended[static_cast<size_t>(c.dim)] = 1;
  b.block_store(y, row_major_access(c.dims), results[0]);
  b.block_store(end, row_major_access(ended), results[values.size()]);
  if (c.first_largest) b.block_store(at, row_major_access(c.dims), results[1]);
  b.kernel().num_warps = c.warps;
  return DeviceKernel(b.finish());
}

Constant random_value(std::mt19937_64& random, const ScanCase& c) {
  if (c.first_largest) return scalar::constant_of(c.t, static_cast<double>(random() % 40));
  if (!c.t.is_floating()) return {c.t, c.t.bits() == 32 ? random() & 0xffffffffu : random()};
  return scalar::constant_of(c.t, std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -63) * 3);
}

void check(const ScanCase& c, const DeviceKernel& kernel) {
  SCOPED_TRACE(c.name());
  std::mt19937_64 random(3);
  int64_t n = 1, inner = 1;
  for (int32_t d : c.dims) n *= d;
  for (size_t d = static_cast<size_t>(c.dim) + 1; d < c.dims.size(); ++d) inner *= c.dims[d];
  const int64_t length = c.dims[static_cast<size_t>(c.dim)];
  const auto bytes = static_cast<size_t>(c.t.bytes());
  std::vector<Constant> x;
  std::vector<unsigned char> memory(static_cast<size_t>(n) * bytes);
  for (int64_t i = 0; i < n; ++i) {
    x.push_back(random_value(random, c));
    scalar::store_element(memory.data() + static_cast<size_t>(i) * bytes, c.t, x.back());
  }
  const DeviceArray<unsigned char> dx(memory), dy(memory),
      dend(std::vector<unsigned char>(memory.size() / static_cast<size_t>(length)));
  const DeviceArray<int32_t> dat(std::vector<int32_t>(static_cast<size_t>(n)));
  ASSERT_NO_THROW(kernel(1, dx, dy, dend, dat)) << kernel.text().text;
  const std::vector<unsigned char> y = dy.values(), end = dend.values();
  const std::vector<int32_t> at = dat.values();
  for (int64_t i = 0; i < n / length; ++i) {
    const int64_t start = i / inner * inner * length + i % inner;
    std::vector<Element> row;
    for (int64_t k = 0; k < length; ++k)
      row.emplace_back(x[static_cast<size_t>(start + k * inner)], scalar::constant_int(i32, k));
    canonical(c, row);
    for (int64_t k = 0; k < length; ++k) {
      const auto element = static_cast<size_t>(start + k * inner);
      const Element& right = row[static_cast<size_t>(k)];
      ASSERT_EQ(scalar::load_element(y.data() + element * bytes, c.t), right.first)
          << "row " << i << ", element " << k << "\n"
          << kernel.text().text;
      if (!c.first_largest) continue;
      ASSERT_EQ(at[element], scalar::as_int(right.second)) << "row " << i << ", element " << k;
    }
    ASSERT_EQ(scalar::load_element(end.data() + static_cast<size_t>(i) * bytes, c.t), row.back().first) << "row " << i;
  }
}

std::vector<ScanCase> scan_cases() {
  std::vector<ScanCase> all;
  for (int32_t n = 1; n <= 8192; n *= 4) all.push_back({f32, false, {n}, 0, n < 64 ? 4 : n < 1024 ? 2 : 8});
  for (int32_t n = 2; n <= 64; n *= 2) {
    all.push_back({f32, false, {n, 1024 / n}, 0, 1 + n / 16});  // columns
    all.push_back({f32, false, {1024 / n, n}, 1, 4});           // short rows
  }
  for (DType t : {f64, i32, u32, i64, u64}) all.push_back({t, false, {4, 512}, 1, 4});
  all.push_back({f32, false, {4, 32, 8}, 1, 2});
  all.push_back({f64, false, {2048}, 0, 16});
  for (DType t : {f32, i64}) {
    all.push_back({t, true, {2048}, 0, 8});
    all.push_back({t, true, {16, 64}, 0, 2});
    all.push_back({t, true, {8, 256}, 1, 4});
  }
  for (ScanCase& c : all) c.warps = static_cast<int>(std::bit_floor(static_cast<unsigned>(c.warps)));
  return all;
}

TEST(Scan, IsInCanonicalOrder) {
  std::vector<std::pair<ScanCase, DeviceKernel>> all;
  for (const ScanCase& c : scan_cases()) all.emplace_back(c, compile(c));
  for (const auto& [c, kernel] : all) {
    check(c, kernel);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace sinter::cuda::testing::scans
