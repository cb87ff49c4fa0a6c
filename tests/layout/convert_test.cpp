// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/layout/convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <map>

#include "codegen/tile/layout/blocked.h"
#include "codegen/tile/layout/choose.h"
#include "tests/layout/plan_simulator.h"
#include "tests/layout/random_layouts.h"

namespace sinter::tile_ir {
namespace {

using testing::LayoutPair;
using testing::simulate;
using testing::SimulationResult;

std::string describe(const LayoutPair& pair) {
  return fmt::format("{} bytes, {} -> {}", pair.element_bytes, to_string(pair.source), to_string(pair.target));
}

/// The sampler's pairs, with its seed in the log: a failure names the pair too.
std::vector<LayoutPair> pairs(int count) {
  fmt::print("[ seed     ] layout pairs {}\n", testing::layout_pair_seed);
  return testing::random_layout_pairs(count);
}

TEST(Convert, RandomPairs) {
  std::map<ConvertKind, int> kinds;
  int conflicts = 0;
  for (const LayoutPair& pair : pairs(500)) {
    ConvertPlan plan = plan_conversion(pair.source, pair.target, {pair.element_bytes});
    SimulationResult result = simulate(plan, pair.source, pair.target, pair.element_bytes);
    ASSERT_EQ(result.error, "") << describe(pair);
    ++kinds[plan.kind];
    conflicts += result.bank_conflicts;
  }
  for (auto [kind, count] : kinds) fmt::print("[ plans    ] kind {}: {}\n", static_cast<int>(kind), count);
  EXPECT_GE(kinds[ConvertKind::identity], 5);
  EXPECT_GE(kinds[ConvertKind::rename], 5);
  EXPECT_GE(kinds[ConvertKind::shuffle], 100);
  EXPECT_GE(kinds[ConvertKind::shared], 200);
  EXPECT_EQ(conflicts, 0);
}

TEST(Convert, EveryPairThroughSharedMemoryWithoutConflicts) {
  int wide = 0;
  for (const LayoutPair& pair : pairs(1000)) {
    ConvertPlan plan;
    plan.kind = ConvertKind::shared;
    plan.shared = plan_shared(pair.source, pair.target, {pair.element_bytes, 1 << 20}).value();
    SimulationResult result = simulate(plan, pair.source, pair.target, pair.element_bytes);
    ASSERT_EQ(result.error, "") << describe(pair);
    ASSERT_EQ(result.bank_conflicts, 0) << describe(pair);
    ASSERT_EQ(plan.shared.rounds.size(), 1u);
    wide += plan.shared.store_vector > 1 || plan.shared.load_vector > 1;
  }
  EXPECT_GT(wide, 400);
}

TEST(Convert, SharedMemoryLimitMakesRounds) {
  int by_part = 0, inside_part = 0, refused = 0;
  for (const LayoutPair& pair : pairs(500)) {
    uint32_t part = static_cast<uint32_t>(pair.element_bytes) << pair.source.shape().log_elements();
    for (uint32_t limit : {part * 2, part, part / 2, part / 8}) {
      ConvertPlan plan;
      plan.kind = ConvertKind::shared;
      std::optional<SharedPlan> shared = plan_shared(pair.source, pair.target, {pair.element_bytes, limit});
      if (!shared) {
        ASSERT_LT(limit, part) << "one part fits";
        ++refused;
        continue;
      }
      plan.shared = *shared;
      ASSERT_LE(plan.shared.bytes, limit);
      SimulationResult result = simulate(plan, pair.source, pair.target, pair.element_bytes);
      ASSERT_EQ(result.error, "") << describe(pair);
      ASSERT_EQ(result.bank_conflicts, 0) << describe(pair);
      by_part += limit >= part && plan.shared.rounds.size() > 1;
      inside_part += limit < part;
    }
  }
  EXPECT_GT(by_part, 300);
  EXPECT_GT(inside_part, 100);
  EXPECT_GT(refused, 100);
}

TEST(Convert, ShufflesWhereWarpsKeepTheirElements) {
  int planned = 0, swapped = 0, packed = 0, moves = 0;
  for (const LayoutPair& pair : pairs(1000)) {
    std::optional<ShufflePlan> shuffle = plan_shuffle(pair.source, pair.target, pair.element_bytes);
    if (!shuffle) continue;
    ConvertPlan plan;
    plan.kind = ConvertKind::shuffle;
    plan.shuffle = *shuffle;
    SimulationResult result = simulate(plan, pair.source, pair.target, pair.element_bytes);
    ASSERT_EQ(result.error, "") << describe(pair);
    ++planned;
    swapped += !shuffle->before.empty() && !shuffle->after.empty();
    moves += !shuffle->between_lanes;
    for (const ShuffleStep& step : shuffle->steps) packed += step.sources.size() == 4;
  }
  fmt::print("[ shuffles ] {} of 1000 pairs, {} with swaps on both sides, {} without lanes\n", planned, swapped, moves);
  EXPECT_GT(planned, 150);
  EXPECT_GT(swapped, 20);
  EXPECT_GT(packed, 50);
  EXPECT_GT(moves, 10);
}

LinearLayout along(const TileShape& shape, int dim, int threads, int element_bytes) {
  MemoryPattern memory;
  memory.element_bytes = element_bytes;
  memory.base_divisibility = 1024;
  memory.dims[static_cast<size_t>(dim)] = StrideClass::of(1);
  memory.dims[static_cast<size_t>(1 - dim)] = StrideClass::of(4096);
  return choose_layout(shape, threads, memory);
}

TEST(Convert, TransposesHaveWideVectorsAndNoConflicts) {
  for (int size : {32, 64}) {
    for (int element_bytes : {1, 2, 4, 8}) {
      for (int threads : {32, 128, 256}) {
        TileShape shape = TileShape::of(std::vector<int32_t>{size, size}, 3);
        LayoutPair pair{along(shape, 1, threads, element_bytes), along(shape, 0, threads, element_bytes),
                        element_bytes};
        ConvertPlan plan = plan_conversion(pair.source, pair.target, {element_bytes, 200 << 10});
        ASSERT_EQ(plan.kind, ConvertKind::shared);
        SimulationResult result = simulate(plan, pair.source, pair.target, element_bytes);
        ASSERT_EQ(result.error, "") << describe(pair);
        EXPECT_EQ(result.bank_conflicts, 0) << describe(pair);
        int common = std::min(plan.shared.store_vector, plan.shared.load_vector) * element_bytes;
        int wide = std::max(plan.shared.store_vector, plan.shared.load_vector) * element_bytes;
        int per_thread = size * size / threads * element_bytes;
        EXPECT_EQ(wide, std::min(16, per_thread)) << describe(pair);
        fmt::print("[ transpose] {}x{} of {} bytes, {} threads: {} and {} bytes an access\n", size, size, element_bytes,
                   threads, wide, common);
      }
    }
  }
}

TEST(Convert, KindsOfSimplePairs) {
  auto kind = [](const char* from, const char* to, int bytes = 4) {
    LinearLayout source = parse_layout(from), target = parse_layout(to);
    ConvertPlan plan = plan_conversion(source, target, {bytes});
    EXPECT_EQ(simulate(plan, source, target, bytes).error, "") << from << " -> " << to;
    return plan.kind;
  };
  EXPECT_EQ(kind("{reg: [1]; lane: [2],[4]}", "{reg: [1]; lane: [2],[4]}"), ConvertKind::identity);
  EXPECT_EQ(kind("{reg: [1],[2]; lane: [4],[8]}", "{reg: [2],[1]; lane: [4],[8]}"), ConvertKind::rename);
  EXPECT_EQ(kind("{reg: [1],[2]; lane: [4]}", "{reg: [1],[2],[0],[3]; lane: [4]}"), ConvertKind::rename);
  EXPECT_EQ(kind("{reg: [1]; lane: [2],[4]}", "{reg: [4]; lane: [2],[1]}"), ConvertKind::shuffle);
  EXPECT_EQ(kind("{lane: [1],[2],[4]}", "{lane: [4],[1],[2]}"), ConvertKind::shuffle);
  EXPECT_EQ(kind("{lane: [1],[2]; warp: [4]}", "{lane: [1],[4]; warp: [2]}"), ConvertKind::shared);
  // Every lane has both elements and picks one: no shuffle instruction.
  ConvertPlan select = plan_conversion(parse_layout("{reg: [1]; lane: [0],[2]}"), parse_layout("{lane: [1],[2]}"), {});
  EXPECT_EQ(select.kind, ConvertKind::shuffle);
  EXPECT_FALSE(select.shuffle.between_lanes);
}

TEST(Convert, CopiesAreStoredOnce) {
  LinearLayout source = parse_layout("{reg: [1],[0]; lane: [2],[0]; warp: [0],[4]}");
  LinearLayout target = parse_layout("{reg: [4]; lane: [1],[2]; warp: [0],[0]}");
  SharedPlan plan = plan_shared(source, target, {}).value();
  EXPECT_EQ(plan.copy_lanes, 0b10u);
  EXPECT_EQ(plan.copy_warps, 0b01u);
  ASSERT_EQ(plan.rounds.size(), 1u);
  EXPECT_EQ(plan.rounds[0].stores.size() * static_cast<size_t>(plan.store_vector), 2u);  // of four registers
  // A copy that is not free: lane bit 0 repeats the register bit. It does not store, so its offset is left out.
  LinearLayout repeated = parse_layout("{reg: [1]; lane: [1],[2]}");
  EXPECT_EQ(plan_shared(repeated, parse_layout("{reg: [2]; lane: [2],[1]}"), {}).value().store_offset.lane[0], 0u);
}

TEST(Convert, RefusesPairsThatNeedMore) {
  auto refuse = [](const char* from, const char* to) {
    EXPECT_THROW(plan_conversion(parse_layout(from), parse_layout(to), {}), CompileError) << from << " -> " << to;
  };
  refuse("{lane: [1]}", "{lane: [1],[2]}");                      // other tile
  refuse("{reg: [1]; lane: [2]}", "{reg: [1],[2]}");             // other thread count
  refuse("{lane: [1]; block: [2]}", "{lane: [2]; block: [1]}");  // between blocks
  refuse("{lane: [1]; tile: 4}", "{reg: [2]; lane: [1]}");       // source lacks elements
  EXPECT_THROW(plan_conversion(parse_layout("{lane: [1]; warp: [2]}"), parse_layout("{lane: [2]; warp: [1]}"), {4, 8}),
               CompileError);
  EXPECT_EQ(plan_conversion(parse_layout("{reg: [1]; lane: [2]}"), parse_layout("{reg: [2]; lane: [1]}"), {4, 0}).kind,
            ConvertKind::shuffle);
  EXPECT_EQ(plan_conversion(parse_layout("{reg: [1]; lane: [2]; block: [4]}"),
                            parse_layout("{reg: [2]; lane: [1]; block: [4]}"), {})
                .kind,
            ConvertKind::shuffle);
}

TEST(BankConflicts, CountsWordsOfABank) {
  using testing::bank_conflicts;
  EXPECT_EQ(bank_conflicts({0, 4, 8}, 4), 0);
  EXPECT_EQ(bank_conflicts({0, 0, 2}, 2), 0);      // one word
  EXPECT_EQ(bank_conflicts({0, 128, 256}, 4), 2);  // three words of bank 0
  EXPECT_EQ(bank_conflicts({0, 120}, 16), 1);      // wraps into bank 0 and 1
}

}  // namespace
}  // namespace sinter::tile_ir
