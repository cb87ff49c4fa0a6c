// SPDX-License-Identifier: Apache-2.0
// Layout conversions as text: the pairs that every implementation of conversions is tested with. They are put into the
// laid-out form by hand: a loaded tile goes through both layouts of a pair and is stored again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/tile/blocked_default.h"
#include "codegen/tile/builder.h"
#include "tests/cuda_text/device_kernel.h"
#include "tests/layout/random_layouts.h"

namespace sinter::cuda::testing {
namespace {

using tile_ir::LinearLayout;
using tile_ir::testing::LayoutPair;

DType storage_of(int bytes) { return bytes == 1 ? u8 : bytes == 2 ? f16 : bytes == 4 ? f32 : i64; }

tile_ir::Access dense(const tile_ir::TileShape& shape) {
  tile_ir::Access access;
  int64_t stride = 1;
  access.dims.resize(static_cast<size_t>(shape.rank));
  for (size_t d = access.dims.size(); d-- > 0; stride *= shape.dims[d]) access.dims[d] = tile_ir::along(0, stride);
  access.parts = tile_ir::along(0, stride);
  return access;
}

/// Loads in a plain layout; converts to the source, to the target, back to the plain one; stores. Narrow: loads in the
/// source layout, where memory can be read so; what is loaded then travels in the width of memory.
tile_ir::LaidOutKernel through(const LayoutPair& pair, int number, bool narrow) {
  const DType storage = storage_of(pair.element_bytes), t = scalar::compute_type(storage);
  const tile_ir::TileShape& shape = pair.source.shape();
  const std::vector<int32_t> dims(shape.dims.begin(), shape.dims.begin() + shape.rank);
  tile_ir::KernelBuilder b(fmt::format("pair{}", number));
  const int x = b.add_pointer("x", storage, {.alignment = 16});
  const int y = b.add_pointer("y", storage, {.written = true, .alignment = 16});
  const tile_ir::Value v = b.block_load(x, dense(shape), dims, shape.parts);
  b.block_store(y, dense(shape), v);
  b.kernel().num_warps = pair.source.threads() / 32;
  tile_ir::LaidOutKernel k{b.finish(), {}, {}};
  const tile_ir::Type type = tile_ir::Type::tile(t, dims, shape.parts);
  const LinearLayout memory = tile_ir::default_layout(shape, pair.source.threads());
  auto& body = k.kernel.body.body;
  k.types.assign(static_cast<size_t>(k.kernel.value_count), type);
  k.layouts.assign(static_cast<size_t>(k.kernel.value_count), memory);
  const auto convert = [&](const LinearLayout& l, tile_ir::ValueId from) {
    tile_ir::Instruction c{.op = tile_ir::Op::convert_layout, .type = type};
    c.operands = {from};
    c.results = {k.kernel.value_count++};
    k.types.push_back(type);
    k.layouts.push_back(l);
    body.insert(body.end() - 1, c);
    return c.results[0];
  };
  tile_ir::ValueId source = v.id;
  if (narrow && pair.source.registers_separate())
    k.layouts[static_cast<size_t>(source)] = pair.source;
  else
    source = convert(pair.source, source);
  body.back().operands[0] = convert(memory, convert(pair.target, source));
  return k;
}

void check(const LayoutPair& pair, const DeviceKernel& kernel) {
  const DType storage = storage_of(pair.element_bytes), t = scalar::compute_type(storage);
  const auto n = static_cast<size_t>(pair.source.parts()) << pair.source.shape().log_elements();
  std::vector<unsigned char> x(n * static_cast<size_t>(storage.bytes()));
  for (size_t i = 0; i < n; ++i)  // different for neighbours in every dim, and exact in the storage type
    scalar::store_element(x.data() + i * static_cast<size_t>(storage.bytes()), storage,
                          scalar::constant_of(t, static_cast<double>(i % (storage == u8 ? 251 : 2039))));
  const DeviceArray<unsigned char> dx(x), dy(std::vector<unsigned char>(x.size(), 0xee));
  ASSERT_NO_THROW(kernel(1, dx, dy)) << kernel.text().text;
  ASSERT_EQ(dy.values(), x) << to_string(pair.source) << " to " << to_string(pair.target) << "\n" << kernel.text().text;
}

TEST(Convert, RandomPairs) {
  const std::vector<LayoutPair> pairs = tile_ir::testing::random_layout_pairs(500);
  std::vector<std::unique_ptr<DeviceKernel>> kernels;
  for (size_t i = 0; i < pairs.size(); ++i)
    kernels.push_back(std::make_unique<DeviceKernel>(emit(through(pairs[i], static_cast<int>(i), i % 2 == 0))));
  for (size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(i);
    check(pairs[i], *kernels[i]);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
