// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/emit.h"
#include "codegen/schedule/grid_split.h"
#include "codegen/schedule/schedule.h"
#include "codegen/tile/expand_grid_reduces.h"
#include "codegen/tile/laid_out.h"
#include "runtime/device/backend.h"
#include "src/ops/accumulate.h"
#include "src/ops/ops.h"
#include "tests/lower/build.h"
#include "tests/schedule/instructions.h"

namespace sinter::schedule {
namespace {

using graph::Value;
using test::count_instructions;
using test::GraphBuilder;

class Structure : public testing::Test {
 protected:
  void SetUp() override { ops::register_all_ops(); }
  static std::vector<ScheduledKernel> candidates(const GraphBuilder& b, const Target& target) {
    const loop::Program p = test::lowered(b.g);
    EXPECT_EQ(p.groups.size(), 1u);
    std::vector<ScheduledKernel> kernels;
    for (const Candidate& c : schedule(p, p.groups[0], target)) kernels.push_back(c());
    return kernels;
  }
  static constexpr Target h200{.cuda = true, .processors = 132};
  static constexpr Target avx512{.vector_bits = 512, .processors = 2};
};

TEST_F(Structure, ChainLoadsAndStoresOnceWithItsOpsAsComment) {
  GraphBuilder b;
  b.g.add_output(b.with_number("mul", b.unary("relu", b.with_number("add", b.input(f32, {1 << 24}), 1)), 2));
  for (const Target& t : {h200, avx512}) {
    const auto k = candidates(b, t);
    ASSERT_FALSE(k.empty());
    EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::block_load), 1);
    EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::block_store), 1);
    EXPECT_EQ(k[0].kernel.comments.size(), 3u);
    EXPECT_EQ(k[0].sources.size(), 2u);
    ASSERT_TRUE(k[0].cost);
    EXPECT_EQ(k[0].cost->bytes, int64_t{8} << 24);
  }
}

// The last narrow access along the crossing axis made a tile whose wide elements no block could exchange.
TEST_F(Structure, CrossedTilesOfSeveralWidthsFitIntoSharedMemory) {
  const graph::Graph g = graph::parse(R"(graph "widths" on cpu {
  symbols 1, s0 in [2,1099511627776]
  %0 i64 [1,s0,2,s0] = input
  %1 i64 [1,s0,min(2, s0 - 1)] = diagonal(%0) dim1=2, dim2=1, offset=1
  %2 f16 [1,s0,1] = input
  %3 f16 [1,s0,min(2, s0 - 1)] = div(%1, %2) lhs=none, rhs=none
  return %3
}
)");
  const loop::Program p = test::lowered(g);
  ASSERT_EQ(p.groups.size(), 1u);
  for (const Candidate& c : schedule(p, p.groups[0], h200))
    EXPECT_NO_THROW(cuda::emit(tile_ir::assign_layouts(c().kernel)));
}

TEST_F(Structure, SumsInFewPlacesMeetInTables) {
  const auto scatters = [](int64_t elements, int64_t places, int64_t shared_bytes) {
    GraphBuilder b;
    const Value values = b.input(i64, {elements}), positions = b.input(i64, {elements});
    b.g.add_output(b.op("accumulate", {values, positions}, ops::accumulate_sums(places)));
    const loop::Program p = test::lowered(b.g);
    const Target target{.cuda = true, .processors = 132, .shared_bytes = shared_bytes};
    return schedule(p, p.groups.back(), target)[0]();
  };
  const ScheduledKernel few = scatters(1 << 24, 256, 227 << 10);
  EXPECT_EQ(few.grid.constant(), 8 * 132);
  const tile_ir::Instruction* loop = test::find_instruction(few.kernel.body, tile_ir::Op::for_loop);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(test::find_instruction(loop->regions[0], tile_ir::Op::scatter)->table, 256);
  EXPECT_EQ(scatters(1 << 16, 256, 227 << 10).grid.constant(), 64) << "each program has elements enough";
  for (const ScheduledKernel& k :
       {scatters(1 << 24, 4097, 227 << 10), scatters(4096, 256, 227 << 10), scatters(1 << 24, 4096, 16 << 10)})
    EXPECT_EQ(test::find_instruction(k.kernel.body, tile_ir::Op::scatter)->table, 0);
}

TEST_F(Structure, LongFoldsOfFewResultsMeetOverTheGrid) {
  const auto sum = [](std::vector<graph::Expr> shape, const Dims& dims, const Target& t) {
    GraphBuilder b;
    b.g.add_output(b.reduce("sum", b.input(f32, shape), dims));
    return candidates(b, t)[0];
  };
  const ScheduledKernel all = sum({1 << 26}, {0}, h200);
  EXPECT_EQ(count_instructions(all.kernel.body, tile_ir::Op::grid_reduce), 1);
  EXPECT_EQ(all.grid.constant(), 4096);
  EXPECT_EQ(all.workspace_bytes.constant(), 2 * 4096 * 4) << "runs of pieces meet first";
  EXPECT_EQ(sum({1 << 26}, {0}, avx512).grid.constant(), 16);
  EXPECT_EQ(sum({65536, 4096}, {0}, h200).grid.constant(), 64 * 64) << "strips of 64 columns, 64 pieces";
  EXPECT_EQ(sum({8192, 4096}, {0}, h200).grid.constant(), 64 * 64) << "8 pieces a chunk";
  // Programs enough, or too little to fold for more of them.
  for (const ScheduledKernel& k : {sum({8192, 16384}, {1}, h200), sum({8192}, {0}, h200), sum({65536}, {0}, avx512)})
    EXPECT_EQ(count_instructions(k.kernel.body, tile_ir::Op::grid_reduce), 0);
}

// The last program of a group folds straight code; it does not grow with the machine.
TEST_F(Structure, MeetingsHaveBoundedTiles) {
  for (const int processors : {2, 64, 512})
    for (const bool cuda : {false, true})
      for (const Dims& dims : {Dims{0}, Dims{0, 1}}) {
        GraphBuilder b;
        b.g.set_symbol_count(2);
        for (int s : {0, 1}) b.g.ranges.set_symbol(s, 2, int64_t{1} << 40);
        const Value x = b.input(f64, {graph::Expr::symbol(0), graph::Expr::symbol(1)});
        b.g.add_output(b.reduce("sum", x, dims));
        tile_ir::Kernel k = candidates(b, {.cuda = cuda, .vector_bits = 512, .processors = processors})[0].kernel;
        ASSERT_EQ(count_instructions(k.body, tile_ir::Op::grid_reduce), 1);
        tile_ir::expand_grid_reduces(k);
        for (const tile_ir::Type& t : tile_ir::value_types(k)) EXPECT_LE(t.elements(), cuda ? 8192 : 1024) << t.text();
      }
}

// Columns are read in runs of kilobytes on the CPU, and a result of that width meets in tiles that fit a cache.
TEST_F(Structure, StripsOfColumnsAreWideOnTheCpu) {
  GraphBuilder b;
  b.g.add_output(b.reduce("sum", b.input(f32, {65536, 4096}), {0}));
  ScheduledKernel k = candidates(b, avx512)[0];
  EXPECT_EQ(k.grid.constant(), 4 * 4) << "strips of 1024 columns, 4 pieces";
  EXPECT_EQ(count_instructions(k.kernel.body, tile_ir::Op::block_load), 4 * 4) << "rows of a turn of the counter";
  tile_ir::expand_grid_reduces(k.kernel);
  for (const tile_ir::Type& t : tile_ir::value_types(k.kernel)) EXPECT_LE(t.elements(), 16384) << t.text();
}

// What takes many instructions is computed once for a row that the program can keep, and again for a longer one.
TEST_F(Structure, ExponentialsOfARowAreKeptOnTheCpu) {
  const auto kept = [](int64_t columns) {
    GraphBuilder b;
    const Value x = b.input(f32, {1024, columns});
    const Value e = b.unary("exp", b.binary("sub", x, b.reduce("amax", x, {1}, true)));
    b.g.add_output(b.binary("div", e, b.reduce("sum", e, {1}, true)));
    const ScheduledKernel k = candidates(b, avx512)[0];
    return std::pair(count_instructions(k.kernel.body, tile_ir::Op::keep),
                     count_instructions(k.kernel.body, tile_ir::Op::recall));
  };
  EXPECT_EQ(kept(512), std::pair(0, 0)) << "in registers";
  EXPECT_EQ(kept(4096), std::pair(1, 1));
  EXPECT_EQ(kept(4000), std::pair(2, 2)) << "whole chunks, and what is left";
}

// Whatever the sizes are at launch, runs are powers of two, no more than `most` of them fold a result, and no more
// groups meet than there are words.
TEST_F(Structure, SplitsAtLaunchStayInTheirBounds) {
  const graph::Expr rows = graph::Expr::symbol(0), length = graph::Expr::symbol(1);
  graph::Ranges ranges;
  for (int s : {0, 1}) ranges.set_symbol(s, 2, int64_t{1} << 40);
  for (const Target& t : {h200, avx512, Target{.vector_bits = 512, .processors = 512}}) {
    FoldPlan plan;
    plan.tiling.num_warps = 2;
    plan.runs = t.cuda ? 4 : 1;
    const auto split = split_over_grid(plan, length, rows, t, ranges);
    ASSERT_TRUE(split);
    for (int r = 1; r <= 40; ++r)
      for (int l = 1; l + r <= 50 && l <= 40; ++l)
        for (const int64_t off : {-1, 0, 1}) {
          const int64_t n = std::max<int64_t>(2, (int64_t{1} << l) + off), m = int64_t{1} << r;
          const auto at = [&](graph::Expr e) {
            return graph::evaluate(e, [&](graph::Expr leaf) { return leaf == rows ? m : n; });
          };
          const int64_t chunks = at(split->chunks), pieces = at(split->pieces);
          ASSERT_TRUE(std::has_single_bit(static_cast<uint64_t>(chunks))) << m << " " << n;
          ASSERT_EQ(chunks * 1024 % plan.step_elements(), 0);
          ASSERT_GE(pieces, 1);
          ASSERT_LE(pieces, split->most) << m << " " << n;
          ASSERT_GE(static_cast<__int128>(pieces) * chunks * 1024, n) << m << " " << n;
          ASSERT_LT(static_cast<__int128>(pieces - 1) * chunks * 1024, n) << m << " " << n;
          ASSERT_TRUE(pieces == 1 || m <= device::arrival_words) << m << " " << n;
        }
  }
}

TEST_F(Structure, CandidatesCoverTheSamePoints) {
  GraphBuilder b;
  b.g.add_output(b.unary("exp", b.input(f16, {1 << 24})));
  const auto k = candidates(b, h200);
  ASSERT_EQ(k.size(), 2u);
  EXPECT_EQ(*k[0].grid.constant() * 2, *k[1].grid.constant());
  EXPECT_EQ(k[0].elements_per_program, 2 * k[1].elements_per_program);
}

TEST_F(Structure, TransposingTilesFitTheRegisters) {
  const auto tile = [](DType t, std::vector<graph::Expr> shape, const Dims& order, DType to) {
    GraphBuilder b;
    const Value x = b.input(t, shape);
    b.g.add_output(b.to(b.permute(x, order), to));
    for (const tile_ir::Instruction& i : candidates(b, h200)[0].kernel.body.body)
      if (i.op == tile_ir::Op::block_load) return i.type;
    return tile_ir::Type{};
  };
  const auto sizes = [&](DType t, DType to) {
    const tile_ir::Type type = tile(t, {8192, 8192}, {1, 0}, to);
    return std::pair(type.dims[0], type.dims[1]);
  };
  EXPECT_EQ(sizes(f16, bf16), std::pair(128, 128));
  EXPECT_EQ(sizes(f32, i32), std::pair(64, 64));
  for (const DType t : {u8, f16, f32, f64}) {
    const tile_ir::Type plain = tile(t, {8192, 8192}, {1, 0}, t == f32 ? i32 : f32);
    EXPECT_LE(plain.elements(), 64 * 256) << t.name();
    EXPECT_GE(plain.elements(), 32 * 32) << t.name();
    // Pixels of 3 channels.
    const tile_ir::Type pixels = tile(t, {4096, 4096, 3}, {1, 0, 2}, t == f32 ? i32 : f32);
    EXPECT_LE(pixels.elements(), 64 * 256) << t.name();
  }
  // A small matrix still fills the machine.
  EXPECT_LE(tile(f16, {512, 512}, {1, 0}, bf16).elements(), 32 * 32);
}

TEST_F(Structure, RowValuesAreComputedOnce) {
  // The root of a column is taken for each row, not for each element.
  GraphBuilder b;
  const Value x = b.input(f32, {512, 4096}), c = b.input(f32, {512, 1});
  b.g.add_output(b.binary("mul", x, b.unary("sqrt", c)));
  const auto k = candidates(b, h200);
  for (const tile_ir::Instruction& i : k[0].kernel.body.body)
    if (i.op == tile_ir::Op::scalar && i.scalar == scalar::ScalarOp::sqrt) {
      EXPECT_LE(i.type.elements(), 16);
    }
}

TEST_F(Structure, ChannelsGoToTheParts) {
  GraphBuilder b;
  b.g.add_output(b.to(b.permute(b.input(u8, {480, 640, 3}), {2, 0, 1}), f32));
  const auto k = candidates(b, h200);
  bool found = false;
  for (const tile_ir::Instruction& i : k[0].kernel.body.body)
    if (i.op == tile_ir::Op::block_load) {
      found = true;
      EXPECT_EQ(i.type.parts, 3);
      EXPECT_EQ(i.access->parts.stride.literal, 1);
    }
  EXPECT_TRUE(found);
}

TEST_F(Structure, OffsetsAreAsWideAsTheyMustBe) {
  GraphBuilder b;
  const Value x = b.input(f32, {100, 64}), at = b.input(i64, {50});
  b.g.add_output(b.op("index_select", {x, at}, graph::CallAttributes().integer(0)));
  const auto offset_type = [&](Target t) {
    const auto k = candidates(b, t);
    std::vector<DType> types(static_cast<size_t>(k[0].kernel.value_count));
    DType found;
    for (const tile_ir::Instruction& i : k[0].kernel.body.body) {
      for (tile_ir::ValueId v : i.results) types[static_cast<size_t>(v)] = i.type.dtype;
      if (i.op == tile_ir::Op::gather) found = types[static_cast<size_t>(i.operands[0])];
    }
    return found;
  };
  EXPECT_EQ(offset_type(h200), i32);
  Target narrow = h200;
  narrow.narrow_index_limit = 1000;
  EXPECT_EQ(offset_type(narrow), i64);
}

TEST_F(Structure, PadsAreMaskedBoxesNotGathers) {
  GraphBuilder b;
  b.g.add_output(b.op("pad", {b.input(f32, {30, 100})},
                      graph::CallAttributes().extents({3, 5, 1, 2}).number(graph::Number::of(0.5))));
  for (const Target& t : {h200, avx512}) {
    const auto k = candidates(b, t);
    EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::gather), 0);
    EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::block_load), 1);
  }
}

TEST_F(Structure, ResidentRowsAreLoadedOnce) {
  GraphBuilder b;
  b.g.add_output(b.softmax(b.input(f32, {256, 4096})));
  const auto k = candidates(b, h200);
  EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::block_load), 1) << "a tile of 4096";
  EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::for_loop), 0);
  EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::reduce), 2) << "maximum and sum";
  EXPECT_EQ(k[0].kernel.num_warps, 4) << "a warp a chunk";
}

TEST_F(Structure, RowsWithoutVectorsAreGoneThroughByAllThreads) {
  GraphBuilder b;
  b.g.add_output(b.softmax(b.input(f16, {256, 6007})));
  const auto k = candidates(b, h200);
  EXPECT_EQ(count_instructions(k[0].kernel.body, tile_ir::Op::block_load), 6)
      << "a tile a chunk, and no more chunks than there are";
  EXPECT_EQ(k[0].kernel.num_warps, 8);
}

void collect(const tile_ir::Region& r, tile_ir::Op op, std::vector<const tile_ir::Instruction*>& found) {
  for (const tile_ir::Instruction& i : r.body) {
    if (i.op == op) found.push_back(&i);
    for (const tile_ir::Region& inner : i.regions) collect(inner, op, found);
  }
}

TEST_F(Structure, RowsBetweenBoundariesAreStoredByVectors) {
  const auto kernel = [&](int64_t rows, int64_t length) {
    GraphBuilder b;
    const Value x = b.input(f16, {rows, length}), of_columns = b.input(f16, {1, length});
    b.g.add_output(b.binary("add", b.binary("mul", x, of_columns), b.input(f16, {rows, 1})));
    return candidates(b, h200)[0].kernel;
  };
  const auto alignments = [](const tile_ir::Kernel& k, tile_ir::Op op) {
    std::vector<const tile_ir::Instruction*> found;
    collect(k.body, op, found);
    std::vector<int32_t> a;
    for (const tile_ir::Instruction* i : found) a.push_back(i->access->alignment);
    std::ranges::sort(a);
    return a;
  };
  const tile_ir::Kernel odd = kernel(2048, 1021);
  EXPECT_EQ(alignments(odd, tile_ir::Op::block_store), std::vector<int32_t>{8});
  EXPECT_EQ(alignments(odd, tile_ir::Op::block_load), (std::vector<int32_t>{1, 1, 8})) << "x lies as the result does";
  EXPECT_EQ(alignments(kernel(2048, 1024), tile_ir::Op::block_store), std::vector<int32_t>{1}) << "aligned anyway";
  EXPECT_EQ(alignments(kernel(2047, 1021), tile_ir::Op::block_store), std::vector<int32_t>{1}) << "no period of 8 rows";
  EXPECT_EQ(alignments(kernel(2048, 101), tile_ir::Op::block_store), std::vector<int32_t>{1}) << "too short";
}

TEST_F(Structure, PositionsOfExtremesAreFoldedWithThem) {
  const auto kernel = [&](DType t, std::vector<graph::Expr> shape, const Dims& dims, bool extreme) {
    GraphBuilder b;
    const Value x = b.input(t, shape);
    if (extreme) b.g.add_output(b.reduce("amax", x, dims));
    b.g.add_output(b.reduce("argmax", x, dims));
    return candidates(b, h200)[0].kernel;
  };
  for (const DType t : {bf16, f32}) {
    const tile_ir::Kernel all = kernel(t, {1 << 24}, {0}, false), columns = kernel(t, {16384, 4096}, {0}, true);
    for (const tile_ir::Kernel& k : {all, columns})
      EXPECT_EQ(count_instructions(k.body, tile_ir::Op::grid_reduce), 1) << "elements are read once";
  }
  const auto reduces = [&](const tile_ir::Kernel& k) { return count_instructions(k.body, tile_ir::Op::reduce); };
  EXPECT_EQ(reduces(kernel(f32, {4096, 4096}, {1}, false)), 1);
  EXPECT_EQ(reduces(kernel(f64, {4096, 4096}, {1}, false)), 2) << "no key holds 64 bits and a position";
  const tile_ir::Kernel beside = kernel(f32, {4096, 4096}, {1}, true);
  EXPECT_EQ(reduces(beside), 2);
  for (const tile_ir::Type& t : tile_ir::value_types(beside))
    EXPECT_FALSE(t.is_tile && t.dtype == u64) << "rows stay, so that keys of 64 bits are not worth it";
}

/// The shape of the first tile that is loaded.
std::vector<int32_t> loaded_tile(const tile_ir::Kernel& k) {
  std::vector<const tile_ir::Instruction*> loads;
  collect(k.body, tile_ir::Op::block_load, loads);
  if (loads.empty()) return {};
  const tile_ir::Type& t = loads[0]->type;
  return {t.dims.begin(), t.dims.begin() + t.rank};
}

TEST_F(Structure, ColumnsWithoutVectorsAreNarrower) {
  const auto tile = [&](int64_t columns) {
    GraphBuilder b;
    b.g.add_output(b.reduce("sum", b.input(bf16, {15, 5120, columns}), {1}));
    return loaded_tile(candidates(b, h200)[0].kernel);
  };
  EXPECT_EQ(tile(400), (std::vector<int32_t>{8, 128})) << "a vector of 8 from each of 4 rows a lane";
  EXPECT_EQ(tile(401), (std::vector<int32_t>{4, 64})) << "8 elements a lane";
}

TEST_F(Structure, FoldsGoAsElementsAreLoaded) {
  GraphBuilder b;
  const Value x = b.op("permute", {b.input(f32, {5119, 9861})}, graph::CallAttributes().integers({1, 0}));
  b.g.add_output(b.binary("mul", b.softmax(x), b.input(f32, {1, 5119})));
  EXPECT_EQ(loaded_tile(candidates(b, h200)[0].kernel), (std::vector<int32_t>{256, 32}))
      << "neither what is stored nor a weight decides";
}

}  // namespace
}  // namespace sinter::schedule
