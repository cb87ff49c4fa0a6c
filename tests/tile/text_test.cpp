// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sinter/error.h>

#include <fstream>
#include <span>
#include <sstream>

#include "codegen/tile/builder.h"
#include "codegen/tile/ir.h"

namespace sinter::tile_ir {
namespace {

std::string read_program(const std::string& name) {
  std::ifstream in(std::string(SINTER_SOURCE_DIR) + "/tests/tile/" + name);
  EXPECT_TRUE(in.good()) << name;
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}

void expect_identity(const Kernel& kernel) {
  verify(kernel);
  const std::string once = print(kernel);
  const Kernel again = parse(once);
  verify(again);
  EXPECT_EQ(print(again), once);
  EXPECT_EQ(again.value_count, kernel.value_count);
}

/// One kernel with every operation of the logical form.
Kernel everything() {
  KernelBuilder b("everything");
  const int x = b.add_pointer("x", u8, {.alignment = 16});
  const int y = b.add_pointer("y", f32, {.written = true, .no_alias = false, .alignment = 64});
  const int status = b.add_pointer("status", u64, {.written = true});
  const int counts = b.add_pointer("counts", u32, {.written = true});
  const int n = b.add_scalar("n", i64, 4);
  b.kernel().comments = {"image.cpp:12", "", "  indented"};
  const Value pid = b.program_id(), extent = b.parameter(n), zero = b.constant(u32, 0.0);
  Access interleaved{
      .base = Index(pid), .parts = along(0, 1), .dims = {along(8, 3, extent)}, .row_extent = {}, .alignment = 8};
  const Value pixels = b.block_load(x, interleaved, {64}, 3, zero);
  const Value numbers = b.convert(pixels, f32);
  Value scaled = b.fma(numbers, b.constant(f32, 1.0 / 255), b.constant(f32, -0.0));
  scaled = b.round_to(scaled, bf16);
  const Value total = b.reduce(ReduceKind::sum, parts_dim, b.reduce(ReduceKind::amax, 0, scaled));
  const Value bits = b.bitcast(b.trans(b.reshape(scaled, {4, 16}), {1, 0}), u32);
  const Value odd = b.eq(b.bit_and(bits, b.constant(Type::scalar(u32), 1)), b.constant(Type::scalar(u32), 1));
  b.status_check(status, odd, 0x1200000007);
  const Value offsets = b.add(b.iota(0, b.type(scaled)), b.mul(b.iota(parts_dim, b.type(scaled)), b.constant(i32, 64)));
  const Value inside = b.lt(offsets, b.constant(i32, 100));
  const Value gathered = b.gather(y, offsets, inside, b.constant(Type::scalar(f32), 0x7fc00001));
  const std::vector<Value> sums =
      b.for_loop(b.literal(0), extent, b.literal(2), {gathered, total}, [&](Value i, std::span<const Value> carried) {
        const Value even = b.eq(b.irem(i, b.literal(4)), b.literal(0));
        const std::vector<Value> next = b.if_then(
            even, [&] { return std::vector<Value>{b.add(carried[0], scaled)}; },
            [&] { return std::vector<Value>{b.mul(carried[0], scaled)}; });
        return std::vector<Value>{next[0], carried[1]};
      });
  const KernelBuilder::Store store{.number = 1, .dtype = bf16, .slots = 3};
  b.keep(store, b.literal(2), scaled);
  const Value folded = b.reduce(ReduceKind::sum, parts_dim, b.recall(store, b.literal(2), b.type(scaled)));
  const Value own[] = {folded, b.reduce(ReduceKind::sum, 0, folded)};
  b.cluster_reduce(ReduceKind::amin, own, 3);
  b.kernel().cluster = 7;
  const Value rows = b.iota(1, Type::tile(i32, {4, 8})), pairs[] = {b.convert(rows, f32), rows};
  b.scan(1, pairs, [&](std::span<const Value> earlier, std::span<const Value> later) {
    const Value takes = b.le(earlier[0], later[0]);
    return std::vector<Value>{b.max(earlier[0], later[0]), b.select(takes, later[1], earlier[1])};
  });
  b.if_then(b.lt(pid, extent), [&] {
    b.scatter(y, offsets, b.add(sums[0], sums[1]), inside);
    b.scatter(counts, offsets, b.constant(u32, 1), inside, ReduceKind::sum);
    b.scatter(counts, offsets, b.constant(u32, 7), {}, ReduceKind::amax);
    return std::vector<Value>{};
  });
  Access row{
      .base = Index(0), .parts = along(0, 64), .dims = {along(0, 1)}, .row_masked = true, .row_extent = Index(extent)};
  b.block_store(y, row, scaled, CachePolicy::streaming);
  return b.finish();
}

TEST(TileText, PrintParsePrintIsIdentity) {
  expect_identity(everything());
  for (const char* name : {"softmax.tile", "transpose.tile", "grid_sum.tile", "grid_cumsum.tile", "kept_rows.tile",
                           "../cuda_text/kernels/cluster_rows.tile", "../cuda_text/kernels/tables.tile",
                           "../cuda_text/kernels/staged_rows.tile"})
    expect_identity(parse(read_program(name)));
}

TEST(TileText, NumbersReadBackBitExactly) {
  const uint64_t f32_bits[] = {0x00000000, 0x80000000, 0x3dcccccd, 0x00000001, 0x7f7fffff, 0x7f800000,
                               0xff800000, 0x7fc00000, 0xffc12345, 0x3f800001, 0xbf800000, 0x4b800001};
  for (const uint64_t bits : f32_bits) {
    KernelBuilder b("k");
    b.constant(Type::scalar(f32), bits);
    b.constant(Type::scalar(f64), bits << 32 | bits);
    b.constant(Type::tile(i32, {4}), bits);
    b.constant(Type::scalar(u32), bits);
    b.constant(Type::scalar(i64), bits << 32);
    b.constant(Type::scalar(u64), ~bits);
    b.constant(Type::scalar(boolean), bits & 1);
    const Kernel k = b.finish(), again = parse(print(k));
    for (size_t i = 0; i < k.body.body.size(); ++i) EXPECT_EQ(again.body.body[i].bits, k.body.body[i].bits) << print(k);
  }
}

TEST(TileText, HandWrittenConstants) {
  const Kernel k = parse(R"(
kernel numbers (
) {
  %a = constant -inf : f32      // a comment
  %b = constant nan : f64
  %c = constant bits 0x7fc00001 : f32

  %d = constant -1 : i32[8]
  %e = constant 1e-3 : f32
}
)");
  verify(k);
  ASSERT_EQ(k.body.body.size(), 5u);
  EXPECT_EQ(k.body.body[0].bits, 0xff800000u);
  EXPECT_EQ(k.body.body[1].bits, 0x7ff8000000000000u);
  EXPECT_EQ(k.body.body[2].bits, 0x7fc00001u);
  EXPECT_EQ(k.body.body[3].bits, 0xffffffffu);
  EXPECT_EQ(k.body.body[4].bits, std::bit_cast<uint32_t>(1e-3f));
}

TEST(TileText, NamesEndWithTheirRegion) {
  const Kernel k = parse(R"(kernel twice (@n: i64) {
  %n = parameter @n : i64
  %o = constant 0 : i64
  %s = constant 1 : i64
  for %i = %o to %n step %s {
    %t = add %i, %s : i64
  }
  for %i = %o to %n step %s {
    %t = sub %i, %s : i64
  }
})");
  verify(k);
  EXPECT_EQ(k.value_count, 7);
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(TileText, ParserNamesLineAndColumn) {
  const Refused cases[] = {
      {"kernel k () {\n  %a = frobnicate %b : f32\n}", "line 2, column 8: 'frobnicate' is no operation"},
      {"kernel k () {\n  %a = add %b, %c : f32\n}", "line 2, column 12: %b is not defined here"},
      {"kernel k () {\n  %a = constant 1 : f33\n}", "line 2, column 21: 'f33' is no dtype"},
      {"kernel k () {\n  %a = constant 1 : i32 %\n}", "a name must follow '%'"},
      {"kernel k () {\n  %a = constant 5000000000 : i32\n}", "is no integer in range"},
      {"kernel k () {\n  %a = parameter @n : i64\n}", "no parameter @n"},
      {"kernel k () {\n  %a = constant 1 : i32\n  %a = constant 1 : i32\n}", "line 3, column 3: %a is defined twice"},
      {"kernel k () {\n", "expected '}'"},
      {"kernel k () {\n  %a = constant 1 : f32[1x1x1x1x1]\n}", "at most 4 dims"},
  };
  for (const Refused& c : cases) {
    try {
      parse(c.text);
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const CompileError& e) {
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
}

/// Bodies of kernels with some pointers.
void expect_refused(std::span<const Refused> cases) {
  for (const Refused& c : cases) {
    const std::string text =
        std::string("kernel k (@x: f32*, @y: f32* written, @w: u32* written may_alias) {\n") + c.text + "\n}";
    try {
      verify(parse(text));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const CompileError& e) {
      EXPECT_NE(std::string(e.what()).find(c.message), std::string::npos) << e.what();
    }
  }
}

TEST(TileVerify, RefusesBrokenKernels) {
  const Refused cases[] = {
      {"%a = constant 1 : f32[3]", "no power of two"},
      {"%a = constant 1 : f16[4]", "no compute type"},
      {"%a = add %5, %5 : f32", "%5 is not defined here"},
      {"%a = constant 1 : f32\n%b = add %a, %a : f32[4]", "operand 0 is f32"},
      {"%a = constant 1 : f32\n%b = lt %a, %a : f32", "the result is boolean"},
      {"%a = constant 1 : f32\n%b = bit_and %a, %a : f32", "do not fit"},
      {"%a = constant 1 : f32[4]\n%b = broadcast %a : f32[8]", "does not stretch"},
      {"%a = constant 1 : f32[4]\n%b = reshape %a : f32[8]", "does not reshape"},
      {"%a = constant 1 : f32[4x2]\n%b = trans %a [0, 0] : f32[4x2]", "permut"},
      {"%a = constant 1 : f32[4x2]\n%b = trans %a [1, 0] : f32[4x2]", "the permuted type is f32[2x4]"},
      {"%a = constant 1 : f32[4]\n%b = reduce sum 0 %a : f32[4]", "the folded type is f32[1]"},
      {"%a = block_load @x + 0 [0 * 1] : f32[4x4]", "the access has 1 dims"},
      {"%a = block_load @x + 0 [0 * 1 < 3] : f32[4]", "0 operands, expected 1"},
      {"%a = block_load @x + 0 [0 * 1] : i32[4]", "@x gives f32"},
      {"%a = block_load @x + 0 [0 * 1, align 6] : f32[4]", "a power of two"},
      {"%a = constant 1 : f32[4]\nblock_store @x + 0 [0 * 1], %a", "@x is not declared written"},
      {"%a = constant true : boolean\nstatus_check @y, %a, 1", "the status word is u32 or u64"},
      {"%a = constant 0 : i64\n%r = for %i = %a to %a step %a carry %c = %a : i64 {\n  %z = constant 1 : f32\n  yield "
       "%z\n}",
       "yields f32"},
      {"%a = constant true : boolean\nif %a {\n  %z = constant 1 : f32\n}\n%b = add %1, %1 : f32", "not defined here"},
      {"%a = constant 1 : f32\nyield %a", "yield outside a region"},
      {"%a = constant 1 : f32[4]\n%s, %e = scan 0 %a by %p and %q : f32[4], f32[4] {\n  yield %p\n}",
       "f32[4] and f32[1]"},
      {"%a = constant 1 : f32[4]\n%s, %e = scan 1 %a by %p and %q : f32[4], f32[1] {\n  yield %p\n}", "no such dim"},
      {"%a = constant 1 : f32[4]\n%s, %e = scan 0 %a by %p and %q : f32[4], f32[1] {\n  yield %a\n}",
       "a combine reads its arguments alone"},
      {"%a = constant 1 : f32[4]\n%s, %e = scan 0 %a by %p and %q : f32[4], f32[1] {\n  %r = program_id : i64\n  "
       "yield %p\n}",
       "a combine is of scalar ops"},
      {"%g = constant 1 : i64\n%t = ticket %g @w : i64\n%u = ticket %g @w : i64", "a program takes one ticket"},
      {"%g = constant 1 : i64\n%a = constant 1 : f32[4]\n"
       "%p = grid_scan %g, %g of %g places 64 @w, %a by %c and %d : f32[4] {\n  yield %d\n}",
       "tiles of one element"},
      {"%g = constant 1 : i64\n%a = constant 1 : f32[1]\n"
       "%p = grid_scan %g, %g of %g places 0 @w, %a by %c and %d : f32[1] {\n  yield %d\n}",
       "1 to 65536 places"},
      {"%g = constant 0 : i64\n%l = arrive %g, %g @y : boolean", "@y must be u32* written may_alias"},
      {"%g = constant 0 : i64\n%l = arrive %g, %g @w : boolean\n%m = arrive %g, %g @w : boolean", "meet twice"},
      {"%g = constant 0 : i64\nfor %i = %g to %g step %g {\n  %l = arrive %g, %g @w : boolean\n}", "meet in a loop"},
      {"%g = constant 0 : i64\n%a = constant 1 : f32[4]\n"
       "%l, %s = grid_reduce %g, %g of %g most 0 @y, sum %a @y : boolean, f32[4]",
       "1 to 65536 pieces"},
      {"%g = constant 0 : i64\n%a = constant 1 : f32[4]\n"
       "%l, %s = grid_reduce %g, %g of %g most 4 @y, sum %a @y : boolean, f32[4]",
       "@y must be u32* written may_alias"},
  };
  expect_refused(cases);
}

TEST(TileVerify, RefusesBrokenStoresAndClusters) {
  const Refused cases[] = {
      {"%s = constant 0 : i64\n%a = recall 0 of 2 f16 [%s] : f32[4]", "nothing was kept there"},
      {"%s = constant 0 : i64\n%a = constant 1 : f32[4]\nkeep 0 of 2 i32 [%s], %a", "a tile of i32 is kept as i32"},
      {"%s = constant 0 : i64\n%a = constant 1 : f32[4]\nkeep 0 of 2 f16 [%s], %a\nkeep 0 of 3 f16 [%s], %a",
       "another tile, dtype or number of slots"},
      {"%s = constant 0 : i64\n%a = constant 1 : f32[4]\nkeep 0 of 2 f16 [%s], %a\n%b = recall 0 of 2 f16 [%s] : "
       "f32[8]",
       "another tile, dtype or number of slots"},
      {"%a = constant 1 : f32[4]\n%b = cluster_reduce sum 1 of %a : f32[4]", "a tile of one element"},
      {"%a = constant 1 : f32[4]\n%b = cluster_reduce sum 1 of %a : f64[1]", "tiles of the result's type"},
      {"%a = constant 1 : f32[4]\n%b = cluster_reduce sum 5 of %a : f32[1]", "4 elements, of which 5 are folded"},
      {"%o = constant 0 : i32[4]\n%a = constant 1 : u32[4]\nscatter @w [%o], %a fold amax table 8",
       "only sums meet in a table"},
      {"%o = constant 0 : i32[4]\n%a = constant 1 : u32[4]\nscatter @w [%o], %a fold sum table 8\n"
       "scatter @w [%o], %a fold sum table 9",
       "a pointer has one table"},
      {"%a = constant true : boolean\nif %a {\n  %z = constant 1 : f32[1]\n  %b = cluster_reduce sum 1 of %z : "
       "f32[1]\n}",
       "outside of loops and branches"},
  };
  expect_refused(cases);
}

TEST(TileVerify, RefusesBrokenRuns) {
  const Refused cases[] = {
      {"%n = constant 64 : i64\nstage 0 @y + %n, %n of 64 by 16", "is not written"},
      {"%n = constant 64 : f32\nstage 0 @x + %n, %n of 64 by 16", "base and count are i64 scalars"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 64 by 8", "a multiple of 16"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 65536 by 16", "at most 64 pieces"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 0 by 16", "1 to 1048576 elements"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 64 by 16\nstage 0 @x + %n, %n of 64 by 16", "staged once"},
      {"%n = constant 64 : i64\nfor %i = %n to %n step %n {\n  stage 0 @x + %n, %n of 64 by 16\n}", "outside of loops"},
      {"%a = block_load @x + 0 [0 * 1, run 0] : f32[16]", "no such run"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 64 by 16\n%a = block_load @w + 0 [0 * 1, run 0] : u32[16]",
       "no such run"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 64 by 16\n%a = block_load @x + 0 [0 * 2, run 0] : f32[16]",
       "side by side"},
      {"%n = constant 64 : i64\nstage 0 @x + %n, %n of 64 by 16\n%a = constant 1 : f32[16]\n"
       "block_store @y + 0 [0 * 1, run 0], %a",
       "no such run"},
  };
  expect_refused(cases);
}

TEST(TileBuilder, InfersTypesAndBroadcasts) {
  KernelBuilder b("k");
  const Value one = b.constant(f32, 1.0);
  const Value tile = b.broadcast(one, Type::tile(f32, {4, 1}, 3));
  const Value row = b.broadcast(b.constant(f32, 2.0), Type::tile(f32, {1, 8}));
  const Value sum = b.add(tile, row);
  EXPECT_EQ(b.type(sum).text(), "f32[3*4x8]");
  EXPECT_EQ(b.type(b.lt(sum, one)).text(), "boolean[3*4x8]");
  EXPECT_EQ(b.type(b.convert(sum, u8)).text(), "u32[3*4x8]");
  EXPECT_EQ(b.type(b.select(b.lt(one, one), sum, one)).text(), "f32[3*4x8]");
  EXPECT_THROW(b.add(sum, b.broadcast(one, Type::tile(f32, {2, 8}))), CompileError);
  EXPECT_THROW(b.add(sum, b.literal(1)), CompileError);
  EXPECT_THROW(b.bit_not(one), CompileError);
}

}  // namespace
}  // namespace sinter::tile_ir
