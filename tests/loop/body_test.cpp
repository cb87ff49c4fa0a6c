// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "src/loop/builder.h"
#include "src/loop/representable.h"

namespace sinter::loop {
namespace {

TEST(Body, EqualInstructionsShareAnId) {
  Body body;
  Builder b(body);
  const Value x = body.load(0, f32, {Expr::axis(0)}), y = body.load(1, f32, {Expr::axis(0)});
  EXPECT_EQ(b.add(x, y).id, b.add(y, x).id);
  EXPECT_NE(b.sub(x, y).id, b.sub(y, x).id);
  EXPECT_EQ(body.load(0, f32, {Expr::axis(0)}).id, x.id);
  EXPECT_NE(body.load(0, f32, {Expr::axis(1)}).id, x.id);
}

TEST(Body, ConstantsFold) {
  Body body;
  Builder b(body);
  const Value v = b.add(b.f32(1.5f), b.mul(b.f32(2), b.f32(3)));
  ASSERT_EQ(body[v.id].kind, InstructionKind::constant);
  EXPECT_EQ(scalar::as_double({f32, body[v.id].bits}), 7.5);
  EXPECT_EQ(body[b.convert(b.f32(std::numeric_limits<float>::quiet_NaN()), i32).id].bits, 0u);
}

// A device's approximation of a constant has the device's bits, as it has where the operand is loaded.
TEST(Body, ApproximationsOfConstantsCanBeKept) {
  Body body;
  Builder b(body);
  const Value quarter[] = {b.f32(0.25f)};
  EXPECT_EQ(body[body.scalar(ScalarOp::ex2_approx, quarter).id].kind, InstructionKind::constant);
  body.keep_approximations();
  for (int i = 0; i < scalar::scalar_op_count; ++i)
    if (const auto op = static_cast<ScalarOp>(i); scalar::is_approximation(op)) {
      EXPECT_EQ(body[body.scalar(op, quarter).id].kind, InstructionKind::scalar) << scalar::info(op).name;
    }
}

TEST(Body, IdentitiesKeepBits) {
  Body body;
  Builder b(body);
  const Value x = body.load(0, f32, {Expr::axis(0)}), i = body.load(1, i32, {Expr::axis(0)});
  const Value c = b.lt(x, b.f32(1));
  EXPECT_EQ(b.mul(x, b.f32(1)).id, x.id);
  EXPECT_EQ(b.add(x, b.f32(-0.0f)).id, x.id);
  EXPECT_NE(b.add(x, b.f32(0)).id, x.id) << "-0 + 0 is 0";
  EXPECT_NE(b.mul(x, b.f32(0)).id, b.f32(0).id) << "NaN * 0 is NaN";
  EXPECT_EQ(b.add(i, b.i32(0)).id, i.id);
  EXPECT_EQ(b.mul(i, b.i32(0)).id, b.i32(0).id);
  EXPECT_EQ(b.div(x, b.f32(8)).id, b.mul(x, b.f32(0.125f)).id);
  EXPECT_EQ(body[b.div(x, b.f32(3)).id].op, ScalarOp::div);
  EXPECT_EQ(b.select(c, x, x).id, x.id);
  EXPECT_EQ(b.select(b.boolean(false), x, b.f32(2)).id, b.f32(2).id);
  EXPECT_EQ(b.neg(b.neg(x)).id, x.id);
  EXPECT_EQ(b.bit_and(c, b.boolean(true)).id, c.id);
  EXPECT_EQ(b.eq(i, i).id, b.boolean(true).id);
  EXPECT_EQ(body[b.eq(x, x).id].op, ScalarOp::eq) << "NaN differs from itself";
  EXPECT_EQ(b.convert(x, f16).id, x.id) << "the compute type of f16 is f32";
}

TEST(Body, RoundingOfRoundedValuesVanishes) {
  Body body;
  Builder b(body);
  const Value h = body.load(0, f16, {Expr::axis(0)}), g = body.load(1, f16, {Expr::axis(0)});
  const Value byte = body.load(2, u8, {Expr::axis(0)}), x = body.load(3, f32, {Expr::axis(0)});
  EXPECT_EQ(b.round_to(h, f16).id, h.id);
  EXPECT_NE(b.round_to(h, bf16).id, h.id);
  EXPECT_NE(b.round_to(x, f16).id, x.id);
  EXPECT_EQ(b.round_to(x, f32).id, x.id);
  const Value relu = b.max(h, b.f32(0));
  EXPECT_EQ(b.round_to(relu, f16).id, relu.id);
  const Value bound = b.min(h, b.f32(0.1f));
  EXPECT_NE(b.round_to(bound, f16).id, bound.id) << "0.1 is no f16";
  const Value sum = b.add(h, g);
  EXPECT_NE(b.round_to(sum, f16).id, sum.id);
  const Value twice = b.round_to(b.round_to(sum, f16), f16);
  EXPECT_EQ(twice.id, b.round_to(sum, f16).id);
  const Value widened = b.convert(byte, f32);
  EXPECT_EQ(b.round_to(widened, bf16).id, widened.id) << "8 bits fit";
  EXPECT_EQ(b.round_to(byte, u16).id, byte.id);
}

TEST(Body, HoldsExactlyAgreesWithEveryValueOfNarrowTypes) {
  for (DType from : {u8, i8, u16, i16, f16, bf16})
    for (DType to : all_dtypes) {
      if (to.is_boolean() || from == to) continue;
      if (!to.is_floating() && from.is_floating()) {
        EXPECT_FALSE(holds_exactly(to, from));
        continue;
      }
      bool all = true;
      for (uint32_t bits = 0; bits < (1u << from.bits()); ++bits) {
        const scalar::Constant v = scalar::load_element(&bits, from);
        const DType compute = scalar::compute_type(to);
        const scalar::Constant there =
            scalar::evaluate(ScalarOp::round_to, {{scalar::evaluate(ScalarOp::convert, {{v}}, compute)}}, to);
        const double a = scalar::as_double(v), b = scalar::as_double(there);
        all = all && (a == b || (a != a && b != b));
      }
      EXPECT_EQ(holds_exactly(to, from), all) << from.name() << " in " << to.name();
    }
}

TEST(Body, ConversionsThroughExactOnesAreDirect) {
  Body body;
  Builder b(body);
  const Value byte = body.load(2, u8, {Expr::axis(0)}), wide = body.load(3, i64, {Expr::axis(0)});
  EXPECT_EQ(b.convert(b.convert(byte, i32), f32).id, b.convert(byte, f32).id);
  EXPECT_EQ(b.convert(b.convert(byte, f32), u32).id, byte.id);
  EXPECT_NE(b.convert(b.convert(wide, f32), i64).id, wide.id) << "f32 does not hold 64 bits";
  EXPECT_NE(b.convert(b.convert(wide, i32), i64).id, wide.id) << "wraps";
}

TEST(Body, GuardMasksLoadsAndChecks) {
  Body body;
  Builder b(body);
  const Value mask = body.load(0, boolean, {Expr::axis(0)});
  body.set_message(3);
  body.set_guard(mask);
  const Value x = body.load(1, i64, {Expr::axis(0)});
  const Expr at = body.to_index(x, 10, IndexMode::check);
  body.set_guard({});
  EXPECT_EQ(body[x.id].operands[0], mask.id);
  ASSERT_EQ(at.kind(), Expr::Kind::value);
  const Instruction& in = body[at.id()];
  EXPECT_EQ(in.id, 3);
  EXPECT_EQ(body[in.operands[0]].op, ScalarOp::select);
}

TEST(Body, RangesDecideComparisonsOfIndices) {
  graph::Ranges ranges;
  ranges.set_axis_extent(0, 10);
  Body body;
  body.use_ranges(&ranges);
  Builder b(body);
  const Value i = body.index_value(Expr::axis(0) + 2, i64);
  EXPECT_EQ(b.lt(i, b.i64(12)).id, b.boolean(true).id);
  EXPECT_EQ(b.lt(i, b.i64(2)).id, b.boolean(false).id);
  EXPECT_EQ(body[b.lt(i, b.i64(5)).id].op, ScalarOp::lt);
  EXPECT_EQ(body.to_index(i, 12, IndexMode::check), Expr::axis(0) + 2);
  EXPECT_EQ(body.to_index(i, 11, IndexMode::check).kind(), Expr::Kind::value);
}

}  // namespace
}  // namespace sinter::loop
