// SPDX-License-Identifier: Apache-2.0
// Plans as bytes: whatever a file holds, reading and running it ends in a plan or an error.
#include <random>

#include "runtime/exec/executable.h"
#include "runtime/exec/plan.h"
#include "tests/capture/support.h"

namespace sinter::exec {
namespace {

HostExpr expr(Plan& p, const std::vector<HostInstruction>& code) {
  HostExpr e{static_cast<int32_t>(p.code.size()), static_cast<int32_t>(code.size()), 0};
  p.code.insert(p.code.end(), code.begin(), code.end());
  return e;
}

Plan sample() {
  Plan p;
  p.name = "sample";
  p.input_count = 2;
  p.symbol_count = 6;
  const HostExpr n = expr(p, {{HostOp::symbol, 1}});
  const HostExpr bytes =
      expr(p, {{HostOp::symbol, 1}, {HostOp::push, 16}, {HostOp::ceildiv}, {HostOp::push, 64}, {HostOp::mul}});
  p.outputs.push_back({f16, -1, {}, {n, {0, 0, 3}}, {{0, 0, 3}, {0, 0, 1}}});
  p.outputs.push_back({f32, 1, {0, 0, 2}, {n}, {{0, 0, 1}}});
  p.arena_bytes = bytes;
  p.kernels.push_back({"key of the kernel", "kernel_0", 128, 0});
  p.steps.push_back({0,
                     n,
                     {{SlotSource::Kind::input, 0, f32, {}, 0},
                      {SlotSource::Kind::temporary, -1, f32, bytes, 0},
                      {SlotSource::Kind::number, 5, f32, {}, 1},
                      {SlotSource::Kind::output, 0, f16, {}, 0},
                      {SlotSource::Kind::literal, -1, f32, {}, 42}}});
  p.uses_status = true;
  p.status_messages = {"index out of range"};
  return p;
}

/// Reads bytes; a plan that is accepted must be usable: all its expressions can be evaluated.
void read_and_use(std::string_view bytes) {
  try {
    const Plan p = deserialize(bytes);
    const std::vector<int64_t> symbols(static_cast<size_t>(p.symbol_count), INT64_MIN);
    const auto use = [&](const HostExpr& e) {
      try {
        (void)evaluate(p, e, symbols);
      } catch (const CompileError&) {
      }
    };
    use(p.arena_bytes);
    for (const TensorSpec& t : p.outputs) {
      for (const HostExpr& e : t.shape) use(e);
      for (const HostExpr& e : t.strides) use(e);
      use(t.alias_offset);
      EXPECT_NE(t.dtype.name(), "?");
    }
    for (const Step& s : p.steps) {
      use(s.grid);
      for (const SlotSource& slot : s.slots) {
        use(slot.expr);
        if (slot.kind == SlotSource::Kind::number) {
          EXPECT_GE(slot.index, 0);
          EXPECT_LT(slot.index, p.symbol_count);
        }
      }
    }
  } catch (const CompileError&) {
  }
}

TEST(PlanBytes, ComeBackEqual) {
  const Plan p = sample();
  EXPECT_EQ(deserialize(serialize(p)), p);
  EXPECT_EQ(deserialize(serialize(Plan{})), Plan{});
}

TEST(PlanBytes, TruncatedAreRefused) {
  const std::string bytes = serialize(sample());
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW((void)deserialize(std::string_view(bytes).substr(0, n)), CompileError) << n;
  EXPECT_THROW((void)deserialize(bytes + "x"), CompileError);
}

TEST(PlanBytes, EverySingleFlippedBit) {
  const std::string bytes = serialize(sample());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    read_and_use(flipped);
  }
}

TEST(PlanBytes, RandomDamage) {
  const std::string bytes = serialize(sample());
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = bytes;
    for (uint64_t k = random() % 6 + 1; k-- > 0;) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    read_and_use(damaged);
  }
}

TEST(PlanBytes, OtherVersionsAreRefused) {
  std::string bytes = serialize(sample());
  bytes[8] = static_cast<char>(bytes[8] + 1);
  EXPECT_THROW((void)deserialize(bytes), CompileError);
}

TEST(HostExpressions, Evaluate) {
  Plan p;
  const int64_t symbols[] = {-7, 2, 0, INT64_MIN};
  auto binary = [&](HostOp op, int64_t a, int64_t b) {
    return evaluate(p, expr(p, {{HostOp::symbol, a}, {HostOp::symbol, b}, {op}}), symbols);
  };
  EXPECT_EQ(binary(HostOp::floordiv, 0, 1), -4);
  EXPECT_EQ(binary(HostOp::mod, 0, 1), 1);
  EXPECT_EQ(binary(HostOp::ceildiv, 0, 1), -3);
  EXPECT_EQ(binary(HostOp::min, 0, 1), -7);
  EXPECT_EQ(binary(HostOp::max, 0, 1), 2);
  EXPECT_EQ(binary(HostOp::doubled, 0, 1), 2);
  EXPECT_EQ(evaluate(p, expr(p, {{HostOp::push, 33}, {HostOp::push, 8}, {HostOp::doubled}}), symbols), 64);
  EXPECT_EQ(evaluate(p, expr(p, {{HostOp::push, INT64_MAX}, {HostOp::push, 1}, {HostOp::doubled}}), symbols),
            int64_t{1} << 62);
  EXPECT_EQ(binary(HostOp::doubled, 1, 2), 0);
  EXPECT_EQ(binary(HostOp::floordiv, 0, 2), 0);
  EXPECT_EQ(evaluate(p, expr(p, {{HostOp::symbol, 3}, {HostOp::push, -1}, {HostOp::floordiv}}), symbols), INT64_MIN);
  EXPECT_EQ(evaluate(p, expr(p, {{HostOp::symbol, 3}, {HostOp::push, -1}, {HostOp::mod}}), symbols), 0);
  EXPECT_THROW((void)evaluate(p, expr(p, {{HostOp::add}}), symbols), CompileError);
  EXPECT_THROW((void)evaluate(p, expr(p, {{HostOp::symbol, 4}}), symbols), CompileError);
}

}  // namespace
}  // namespace sinter::exec
