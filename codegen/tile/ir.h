// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/scalar/fold.h"
#include "src/scalar/scalar_ops.h"

namespace sinter::tile_ir {

using scalar::ReduceKind;
using scalar::ScalarOp;
using ValueId = int32_t;

/// Type of a tile IR value: a scalar (rank 0, parts 1; uniform over the block), or a tile: power-of-two dims times one
/// integer `parts` dimension that lives in registers. Elements are compute types (boolean i32 u32 i64 u64 f32 f64);
/// storage dtypes exist only behind pointers. Printed `f32`, `f32[16x64]`, `f32[3*1024]` (parts * dims).
struct Type {
  DType dtype = f32;
  int32_t parts = 1;
  int8_t rank = 0;
  bool is_tile = false;  ///< a tile of rank 0 with parts is possible: f32[3*]
  std::array<int32_t, 4> dims{1, 1, 1, 1};

  static Type scalar(DType t) {
    Type r;
    r.dtype = t;
    return r;
  }
  static Type tile(DType t, std::vector<int32_t> dims, int32_t parts = 1);
  Type with(DType t) const {
    Type r = *this;
    r.dtype = t;
    return r;
  }
  int64_t part_elements() const;  ///< product(dims)
  int64_t elements() const;       ///< parts * product(dims)
  std::string text() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// A kernel parameter: one 8-byte slot. Pointers are global memory of a storage dtype; scalars are i64 extents or
/// numbers of a compute type.
struct Parameter {
  std::string name;
  bool is_pointer = false;
  DType dtype;
  bool written = false;      ///< pointer: stored to; otherwise read only for the whole kernel
  bool no_alias = true;      ///< pointer: overlaps no written parameter
  int32_t alignment = 1;     ///< pointer: known alignment in bytes
  int64_t divisibility = 1;  ///< i64 scalar: known divisor
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

enum class Op : uint8_t {
  // scalars and coordinates
  constant,    ///< bits, broadcast to the type if it is a tile
  parameter,   ///< scalar parameter `index`
  program_id,  ///< i64: linear id of this block
  iota,        ///< i32 tile: coordinate along `dim` (parts_dim for the parts dimension)
  // shape
  broadcast,  ///< scalar -> tile; dims (or parts) of extent 1 stretch
  reshape,    ///< row-major, same number of elements, same parts
  trans,      ///< permutation `perm` of the dims
  // arithmetic
  scalar,  ///< scalar op on equal shapes, `dtype` is its attribute
  // memory
  block_load,   ///< strided box of pointer `index` through Access; operand: the fill (a scalar) if the access is masked
  block_store,  ///< operand: the value; elements out of bounds are not written
  gather,       ///< operands: offset tile (i32/i64 elements), then mask and fill (scalar or tile) if `masked`
  scatter,      ///< operands: offset tile, value, then mask if `masked`. With `fold` each element is folded into
  ///< memory at once (sum, amax, amin of 32- and 64-bit integers): offsets may be equal, here and in other
  ///< programs. With `table` they lie in [0, table) and are sums, which may first meet in memory of the
  ///< program: one table for each pointer, added to memory when the program ends
  keep,    ///< operands: slot (i64), tile. Leaves the tile in memory of the program; see below
  recall,  ///< operand: slot (i64). The tile that was kept last in the slot
  stage,   ///< operands: base, count (i64). Sends for elements ahead of the loads that read them; see Run
  // folds
  reduce,  ///< folds `dim` (or parts_dim; it stays with extent 1) in the canonical order; `index` is the ReduceKind
  scan,    ///< combines along `dim` up to each element, in the canonical order; see below
  grid_reduce,     ///< folds values of several programs in the canonical order; see GridFold
  grid_scan,       ///< combines what the programs before this one end with; see below
  cluster_reduce,  ///< operands: tiles. Folds in a binary tree, lowest bit first, what the programs of a cluster have:
                   ///< of each the first `bits` elements, tile by tile; of the programs those of the lowest number
                   ///< first. All of them have the result, a tile of one element. `index` is the ReduceKind
  // control
  for_loop,      ///< operands: lo, hi, step (i64), then initial values of the carried ones; one region
  if_then,       ///< operand: scalar boolean; two regions; results are what they yield
  yield,         ///< ends a region
  status_check,  ///< operand: boolean tile or scalar `bad`; where true, sets the word behind pointer `index` (u32 or
                 ///< u64)
                 ///< to `bits` unless it is already set
  arrive,  ///< operands: group, count (i64). Counts the programs of a group that came here, in word `group` behind
           ///< pointer `index` (u32): true in the last of `count`, which sees what the others stored and leaves
           ///< the word 0, as it was found
  ticket,  ///< operand: how many programs there are (i64). How many took a ticket before this one (i64), so that
           ///< whatever has a lower one is running or done; counted in word 0 behind pointer `index` (u32), left 0
  // laid-out form only
  convert_layout,  ///< same tile in another layout
};

/// "constant", "block_load", ..., "if", "for": the spelling in the text form. A scalar op is spelled by its own name.
std::string_view op_name(Op op);
std::optional<Op> find_op(std::string_view name);

inline constexpr std::string_view reduce_kind_names[] = {"sum", "prod", "amax", "amin"};

inline constexpr int parts_dim = -1;

/// An operand of an access: a literal or an i64 scalar value.
struct IndexOperand {
  ValueId value = -1;
  int64_t literal = 0;
  bool is_literal() const { return value < 0; }
  friend bool operator==(const IndexOperand&, const IndexOperand&) = default;
};

/// One dimension of a strided box. Element k of the tile dim is at coordinate c = origin + k; its address contribution
/// is c * stride elements. Masked dims: out of bounds where c < 0 or c >= extent.
struct AccessDim {
  IndexOperand origin;
  IndexOperand stride;
  bool masked = false;
  IndexOperand extent;
  friend bool operator==(const AccessDim&, const AccessDim&) = default;
};

/// Strided access of a tile: address = pointer + base + sum over dims. `parts` describes the parts dimension.
///
/// A row that fills several parts, only the last one partly, is bounded as a whole: with row_masked, part k and element
/// i of the last dim are out of bounds where (parts.origin + k) * (extent of the last dim) + (dims.back().origin + i)
/// >= row_extent. Neither of the two is masked by itself then.
///
/// `alignment` is a promise: the tile's first address, in elements, is a multiple of this power of two, where the
/// scalars that it is made of do not show it.
///
/// `run` (block_load only) is a promise as well: those elements that lie inside the bounds are among the run's.
struct Access {
  IndexOperand base;
  AccessDim parts;
  std::vector<AccessDim> dims;
  bool row_masked = false;
  IndexOperand row_extent;
  int32_t alignment = 1;
  int32_t run = -1;
  bool is_masked() const;  ///< any element can be out of bounds
  friend bool operator==(const Access&, const Access&) = default;
};

/// Elements behind a pointer that nobody writes, one behind the other from a stage's `base` on, at most `most`. What a
/// load reads of them is what memory holds: a stage changes no value, and the CPU passes it over. On CUDA it sends for
/// them by bulk copies into shared memory, whatever address they begin at; `piece` of them arrive together, and a
/// thread waits for the pieces that it reads. A program stages a run once, outside of loops and branches.
struct Run {
  int32_t number = 0;
  int64_t most = 1;
  int64_t piece = 1;  ///< a multiple of 16
  int64_t pieces() const { return (most + piece - 1) / piece; }
  friend bool operator==(const Run&, const Run&) = default;
};

/// A fold over programs: `pieces` programs of a group each hold what they folded of one run of elements, in order; the
/// runs are subtrees of the canonical order, so their values meet in a binary tree, lowest bit first. The program that
/// comes last folds them.
///
/// grid_reduce: operands group, piece, pieces (i64, pieces <= most), then one value for each kind. Results: is this the
/// program that came last (boolean), then in that program the folded values, elsewhere the program's own. Where a group
/// is one program, nothing is stored. Becomes block_store, arrive and reduce before code is generated
/// (expand_grid_reduces.h).
struct GridFold {
  std::vector<ReduceKind> kinds;
  std::vector<int32_t> partials;  ///< a written pointer for each value: groups * pieces * slots_per_piece * elements
  int32_t arrivals = -1;          ///< written pointer (u32): groups * pieces zero words are enough
  int32_t most = 1;               ///< pieces at most
  friend bool operator==(const GridFold&, const GridFold&) = default;
};

// keep, recall: store `index` has `bits` slots, each of one tile whose elements are of the storage type `dtype` (what
// is kept was rounded to it). All instructions of a store agree on these and on the tile's type. A program recalls only
// what it kept before. On CUDA every thread keeps its own elements in shared memory, in the layout they have, so that
// no thread waits for another.

// scan: n operands, tiles of one shape of one part, are the values of the elements. Its region has 2 n scalar
// arguments, the values of an earlier and of a later element, and yields their combination; it consists of constants
// and scalar ops on these. Results: the n scanned tiles, then the n values that the dim ends with, in which it has
// extent 1. A dim of 2^m elements is scanned in m steps: in step k, each element j with bit k set becomes the
// combination of the one at ((j
// >> k) << k) - 1 and itself.

// grid_scan: operands number, piece, count (i64), then n values, tiles of one element: what a program's run of a
// sequence ends with. Programs are numbered 0 to count - 1 by their tickets; those of a sequence are neighbours, the
// first one is piece 0. Results: what the pieces before this one end with, combined strictly from left to right by the
// region, as a scan's; in piece 0 the program's own values. A program waits for such with lower numbers. They leave
// values in one or two rings of `bits` places behind pointer `index` (u32): words 1 and from 4 on are used, found 0 and
// left 0. There must be more places than programs that can be running.

enum class CachePolicy : uint8_t {
  standard,
  streaming /* CPU stores go past the caches; CUDA has no use for it (docs/decisions/0007) */
};

struct Instruction;

struct Region {
  std::vector<ValueId> arguments;  ///< for_loop: induction variable, then carried values
  std::vector<Type> argument_types;
  std::vector<Instruction> body;
};

/// One instruction. Values are numbered per kernel; `results` has one entry, none for stores, several for for/if.
struct Instruction {
  Op op;
  ScalarOp scalar{};
  Type type = {};     ///< of the single result
  DType dtype = f32;  ///< attribute of a scalar op
  std::vector<ValueId> operands = {};
  std::vector<ValueId> results = {};
  std::vector<Type> result_types = {};  ///< for_loop, if_then with several results
  uint64_t bits = 0;
  int32_t index = -1;  ///< parameter index (parameter, memory, status), reduce kind
  int32_t dim = 0;
  std::array<int8_t, 4> perm{0, 1, 2, 3};
  bool masked = false;                  ///< gather, scatter
  std::optional<ReduceKind> fold = {};  ///< scatter
  int32_t table = 0;                    ///< scatter: 0, or the elements of a table of the program
  CachePolicy policy = CachePolicy::standard;
  std::shared_ptr<Access> access = {};
  std::shared_ptr<GridFold> grid = {};
  std::shared_ptr<Run> run = {};  ///< stage
  std::vector<Region> regions = {};
};

/// A program over blocks. Logical form: no layouts. Every value is defined once, before its uses.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  Region body;
  int32_t value_count = 0;
  int32_t num_warps = 4;              ///< CUDA: threads = 32 * num_warps
  int32_t cluster = 1;                ///< programs n * cluster and the next ones run together. CUDA only
  std::vector<std::string> comments;  ///< printed as leading comment of the generated text
};

/// Text form; print(parse(print(k))) is print(k). Syntax: docs/architecture.md and tests/tile.
std::string print(const Kernel& kernel);
/// One instruction without its regions.
std::string print(const Kernel& kernel, const Instruction& instruction);
/// Values are %name or %number, parameters @name; comments start with //. Throws CompileError naming line and column.
Kernel parse(std::string_view text);
/// Throws CompileError naming the instruction: types, shapes (powers of two), dominance, access operands, yields.
void verify(const Kernel& kernel);
/// Result types of an instruction: `type` or `result_types`, one for each of `results`.
std::vector<Type> result_types(const Instruction& instruction);

/// Types of all values of a kernel, by id.
std::vector<Type> value_types(const Kernel& kernel);

/// Builds kernels: typed helpers that append to the current region. See codegen/tile/builder.h.
class KernelBuilder;

}  // namespace sinter::tile_ir
