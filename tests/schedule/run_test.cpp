// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "src/ops/ops.h"
#include "src/reference/interpret.h"
#include "tests/capture_cuda/emulator.h"
#include "tests/lower/random_graph.h"
#include "tests/support/op_cases.h"

namespace sinter::test {
namespace {

using graph::CallAttributes;
using graph::Value;

/// Scheduled kernels give the reference's bits on the CPU, and as CUDA text on the emulator.
class Run : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ops::register_all_ops();
    use_emulator();
  }

  /// One input of dtype and shape; `make` gives the outputs.
  static void check(DType dtype, const Dims& shape, const std::function<std::vector<Value>(GraphBuilder&, Value)>& make,
                    bool on_emulator = true) {
    GraphBuilder b;
    const Value x = b.input(dtype, {shape.begin(), shape.end()});
    for (Value v : make(b, x)) b.g.add_output(v);
    compare(b.g, {random_values(dtype, shape, 11)}, shape.text(), on_emulator);
  }

  static void compare(const graph::Graph& g, const std::vector<reference::Array>& inputs, const std::string& what,
                      bool on_emulator = true) {
    const auto expected = reference::interpret(g, inputs);
    for (const Device device : {Device::cpu(), Device::cuda(0)}) {
      if (device.is_cuda() && !on_emulator) continue;
      const auto got = run_on(device, g, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(first_difference(expected[i], got[i]), "")
            << what << ", output " << i << (device.is_cuda() ? " on the emulator\n" : " on the CPU\n")
            << graph::print(g);
    }
  }
};

reference::Array floats(const std::vector<float>& values) {
  reference::Array a = reference::Array::zeros(f32, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) a.set(static_cast<int64_t>(i), scalar::constant_of(f32, values[i]));
  return a;
}

// The kernel assumes something of offsets and divisors that many pixels share; here it does not hold.
TEST_F(Run, OffsetsAndDivisorsOutsideOfWhatIsAssumed) {
  GraphBuilder b;
  const Value x = b.input(u8, {5, 70, 3}), m = b.input(f32, {3}), d = b.input(f32, {3});
  const Value scaled = b.with_number("div", b.to(x, f32), 255);
  b.g.add_output(b.permute(b.binary("div", b.binary("sub", scaled, m), d), {2, 0, 1}));
  b.g.add_output(b.binary("div", b.binary("minimum", b.binary("mul", scaled, m), m), d));
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float offsets[] = {0.0f, -0.0f, 0x1p-26f, 0x1p-27f, 0x1p-149f, 0x1p40f, -0x1p41f, inf, -inf, nan, 0.485f};
  const float divisors[] = {0.0f, -1.0f, 0x1p-60f, 0x1p-61f, 0x1p60f, 0x1p61f, 0x1p-149f, inf, nan, 0.229f, 3.0f};
  const reference::Array pixels = random_values(u8, {5, 70, 3}, 7);
  for (size_t i = 0; i < std::size(offsets); ++i)
    for (size_t j = 0; j < std::size(divisors); ++j)
      compare(b.g,
              {pixels, floats({offsets[i], 0.5f, offsets[(i + 3) % std::size(offsets)]}),
               floats({divisors[j], divisors[(j + 5) % std::size(divisors)], 0.25f})},
              fmt::format("offset {}, divisor {}", offsets[i], divisors[j]));
}

TEST_F(Run, RowSumsOfManyLengths) {
  for (int64_t n : {1, 2, 7, 31, 64, 100, 255, 256, 257, 600, 1023, 1024, 1025, 3000, 4096, 5000, 9000, 20001})
    check(f32, {3, n}, [](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, {1})}; });
  for (int64_t n : {5, 300, 2050})
    for (DType t : {f16, bf16, f64, i32, u8})
      check(t, {9, n}, [](GraphBuilder& b, Value x) {
        return std::vector{b.reduce("sum", x, {1}), b.reduce("amax", x, {1}), b.reduce("amin", x, {1})};
      });
}

TEST_F(Run, ColumnSumsOfManyHeights) {
  for (int64_t n : {2, 5, 8, 9, 100, 256, 257, 700, 1024, 1500, 5000})
    check(f32, {n, 37}, [](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, {0})}; });
  check(bf16, {1100, 64},
        [](GraphBuilder& b, Value x) { return std::vector{b.reduce("mean", x, {0}), b.reduce("amax", x, {0}, true)}; });
}

TEST_F(Run, FoldsOverSeveralDims) {
  for (const Dims& dims : {Dims{0, 1}, Dims{0, 2}, Dims{1, 2}, Dims{0, 1, 2}})
    check(f32, {7, 12, 50}, [&](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, dims)}; });
  check(f32, {40, 1000},
        [](GraphBuilder& b, Value x) { return std::vector{b.reduce("prod", b.permute(x, {1, 0}), {})}; });
}

TEST_F(Run, LongFoldsOfFewResults) {
  const auto all = [](GraphBuilder& b, Value x) {
    return std::vector{b.reduce("sum", x, {}), b.reduce("amax", x, {})};
  };
  check(f32, {100000}, all);
  check(bf16, {3, 65536}, [](GraphBuilder& b, Value x) { return std::vector{b.reduce("mean", x, {1})}; });
  check(f32, {40000, 5}, [](GraphBuilder& b, Value x) { return std::vector{b.reduce("sum", x, {0})}; });
}

TEST_F(Run, SoftmaxRows) {
  for (int64_t n : {5, 64, 300, 1000, 1024, 3000, 3001, 6007, 10000, 13001})
    check(f32, {4, n}, [](GraphBuilder& b, Value x) { return std::vector{b.softmax(x)}; });
}

TEST_F(Run, NormWithSeveralOutputs) {
  for (int64_t n : {40, 700, 2500})
    check(bf16, {5, n}, [](GraphBuilder& b, Value x) {
      const Value wide = b.to(x, f32), mean = b.reduce("mean", wide, {-1}, true), d = b.binary("sub", wide, mean);
      const Value variance = b.reduce("mean", b.binary("mul", d, d), {-1}, true);
      const Value y = b.binary("mul", d, b.unary("rsqrt", b.with_number("add", variance, 1e-5)));
      return std::vector{b.to(y, bf16), mean};
    });
}

TEST_F(Run, PadsAndJoinsAreMaskedBoxes) {
  const auto pad = [](GraphBuilder& b, Value x, const Dims& pads) {
    return b.op("pad", {x}, CallAttributes().extents(pads).number(graph::Number::of(1.5)));
  };
  for (const Dims& pads : {Dims{1, 2}, Dims{0, 3, 2, 0}, Dims{3, 0, 1, 1, 2, 2}})
    check(f32, {4, 6, 33}, [&](GraphBuilder& b, Value x) {
      return std::vector{b.with_number("mul", pad(b, x, pads), 2), b.reduce("sum", pad(b, x, pads), {-1})};
    });
  check(u8, {9, 100, 3}, [&](GraphBuilder& b, Value x) {
    return std::vector{b.permute(b.to(pad(b, x, {0, 0, 2, 5, 1, 1}), f32), {2, 0, 1})};
  });
  for (int dim : {0, 1, 2})
    check(f32, {4, 6, 33}, [&](GraphBuilder& b, Value x) {
      return std::vector{b.op("cat", {x, b.unary("neg", x), x}, CallAttributes().integer(dim))};
    });
}

TEST_F(Run, LayoutsAndChannels) {
  check(f16, {70, 130}, [](GraphBuilder& b, Value x) { return std::vector{b.unary("neg", b.permute(x, {1, 0}))}; });
  check(u8, {37, 53, 3}, [](GraphBuilder& b, Value x) {
    return std::vector{b.to(b.with_number("div", b.to(b.permute(x, {2, 0, 1}), f32), 255), f16)};
  });
  check(f32, {2, 5, 3, 7},
        [](GraphBuilder& b, Value x) { return std::vector{b.unary("neg", b.permute(x, {0, 2, 3, 1}))}; });
}

// Rows of an odd length: stored by vectors from tiles that begin before the row.
TEST_F(Run, RowsThatStartBetweenBoundaries) {
  struct Case {
    DType dtype;
    Dims shape;
  };
  for (const Case& c : {Case{f16, {2, 16, 515}}, Case{bf16, {1, 8, 1021}}, Case{f32, {2, 4, 259}},
                        Case{f32, {3, 6, 258}}, Case{u8, {2, 16, 1027}}, Case{f64, {2, 2, 129}}}) {
    GraphBuilder b;
    const auto [n, rows, length] = std::tuple(c.shape[0], c.shape[1], c.shape[2]);
    const Dims shapes[] = {{n, rows, length}, {n, 1, length}, {1, rows, length}, {n, rows, 1}};
    std::vector<Value> x;
    std::vector<reference::Array> inputs;
    for (const Dims& shape : shapes) {
      x.push_back(b.input(c.dtype, {shape.begin(), shape.end()}));
      inputs.push_back(random_values(c.dtype, shape, 5 + static_cast<int>(inputs.size())));
    }
    const Value y = b.binary("add", b.binary("mul", x[1], x[2]), x[3]);
    b.g.add_output(b.binary("maximum", x[0], y));
    b.g.add_output(b.binary("lt", x[0], y));
    compare(b.g, inputs, c.shape.text());
  }
}

TEST_F(Run, DivisionByInvariantsKeepsSpecialValues) {
  GraphBuilder b;
  const Value x = b.input(f32, {64, 70}), d = b.input(f32, {64, 1});
  b.g.add_output(b.binary("div", x, d));
  b.g.add_output(b.with_number("div", x, 3));
  compare(b.g, {random_values(f32, {64, 70}, 1), random_values(f32, {64, 1}, 2)}, "division");
}

TEST_F(Run, RandomGraphs) {
  for (uint64_t seed = 1000; seed < 1120; ++seed) {
    const RandomGraph r = random_graph(seed, 10);
    compare(r.builder.g, r.inputs, fmt::format("seed {}", seed), seed % 4 == 0);
  }
}

}  // namespace
}  // namespace sinter::test
