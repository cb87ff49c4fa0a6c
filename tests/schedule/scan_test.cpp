// SPDX-License-Identifier: Apache-2.0
// Scheduled scans give the reference's bits on the CPU, and as CUDA text on the emulator.
#include <gtest/gtest.h>

#include <functional>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/lower/build.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::Value;
using Values = std::vector<Value>;
using Make = std::function<Values(GraphBuilder&, Value)>;

class Scans : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }

  static Value scan(GraphBuilder& b, std::string_view name, Value x, int64_t dim) {
    return b.op(name, {x}, graph::CallAttributes().integer(dim));
  }

  /// One input of dtype and shape; `make` gives the outputs.
  static void check(DType dtype, const Dims& shape, const Make& make) {
    GraphBuilder b;
    const Value x = b.input(dtype, {shape.begin(), shape.end()});
    for (Value v : make(b, x)) b.g.add_output(v);
    const std::vector<reference::Array> inputs{random_values(dtype, shape, 11)};
    const auto expected = reference::interpret(b.g, inputs);
    for (const Device device : {Device::cpu(), Device::cuda(0)}) {
      const auto got = run_on(device, b.g, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(first_difference(expected[i], got[i]), "")
            << shape.text() << ", output " << i << (device.is_cuda() ? " on the emulator\n" : " on the CPU\n")
            << graph::print(b.g);
    }
  }

  static Make one(std::string_view name, int64_t dim) {
    return [name, dim](GraphBuilder& b, Value x) { return Values{scan(b, name, x, dim)}; };
  }
};

TEST_F(Scans, RowsOfManyLengths) {
  for (int64_t n : {2, 17, 257, 1023, 5000, 8191, 8193, 65537}) check(f32, {3, n}, one("cumsum", 1));
  check(f32, {70, 5}, one("cumprod", -1));
}

TEST_F(Scans, ColumnsOfManyHeights) {
  for (int64_t n : {2, 17, 300, 8193}) check(f32, {n, 37}, one("cumsum", 0));
  check(f32, {3, 300, 20}, one("cumsum", 1));
  check(f32, {300, 3}, one("cumsum", 0));
}

// Rows and columns of what is carried in other ways than f32: 8 bytes, flags, pairs. Every dtype has its sampler cases.
TEST_F(Scans, OtherTypes) {
  for (const DType t : {f16, f64, i64}) check(t, {5, 1100}, one("cumsum", 1));
  for (const DType t : {boolean, u8, f64}) check(t, {600, 5}, one("cummin_indices", 0));
  check(boolean, {5, 600}, one("cummax", 1));
  check(f32, {3, 9000}, one("logcumsumexp", 1));
  check(bf16, {300, 9}, one("logcumsumexp", 0));
}

TEST_F(Scans, ExtremesAndTheirIndicesTogether) {
  for (const Dims& shape : {Dims{4, 9000}, Dims{3, 40}})
    check(f32, shape, [](GraphBuilder& b, Value x) {
      return Values{scan(b, "cummin", x, 1), scan(b, "cummax_indices", x, 1), scan(b, "cummax", x, 1)};
    });
}

// What is made of an element before and after it is scanned, scans of scans, several scans of one input.
TEST_F(Scans, WithNeighbours) {
  const Make chain = [](GraphBuilder& b, Value x) {
    const Value sums = scan(b, "cumsum", b.with_number("mul", b.to(x, f32), 0.5), 1);
    return Values{b.to(b.unary("exp", b.unary("neg", sums)), bf16), scan(b, "cummax", sums, 1),
                  scan(b, "cumprod", x, 1)};
  };
  for (int64_t n : {40, 3000, 8200}) check(bf16, {6, n}, chain);
}

TEST_F(Scans, OfReversedTransposedAndJoined) {
  check(f32, {40, 300}, [](GraphBuilder& b, Value x) {
    const Value turned = b.permute(x, {1, 0});
    return Values{scan(b, "cumsum", turned, 0), scan(b, "cumsum", turned, 1)};
  });
  check(f32, {5, 300}, [](GraphBuilder& b, Value x) {
    const Value y = b.op("flip", {x}, graph::CallAttributes().integers({1}));
    const Value sums = scan(b, "cumsum", y, 1);
    return Values{b.op("flip", {sums}, graph::CallAttributes().integers({1})), b.binary("sub", sums, x)};
  });
  check(f32, {5, 300}, [](GraphBuilder& b, Value x) {
    const Value both = b.op("cat", {x, b.unary("neg", x)}, graph::CallAttributes().integer(1));
    return Values{scan(b, "cumsum", both, 1)};
  });
}

// Few rows are spread over the grid: a program a chunk, of which the last one is partly filled.
TEST_F(Scans, LongOnesOverTheGrid) {
  check(f32, {50001}, one("cumsum", 0));
  check(f32, {3, 24576}, [](GraphBuilder& b, Value x) {
    return Values{b.with_number("mul", scan(b, "cumsum", b.unary("neg", x), 1), 0.5)};
  });
  check(i8, {2, 20000}, one("cumprod", 1));
  check(f64, {40000}, one("cumsum", 0));
  check(boolean, {40000}, one("cummax", 0));
  check(f32, {40000},
        [](GraphBuilder& b, Value x) { return Values{scan(b, "cummax", x, 0), scan(b, "cummax_indices", x, 0)}; });
  check(f32, {20000}, one("logcumsumexp", 0));
}

TEST_F(Scans, BesideFolds) {
  check(f32, {6, 500}, [](GraphBuilder& b, Value x) {
    const Value share = b.binary("div", x, b.reduce("sum", x, {1}, true)), sums = scan(b, "cumsum", share, 1);
    return Values{sums, b.reduce("amax", sums, {1})};
  });
}

}  // namespace
}  // namespace sinter::test
