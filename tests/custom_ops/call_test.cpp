// SPDX-License-Identifier: Apache-2.0
// Users' ops in compiled functions and outside of them, by each kind of implementation.
#include <gtest/gtest.h>
#include <sinter/backend.h>

#include <algorithm>

#include "runtime/device/backend.h"
#include "tests/capture/support.h"
#include "tests/custom_ops/ops.h"

namespace sinter::test {
namespace {

TEST(CustomOps, AReferenceAloneRunsOnTheCpu) {
  const CustomOp op = register_op(reversed_definition("reversed_by_reference"));
  const Tensor x = counting({5});
  EXPECT_EQ(to_vector<float>(op({x})), (std::vector<float>{4, 3, 2, 1, 0}));
  EXPECT_EQ(to_vector<float>(op({x}, {{"scale", int64_t{2}}})), (std::vector<float>{8, 6, 4, 2, 0}));
  EXPECT_EQ(op.name(), "reversed_by_reference");
}

TEST(CustomOps, NeighboursAreFusedAroundTheCall) {
  int runs = 0;
  OpDefinition d = reversed_definition("reversed_by_function");
  d.launch_cpu = [&runs, reference = d.reference](const CustomCall& call) {
    ++runs;
    reference(call);
  };
  const CustomOp op = register_op(std::move(d));
  const auto body = [&](const Tensor& x) { return relu(op({x * 2 + 1}, {{"scale", 0.5}}) - 3) * x; };
  auto f = compile(body, {.name = "around"});
  const Tensor x = counting({1000}) / 100;
  const auto expected = bits<float>(relu(reversed(x * 2 + 1, 0.5) - 3) * x);
  EXPECT_EQ(bits<float>(f(x)), expected);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(bits<float>(body(x)), expected);
  EXPECT_EQ(runs, 2);
  const Explanation e = f.explain(x);
  EXPECT_EQ(e.kernels().size(), 2u) << e.text();
  ASSERT_EQ(e.library_calls().size(), 1u) << e.text();
  EXPECT_TRUE(contains(e.text(), "reversed_by_function")) << e.text();
  for (const char* backend : {"eager", "reference"})
    EXPECT_EQ(bits<float>(compile(body, {.backend = backend})(x)), expected) << backend;
  for (Fusion fusion : {Fusion::none, Fusion::vertical})
    EXPECT_EQ(bits<float>(compile(body, {.fusion = fusion})(x)), expected);
}

TEST(CustomOps, ACallRunsAfterWhatItReadsAndOnlyIfItIsNeeded) {
  std::vector<double> order;
  OpDefinition d = reversed_definition("noted");
  d.launch_cpu = [&order, reference = d.reference](const CustomCall& call) {
    order.push_back(call.number("scale"));
    reference(call);
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) {
    (void)op({x}, {{"scale", 9.0}});  // nobody needs it
    Tensor a = op({x}, {{"scale", 1.0}});
    Tensor b = op({a + 1}, {{"scale", 2.0}});
    return op({b * a}, {{"scale", 3.0}});
  });
  const Tensor x = counting({4});
  EXPECT_EQ(bits<float>(f(x)), bits<float>(reversed(reversed(reversed(x) + 1, 2) * reversed(x), 3)));
  EXPECT_EQ(order, (std::vector<double>{1, 2, 3}));
}

TEST(CustomOps, NumbersAndExtentsThatChangeCompileOnceMore) {
  const CustomOp op = register_op(reversed_definition("reversed_dynamic"));
  double scale = 1;
  auto f = compile([&](const Tensor& x) { return op({x + 1}, {{"scale", scale}}) * 2; });
  for (int i = 0; i < 8; ++i) {
    scale = 0.25 * i;
    const Tensor x = counting({5 + i});
    EXPECT_EQ(bits<float>(f(x)), bits<float>(reversed(x + 1, scale) * 2)) << i;
  }
  EXPECT_LE(f.stats().compilations, 2);
}

class TileOps : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { install_emulator(); }
  const Device device = GetParam() ? Device::cuda(0) : Device::cpu();
};

TEST_P(TileOps, ATileProgramRunsOnEveryDevice) {
  auto f = compile([](const Tensor& x) { return turned()({x * 2}) + 1; });
  for (const Dims& shape : {Dims{17, 40}, Dims{1, 5}, Dims{16, 16}, Dims{33, 2}, Dims{0, 4}}) {
    const Tensor x = to(counting(shape), device);
    EXPECT_EQ(bits<float>(f(x)), bits<float>(transpose(x * 2, 0, 1) + 1)) << shape.text();
    EXPECT_EQ(bits<float>(turned()({x})), bits<float>(transpose(x, 0, 1))) << shape.text();
  }
  EXPECT_EQ(f(to(counting({2, 2}), device)).device(), device);
}

TEST_P(TileOps, AStridedOperandIsMadeDenseFirst) {
  const Tensor x = to(counting({6, 7}), device);
  auto f = compile([](const Tensor& t) { return turned()({transpose(t, 0, 1)}); });
  EXPECT_EQ(bits<float>(f(x)), bits<float>(x));
}

INSTANTIATE_TEST_SUITE_P(Devices, TileOps, testing::Bool(),
                         [](const auto& p) { return std::string(p.param ? "Emulator" : "Cpu"); });

TEST(CustomOps, AFunctionMayReadOperandsWhereTheyLie) {
  std::vector<Dims> strides;
  OpDefinition d = reversed_definition("first_column");
  d.type = [](TypeContext& c) { return TensorType{f32, {c.operands()[0].shape[0]}}; };
  d.reference = [](const CustomCall& call) {
    for (int64_t i = 0; i < call.result.shape[0]; ++i)
      call.result.as<float>()[i] = call.operands[0].as<float>()[i * call.operands[0].strides[0]];
  };
  d.launch_cpu = [&strides, reference = d.reference](const CustomCall& call) {
    strides.push_back(call.operands[0].strides);
    reference(call);
  };
  d.any_strides = true;
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return op({transpose(x, 0, 1)}) + 0; });
  const Tensor x = counting({3, 4});
  EXPECT_EQ(to_vector<float>(f(x)), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(strides, (std::vector<Dims>{{1, 4}}));
}

TEST(CustomOps, RunUnderACapture) {
  int runs = 0;
  OpDefinition d = reversed_definition("captured");
  d.launch_cpu = [&runs, reference = d.reference](const CustomCall& call) {
    ++runs;
    reference(call);
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return op({x + 1}) * 2; });
  const Tensor x = counting({6});
  (void)f(x);
  device::Backend& cpu = device::backend(Device::cpu());
  const Stream stream = Stream::create(Device::cpu());
  Tensor y;
  {
    const StreamGuard guard(stream);
    cpu.begin_capture(stream.native());
    y = f(x);
  }
  device::GraphHandle graph = cpu.end_capture(stream.native());
  EXPECT_EQ(runs, 1);
  cpu.launch_graph(graph, stream.native());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(bits<float>(y), bits<float>(reversed(x + 1) * 2));
  cpu.destroy_graph(graph);
}

// On devices without an implementation the composite takes part in fusion like the ops that it is made of.
TEST(CustomOps, ACompositeIsFused) {
  install_emulator();
  OpDefinition d;
  d.name = "scaled_relu";
  d.attributes = {{"scale", AttributeKind::number, 2.0}};
  d.type = same_as_operand();
  d.reference = [](const CustomCall& call) {
    for (int64_t i = 0; i < call.result.shape.product(); ++i)
      call.result.as<float>()[i] =
          std::max(call.operands[0].as<float>()[i], 0.0f) * static_cast<float>(call.number("scale"));
  };
  d.composite = [](std::span<const Tensor> operands, std::span<const Attribute> attributes) {
    return relu(operands[0]) * std::get<double>(attributes[0].value);
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return op({x - 3}) + 1; });
  for (Device device : {Device::cpu(), Device::cuda(0)}) {
    const Tensor x = to(counting({9}), device);
    EXPECT_EQ(bits<float>(f(x)), bits<float>(relu(x - 3) * 2 + 1));
    EXPECT_EQ(f.explain(x).kernels().size(), 1u);
    EXPECT_TRUE(f.explain(x).library_calls().empty());
  }
}

TEST(CustomOps, ABackendSeesThem) {
  const CustomOp op = register_op(reversed_definition("seen_by_backend"));
  std::vector<RecordedOp> seen;
  register_backend("custom op viewer", [&](const RecordedGraph& graph) {
    seen = graph.ops;
    return compile_graph(graph);
  });
  auto f = compile([&](const Tensor& x) { return op({x}, {{"scale", 3.0}}) + 1; }, {.backend = "custom op viewer"});
  const Tensor x = counting({4});
  EXPECT_EQ(bits<float>(f(x)), bits<float>(reversed(x, 3) + 1));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].name, "seen_by_backend");
  EXPECT_EQ(std::get<double>(seen[0].attribute("scale")), 3.0);
}

}  // namespace
}  // namespace sinter::test
