// SPDX-License-Identifier: Apache-2.0
// Tiles that are printed where they are used: broadcasts along every set of dims, coordinates, constants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/tile/builder.h"
#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing {
namespace {

constexpr int32_t parts = 3;
const std::vector<int32_t> dims{4, 8, 16};
constexpr int64_t part_elements = 512, elements = parts * part_elements;

/// Row-major, parts first, of a tile in which the dims of `ones` (bit 3: parts) have extent 1.
struct Shape {
  unsigned ones = 0;
  std::vector<int32_t> sizes() const {
    std::vector<int32_t> s = dims;
    for (size_t d = 0; d < 3; ++d)
      if ((ones >> d & 1) != 0) s[d] = 1;
    return s;
  }
  int32_t part_count() const { return (ones & 8) != 0 ? 1 : parts; }
  int64_t count() const {
    int64_t n = part_count();
    for (int32_t s : sizes()) n *= s;
    return n;
  }
  /// Where the element of the full tile finds its own.
  int64_t index(int64_t i) const {
    const int64_t c[] = {i / 128 % 4, i / 16 % 8, i % 16};
    int64_t at = (ones & 8) != 0 ? 0 : i / part_elements;
    const std::vector<int32_t> s = sizes();
    for (size_t d = 0; d < 3; ++d) at = at * s[d] + (s[d] == 1 ? 0 : c[d]);
    return at;
  }
  tile_ir::Access access() const {
    tile_ir::Access a;
    a.dims.resize(3);
    const std::vector<int32_t> s = sizes();
    int64_t stride = 1;
    for (size_t d = 3; d-- > 0; stride *= s[d]) a.dims[d] = tile_ir::along(0, stride);
    a.parts = tile_ir::along(0, stride);
    return a;
  }
};

std::vector<float> ramp(int64_t n, float step) {
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i + 1) * step;
  return v;
}

/// y = x + b stretched, and b stretched by itself.
DeviceKernel stretching(Shape b_shape) {
  tile_ir::KernelBuilder b(fmt::format("stretch{}", b_shape.ones));
  const int x = b.add_pointer("x", f32, {.alignment = 16}), bias = b.add_pointer("b", f32);
  const int y = b.add_pointer("y", f32, {.written = true, .alignment = 16});
  const int z = b.add_pointer("z", f16, {.written = true, .alignment = 16});
  const Shape full;
  const tile_ir::Value v = b.block_load(x, full.access(), dims, parts);
  const tile_ir::Value w = b.block_load(bias, b_shape.access(), b_shape.sizes(), b_shape.part_count());
  const tile_ir::Value stretched = b.broadcast(w, b.type(v));
  b.block_store(y, full.access(), b.add(v, stretched));
  b.block_store(z, full.access(), stretched);
  b.kernel().num_warps = 2;
  return DeviceKernel(b.finish());
}

TEST(Broadcast, AlongEverySetOfDims) {
  std::vector<DeviceKernel> kernels;
  for (unsigned ones = 0; ones < 16; ++ones) kernels.push_back(stretching({ones}));
  for (unsigned ones = 0; ones < 16; ++ones) {
    const Shape shape{ones};
    const std::vector<float> x = ramp(elements, 1), bias = ramp(shape.count(), 0.0625f);
    const DeviceArray<float> dx(x), db(bias), dy(std::vector<float>(elements, -1));
    const DeviceArray<uint16_t> dz(std::vector<uint16_t>(elements, 1));
    ASSERT_NO_THROW(kernels[ones](1, dx, db, dy, dz)) << kernels[ones].text().text;
    const std::vector<float> y = dy.values();
    const std::vector<uint16_t> z = dz.values();
    for (int64_t i = 0; i < elements; ++i) {
      const float b = bias[static_cast<size_t>(shape.index(i))];
      ASSERT_EQ(y[static_cast<size_t>(i)], x[static_cast<size_t>(i)] + b) << ones << " " << i;
      ASSERT_EQ(scalar::as_double(scalar::load_element(&z[static_cast<size_t>(i)], f16)), b) << ones << " " << i;
    }
  }
}

TEST(Broadcast, OfScalarsCoordinatesAndConstants) {
  tile_ir::KernelBuilder b("inlined");
  const int y = b.add_pointer("y", i32, {.written = true, .alignment = 16}), n = b.add_scalar("n", i32);
  const Shape full;
  const tile_ir::Type type = tile_ir::Type::tile(i32, dims, parts);
  tile_ir::Value out[] = {b.iota(0, type),
                          b.iota(1, type),
                          b.iota(2, type),
                          b.iota(tile_ir::parts_dim, type),
                          b.broadcast(b.parameter(n), type),
                          b.constant(type, static_cast<uint32_t>(-5)),
                          b.reduce(tile_ir::ReduceKind::sum, 1, b.iota(1, type)),
                          b.trans(b.reshape(b.iota(2, type), {16, 32}), {1, 0})};
  for (int64_t k = 0; k < 8; ++k) {
    tile_ir::Access a = full.access();
    if (k == 6) a = Shape{2}.access();
    if (k == 7) a.dims = {tile_ir::along(0, 16), tile_ir::along(0, 1)};
    a.base = tile_ir::Index(k * elements);
    b.block_store(y, a, out[k]);
  }
  b.kernel().num_warps = 4;
  const DeviceKernel kernel(b.finish());
  const DeviceArray<int32_t> dy(std::vector<int32_t>(8 * elements, 99));
  ASSERT_NO_THROW(kernel(1, dy, int64_t{17})) << kernel.text().text;
  const std::vector<int32_t> got = dy.values();
  const auto at = [&](int64_t k, int64_t i) { return got[static_cast<size_t>(k * elements + i)]; };
  for (int64_t i = 0; i < elements; ++i) {
    ASSERT_EQ(at(0, i), i / 128 % 4);
    ASSERT_EQ(at(1, i), i / 16 % 8);
    ASSERT_EQ(at(2, i), i % 16);
    ASSERT_EQ(at(3, i), i / part_elements);
    ASSERT_EQ(at(4, i), 17);
    ASSERT_EQ(at(5, i), -5);
    ASSERT_EQ(at(6, i), i < elements / 8 ? 28 : 99);
    // [32x16] of the transposed [16x32] of what counts along 16s
    const int64_t e = i % part_elements, row = e / 16, column = e % 16;
    ASSERT_EQ(at(7, i), (column * 32 + row) % 16) << i;
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
