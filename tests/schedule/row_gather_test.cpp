// SPDX-License-Identifier: Apache-2.0
// Rows of a table that an index chooses: vectors where rows and bounds allow, the reference's bits everywhere.
#include <gtest/gtest.h>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/lower/build.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Value;

class RowGathers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }

  static reference::Array rows(int64_t n, int64_t of) {
    reference::Array a = reference::Array::zeros(i64, {n});
    for (int64_t i = 0; i < n; ++i) a.set(i, scalar::constant_int(i64, (i * 29 + 3) % of));
    return a;
  }

  /// make(table, index) of a table of `of` rows of `length`; indices are below `bound`, or `of`.
  template <class Make>
  static void check(DType t, int64_t of, int64_t length, const Make& make, int64_t bound = 0) {
    GraphBuilder b;
    const Value table = b.input(t, {of, length}), index = b.input(i64, {13});
    b.g.add_output(make(b, table, index));
    const std::vector<reference::Array> inputs{random_values(t, {of, length}, 5), rows(13, bound > 0 ? bound : of)};
    const auto expected = reference::interpret(b.g, inputs);
    for (const Device device : {Device::cpu(), Device::cuda(0)})
      ASSERT_EQ(first_difference(expected[0], run_on(device, b.g, inputs)[0]), "")
          << t.name() << ", rows of " << length << (device.is_cuda() ? " on the emulator" : " on the CPU");
  }
};

TEST_F(RowGathers, OfManyLengthsAndTypes) {
  const auto scaled = [](GraphBuilder& b, Value table, Value index) {
    return b.with_number("mul", b.op("embedding", {table, index}), 2);
  };
  for (int64_t length : {4, 20, 64, 256, 1000, 1001, 4096}) check(bf16, 40, length, scaled);
  for (DType t : {u8, f16, f32, i64, f64}) check(t, 40, 512, scaled);
}

TEST_F(RowGathers, OnlyMoved) {
  const auto moved = [](GraphBuilder& b, Value table, Value index) {
    return b.op("index_select", {table, index}, CallAttributes().integer(0));
  };
  for (DType t : {boolean, u8, bf16, f32, f64}) check(t, 40, 512, moved);
  check(f16, 40, 44, moved);
}

// Columns of the table, and rows whose elements are computed from more than the table.
TEST_F(RowGathers, Neighbours) {
  check(
      f32, 64, 13,
      [](GraphBuilder& b, Value table, Value index) {
        return b.op("index_select", {b.permute(table, {1, 0}), index}, CallAttributes().integer(0));
      },
      13);
  check(bf16, 40, 256, [](GraphBuilder& b, Value table, Value index) {
    const Value chosen = b.to(b.op("embedding", {table, index}), f32);
    return b.binary("sub", chosen, b.reduce("sum", chosen, {1}, true));
  });
  check(f32, 40, 256, [](GraphBuilder& b, Value table, Value index) {
    return b.op("flip", {b.op("embedding", {table, index})}, CallAttributes().integers({1}));
  });
}

}  // namespace
}  // namespace sinter::test
