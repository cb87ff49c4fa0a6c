// SPDX-License-Identifier: Apache-2.0
// Block accesses against plain loops, in allocations of exactly the size they may touch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cuda_text/boxes.h"
#include "tests/cuda_text/device_kernel.h"

namespace sinter::cuda::testing {
namespace {

using Bytes = std::vector<unsigned char>;
using scalar::Constant;

constexpr DType storage_types[] = {boolean, u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64};

/// Lowest address of elements inside, and how many from there on.
struct Reach {
  int64_t low = 0, size = 1;
};
Reach reach(const Box& box) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  box.each([&](int64_t, int64_t address, bool inside) {
    if (!inside) return;
    low = std::min(low, address);
    high = std::max(high, address);
  });
  if (low > high) return {0, 0};
  low -= ((low % box.alignment) + box.alignment) % box.alignment;  // an aligned pointer may start before the box
  return {low, high - low + 1};
}

Constant value_at(DType storage, int64_t i) {
  const DType t = scalar::compute_type(storage);
  return t == boolean ? scalar::constant_bool(i % 3 == 0)
                      : scalar::constant_of(t, static_cast<double>((i * 7 + 3) % 120));
}

Bytes filled(DType storage, int64_t n) {
  Bytes bytes(static_cast<size_t>(n * storage.bytes()));
  for (int64_t i = 0; i < n; ++i)
    scalar::store_element(bytes.data() + i * storage.bytes(), storage, value_at(storage, i));
  return bytes;
}

struct AccessCase {
  Box box;
  DType storage;
  bool load;
  Constant fill;
  bool run_time_fill;
  Reach memory;
  std::vector<int64_t> numbers;
  std::unique_ptr<DeviceKernel> kernel;

  std::string text() const {
    std::string s = fmt::format("{} {} parts {}", load ? "load" : "store", storage.name(), box.parts);
    for (size_t d = 0; d < box.dims.size(); ++d)
      s += fmt::format("; {} from {} by {} below {}", box.dims[d], box.along[d].origin, box.along[d].stride,
                       box.along[d].extent.value_or(-1));
    s += fmt::format("; parts from {} by {} below {}; row {}", box.parts_along.origin, box.parts_along.stride,
                     box.parts_along.extent.value_or(-1), box.row_extent.value_or(-1));
    return s + "\n" + kernel->text().text;
  }
};

/// Sometimes a number that the storage type does not hold, which the loaded tile must still have.
Constant random_fill(std::mt19937_64& random, DType storage) {
  const DType t = scalar::compute_type(storage);
  if (t == boolean) return scalar::constant_bool(random() % 2 == 0);
  const double choices[] = {0, 1, t.is_floating() ? -INFINITY : 100, t.is_floating() ? 0.1 : 70000};
  return scalar::constant_of(t, choices[random() % 4]);
}

AccessCase make(std::mt19937_64& random, int number) {
  AccessCase c{.box = {},
               .storage = storage_types[static_cast<size_t>(number) % std::size(storage_types)],
               .load = random() % 2 == 0,
               .fill = {f32, 0},
               .run_time_fill = random() % 4 == 0,
               .memory = {},
               .numbers = {},
               .kernel = nullptr};
  c.box = random_box(random, !c.load);
  c.fill = random_fill(random, c.storage);
  c.memory = reach(c.box);
  tile_ir::KernelBuilder b(fmt::format("box{}", number));
  const DType t = scalar::compute_type(c.storage);
  const auto align = [&](DType pointee, bool box_side) {
    return box_side ? static_cast<int32_t>(c.box.alignment * pointee.bytes()) : 256;
  };
  const int x = b.add_pointer("x", c.load ? c.storage : t, {.alignment = align(c.load ? c.storage : t, c.load)});
  const int y = b.add_pointer("y", c.load ? t : c.storage,
                              {.written = true, .alignment = align(c.load ? t : c.storage, !c.load)});
  const int fill_number = b.add_scalar("fill", t);
  const BoxAccess box = box_access(b, c.box, -c.memory.low);
  c.numbers = box.numbers;
  const auto policy = random() % 2 == 0 ? tile_ir::CachePolicy::streaming : tile_ir::CachePolicy::standard;
  if (c.load) {
    tile_ir::Value fill;
    if (box.access.is_masked())
      fill = c.run_time_fill ? b.parameter(fill_number) : b.constant(tile_ir::Type::scalar(t), c.fill.bits);
    b.block_store(y, dense_access(c.box), b.block_load(x, box.access, c.box.dims, c.box.parts, fill), policy);
  } else {
    b.block_store(y, box.access, b.block_load(x, dense_access(c.box), c.box.dims, c.box.parts, {}), policy);
  }
  b.kernel().num_warps = c.box.num_warps;
  c.kernel = std::make_unique<DeviceKernel>(b.finish());
  return c;
}

void run(const AccessCase& c) {
  SCOPED_TRACE(c.text());
  const DType t = scalar::compute_type(c.storage);
  const DType in = c.load ? c.storage : t, out = c.load ? t : c.storage;
  const int64_t n = c.box.elements(), m = c.memory.size;
  const Bytes x = filled(in, c.load ? m : n);
  Bytes y(static_cast<size_t>((c.load ? n : m) * out.bytes()), 0x5e), expected = y;
  c.box.each([&](int64_t i, int64_t address, bool inside) {
    const int64_t a = address - c.memory.low;
    if (c.load)
      scalar::store_element(expected.data() + i * out.bytes(), out, inside ? value_at(in, a) : c.fill);
    else if (inside)
      scalar::store_element(expected.data() + a * out.bytes(), out, value_at(in, i));
  });
  const DeviceArray<unsigned char> dx(x), dy(y);
  std::vector<uint64_t> slots{slot(dx), slot(dy), c.fill.bits};
  slots.insert(slots.end(), c.numbers.begin(), c.numbers.end());
  ASSERT_NO_THROW(c.kernel->launch(1, slots));
  y = dy.values();
  ASSERT_EQ(y, expected);
}

TEST(Access, RandomBoxes) {
  std::mt19937_64 random(11);
  std::vector<AccessCase> cases;
  for (int i = 0; i < 260; ++i) cases.push_back(make(random, i));
  for (const AccessCase& c : cases) {
    run(c);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace sinter::cuda::testing
