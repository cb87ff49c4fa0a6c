// SPDX-License-Identifier: Apache-2.0
// Definitions, rules and functions that are wrong are refused in words, and harm nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/capture/support.h"
#include "tests/custom_ops/ops.h"

namespace sinter::test {
namespace {

struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Change>
std::string refused(const std::string& name, const Change& change) {
  OpDefinition d = reversed_definition(name);
  change(d);
  return refusal<UserError>([&] { (void)register_op(std::move(d)); });
}

TEST(CustomOpErrors, DefinitionsThatCannotBeAreRefused) {
  (void)register_op(reversed_definition("there"));
  const auto nothing = [](OpDefinition&) {};
  const std::string twice = refused("there", nothing);
  EXPECT_TRUE(contains(twice, "[register_op] \"there\": there is an op of that name already")) << twice;
  EXPECT_TRUE(contains(twice, "errors_test.cpp:")) << twice;
  EXPECT_TRUE(contains(refused("add", nothing), "there is an op of that name already"));
  EXPECT_TRUE(contains(refused("", nothing), "the name is empty"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.type = {}; }), "has no type rule"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.reference = {}; }), "has no reference"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.min_operands = 0; }), "takes from 0 to 1 operands"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.max_operands = 0; }), "takes from 1 to 0 operands"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.attributes = {{"k"}, {"k"}}; }),
                       "\"k\" is nameless or there twice"));
  EXPECT_TRUE(
      contains(refused("a", [](OpDefinition& d) { d.cuda = CudaKernel{"", "k", {}}; }), "lacks a launch or an entry"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.tile = TileKernel{}; }), "tile program lacks a launch"));
  EXPECT_TRUE(contains(refused("a", [](OpDefinition& d) { d.any_strides = true; }), "give it a launch_cpu"));
}

TEST(CustomOpErrors, ATileProgramThatIsNoneIsRefusedWithItsLine) {
  OpDefinition d = reversed_definition("bad_tile");
  d.tile = TileKernel{"kernel k warps 1 (\n  @x: f32*,\n) {\n  %a = frobnicate @x : i64\n}\n",
                      [](const CustomCall&) { return TileLaunch{}; }};
  const std::string why = refusal<CompileError>([&] { (void)register_op(std::move(d)); });
  EXPECT_TRUE(contains(why, "\"bad_tile\": its tile program: ")) << why;
  EXPECT_TRUE(contains(why, "line 4")) << why;
}

TEST(CustomOpErrors, ATileProgramOfOtherParametersIsRefused) {
  OpDefinition d = reversed_definition("few_parameters");
  d.tile = TileKernel{"kernel k warps 1 (\n  @x: f32*,\n) {\n}\n", [](const CustomCall&) { return TileLaunch{}; }};
  const CustomOp op = register_op(std::move(d));
  const std::string why = refusal<UserError>([&] { (void)to_vector<float>(op({counting({3})})); });
  EXPECT_TRUE(contains(why, "[few_parameters] its tile program has 1 parameters; operands, result and arguments are 2"))
      << why;
}

TEST(CustomOpErrors, CallsThatDoNotFitAreRefused) {
  OpDefinition d = reversed_definition("strict");
  d.attributes = {{"scale", AttributeKind::number, {}}, {"mode", AttributeKind::integer, int64_t{1}}};
  const CustomOp op = register_op(std::move(d));
  const Tensor x = counting({3});
  const auto why = [&](std::vector<Tensor> operands, std::vector<Attribute> attributes) {
    return refusal<UserError>([&] { (void)op(operands, attributes); });
  };
  EXPECT_TRUE(contains(why({x}, {}), "[strict] attribute scale is missing"));
  EXPECT_TRUE(contains(why({x}, {}), "errors_test.cpp:"));
  EXPECT_TRUE(contains(why({x}, {{"scale", 1.0}, {"axis", int64_t{1}}}), "[strict] has no attribute axis"));
  EXPECT_TRUE(
      contains(why({x}, {{"scale", Dims{1}}}), "[strict] attribute scale is a list of integers; expected a number"));
  EXPECT_TRUE(contains(why({x}, {{"scale", 1.0}, {"mode", 1.0}}),
                       "[strict] attribute mode is a floating number; expected an integer"));
  EXPECT_TRUE(contains(why({}, {{"scale", 1.0}}), "[strict] cannot take 0 operands"));
  EXPECT_TRUE(contains(why({x, x}, {{"scale", 1.0}}), "[strict] cannot take 2 operands"));
  EXPECT_TRUE(contains(why({Tensor()}, {{"scale", 1.0}}), "[strict] an operand is an undefined tensor"));
}

/// An op whose type rule is `rule`.
CustomOp with_rule(const std::string& name, TypeRule rule) {
  OpDefinition d = reversed_definition(name);
  d.type = std::move(rule);
  return register_op(std::move(d));
}

TEST(CustomOpErrors, TypeRulesThatLieAreRefused) {
  const Tensor x = counting({3});
  const auto why = [&](const CustomOp& op) { return refusal<UserError>([&] { (void)op({x}); }); };
  const CustomOp negative = with_rule("negative", [](TypeContext&) { return TensorType{f32, {-1}}; });
  EXPECT_TRUE(contains(why(negative), "[negative] its type rule gives dim 0 the extent -1")) << why(negative);
  const CustomOp deep = with_rule("deep", [](TypeContext&) { return TensorType{f32, std::vector<Extent>(9, 1)}; });
  EXPECT_TRUE(contains(why(deep), "[deep] its type rule gives rank 9"));
  const CustomOp odd = with_rule("odd", [](TypeContext&) { return TensorType{DType(DType::Kind::floating, 24), {1}}; });
  EXPECT_TRUE(contains(why(odd), "[odd] its type rule gives a dtype that there is not"));
  const CustomOp huge = with_rule("huge", [](TypeContext&) { return TensorType{f32, {int64_t{1} << 50}}; });
  EXPECT_TRUE(contains(why(huge), "[huge] its type rule gives dim 0 the extent 1125899906842624"));
  const CustomOp reads = with_rule("reads_number", [](TypeContext& c) {
    (void)c.attribute("scale");
    return c.operands()[0];
  });
  EXPECT_TRUE(contains(why(reads), "[reads_number] its type rule reads scale, a number that may change"));
}

// An extent that is fine in the first calls, and negative for another shape of a compiled entry.
TEST(CustomOpErrors, AnExtentThatBecomesNegativeLaterIsRefused) {
  OpDefinition d = reversed_definition("without_border");
  d.type = [](TypeContext& c) { return TensorType{f32, {c.operands()[0].shape[0] - 4}}; };
  d.reference = [](const CustomCall& call) {
    for (int64_t i = 0; i < call.result.shape[0]; ++i) call.result.as<float>()[i] = call.operands[0].as<float>()[i + 2];
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return op({x}) + 1; });
  for (int64_t n : {9, 7, 12})
    EXPECT_EQ(bits<float>(f(counting({n}))), bits<float>(narrow(counting({n}), 0, 2, n - 4) + 1));
  EXPECT_TRUE(contains(refusal<UserError>([&] { (void)f(counting({3})); }),
                       "[without_border] its type rule gives dim 0 the extent -1"));
  EXPECT_EQ(f(counting({4})).numel(), 0);
  EXPECT_EQ(bits<float>(f(counting({8}))), bits<float>(narrow(counting({8}), 0, 2, 4) + 1));
}

TEST(CustomOpErrors, RefusalsOfARuleNameTheCall) {
  const std::string why = refusal<UserError>([] { (void)turned()({counting({3})}); });
  EXPECT_TRUE(contains(why, "[turned] takes a matrix of f32")) << why;
  EXPECT_TRUE(contains(why, "errors_test.cpp:")) << why;
  EXPECT_TRUE(contains(why, "fix: convert it")) << why;
}

TEST(CustomOpErrors, ExceptionsReachTheCallerAndHarmNothing) {
  bool rule_throws = true, run_throws = true;
  OpDefinition d = reversed_definition("throws");
  d.type = [&](TypeContext& c) {
    if (rule_throws) throw OwnError("rule");
    return c.operands()[0];
  };
  d.launch_cpu = [&run_throws, reference = d.reference](const CustomCall& call) {
    if (run_throws) throw OwnError("run");
    reference(call);
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) { return op({x + 1}) * 2; });
  const Tensor x = counting({5});
  EXPECT_THROW((void)f(x), OwnError);
  EXPECT_THROW((void)op({x}), OwnError);
  rule_throws = false;
  EXPECT_THROW((void)f(x), OwnError);
  EXPECT_THROW((void)op({x}), OwnError);
  run_throws = false;
  EXPECT_EQ(bits<float>(f(x)), bits<float>(reversed(x + 1) * 2));
  EXPECT_EQ(bits<float>(op({x})), bits<float>(reversed(x)));
}

TEST(CustomOpErrors, AnOpThatUsesItselfIsRefused) {
  std::optional<CustomOp> self;
  OpDefinition by_reference = reversed_definition("self_reference");
  by_reference.reference = [&](const CustomCall& call) {
    (void)to_vector<float>((*self)({full(call.result.shape, 1, f32)}));
  };
  self = register_op(std::move(by_reference));
  const auto why = [&] { return refusal<UserError>([&] { (void)(*self)({counting({3})}); }); };
  EXPECT_TRUE(contains(why(), "[self_reference] its own code uses it again")) << why();
  OpDefinition by_rule = reversed_definition("self_rule");
  by_rule.type = [&](TypeContext& c) { return (void)(*self)({counting({2})}), c.operands()[0]; };
  self = register_op(std::move(by_rule));
  EXPECT_TRUE(contains(why(), "[self_rule] its own code uses it again")) << why();
  OpDefinition by_composite = reversed_definition("self_composite");
  by_composite.composite = [&](std::span<const Tensor> x, std::span<const Attribute>) { return (*self)({x[0]}); };
  self = register_op(std::move(by_composite));
  EXPECT_TRUE(contains(why(), "[self_composite] its composite calls it again")) << why();
}

TEST(CustomOpErrors, ItsFunctionsMayUseOtherOps) {
  OpDefinition d = reversed_definition("uses_others");
  d.type = [](TypeContext& c) { return (void)item<float>(sum(counting({3}) * 2)), c.operands()[0]; };
  d.launch_cpu = [](const CustomCall& call) {
    const Tensor x = from_blob(call.operands[0].data, call.operands[0].shape, f32);
    const std::vector<float> y = to_vector<float>(flip(x, {0}) * call.number("scale"));
    std::copy(y.begin(), y.end(), call.result.as<float>());
  };
  const CustomOp op = register_op(std::move(d));
  auto f = compile([&](const Tensor& x) {
    Tensor h = x + 1;
    return op({h}, {{"scale", 2.0}}) - h;
  });
  const Tensor x = counting({4});
  EXPECT_EQ(bits<float>(f(x)), bits<float>(reversed(x + 1, 2) - (x + 1)));
}

TEST(CustomOpErrors, ADeviceWithoutAnImplementationIsNamed) {
  install_emulator();
  OpDefinition d = reversed_definition("cpu_only");
  const CustomOp op = register_op(std::move(d));
  const Tensor x = to(counting({3}), Device::cuda(0));
  const std::string why = refusal<CompileError>([&] { (void)op({x}); });
  EXPECT_TRUE(contains(why, "cpu_only")) << why;
  EXPECT_TRUE(contains(why, "neither CUDA text, a tile program nor a launch function for CUDA")) << why;
}

}  // namespace
}  // namespace sinter::test
