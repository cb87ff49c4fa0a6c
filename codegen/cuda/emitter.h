// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/tile/axis_analysis.h"
#include "codegen/tile/laid_out.h"
#include "codegen/tile/layout/convert.h"
#include "codegen/tile/memory_access.h"

namespace sinter::cuda {

using tile_ir::Instruction;
using tile_ir::LinearLayout;
using tile_ir::Op;
using tile_ir::Region;
using tile_ir::ScalarOp;
using tile_ir::Type;
using tile_ir::ValueId;

/// Bytes that a kernel may declare; more would have to be asked for at launch.
constexpr int static_shared_limit = 48 << 10;
/// Bytes that a block can have on the machine that gives most.
constexpr int most_shared_bytes = 227 << 10;

/// The registers that a statement inside a loop speaks of: C expressions for the part, the register within it, and the
/// position in the value's array.
struct RegisterText {
  std::string part, q, r;
};

/// Where a bit of the element number is held: one bit of one group.
struct Holder {
  tile_ir::BitGroup group = tile_ir::BitGroup::reg;
  int bit = -1;
};
/// Throws CompileError unless the bit stands alone in the layout, as in those of folded and scanned tiles.
Holder holder_of(const LinearLayout& layout, uint32_t element_bit);

/// Prints one kernel. Elementwise instructions over one layout gather in a pending group that becomes one unrolled loop
/// over the thread's registers; loads are printed ahead of the groups they do not depend on.
class Emitter {
 public:
  /// Elements along a masked dim are inside where (unsigned)(position + what the register adds) < room.
  struct Mask {
    int dim = 0;  ///< or parts_dim
    int row = 0;  ///< length of the last dim, if parts and last dim are bounded as one row
    std::string position = {}, room = {};
    std::string whole = {};         ///< uniform condition: the whole tile is inside
    int64_t divisor = 1;            ///< of both bounds
    bool may_begin_before = false;  ///< a tile's first element may lie before the bounds
  };

  Emitter(const tile_ir::LaidOutKernel& kernel, bool exchanges_wait);
  std::string body_text();
  int shared_bytes() const { return shared_bytes_; }
  int kept_bytes() const { return kept_bytes_; }
  /// Where blocks of a cluster leave their values for each other.
  int meeting_bytes() const { return meeting_bytes_; }
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  struct Group {
    std::vector<const Instruction*> instructions;
    std::set<ValueId> defines;
  };
  struct BlockAccess {
    std::string pointer;  ///< the thread's
    std::vector<tile_ir::VectorAccess> vectors;
    std::vector<Mask> masks;
    bool vector_masks = true;  ///< no bound cuts a vector
  };
  /// A block_load whose elements have not been taken out of the loaded words yet.
  struct Loaded {
    BlockAccess access;
    std::vector<std::string> words = {};  ///< of each vector
    bool fill_apart = false;              ///< the words do not hold the fill
  };

  // flow (emit_flow.cpp)
  void region(const Region& r);
  static size_t reduces_from(const Region& r, size_t first);
  void instruction(const Instruction& in);
  void for_loop(const Instruction& in);
  void if_then(const Instruction& in);
  void assign_yields(const Region& r, const std::vector<ValueId>& targets);
  void copy_value(const std::string& to, ValueId from);
  void declare(ValueId v, const std::string& name);
  void scalar_instruction(const Instruction& in);
  void rename(const Instruction& in);
  void collect_uses(const Region& r);
  void collect_storage();
  std::optional<DType> storage_of(ValueId v) const;
  bool stays_raw(ValueId v, DType storage) const;
  bool exchanges(const Region& r) const;

  // elementwise groups (emit_elementwise.cpp)
  void add_to_group(const Instruction& in);
  void flush_for(const Instruction& in);
  void flush_definers(const std::set<ValueId>& needed, const std::string& except);
  void flush(const std::string& key);
  void flush_all();
  void ready(ValueId v);
  std::string reference(ValueId v, const LinearLayout& layout, const RegisterText& at);
  std::string register_text(ValueId v, const LinearLayout& layout, int r);
  std::string materialized(ValueId v);
  std::string coordinate(const LinearLayout& layout, int dim, const RegisterText& at);
  RegisterText stretched(const Instruction& broadcast, const RegisterText& at);
  std::string expression(const Instruction& in, const std::vector<std::string>& operands) const;
  void sources(ValueId v, std::set<ValueId>& out) const;
  bool is_inlined(ValueId v) const;
  RegisterText open_loops(const LinearLayout& layout, int step = 1);
  void close_loops(const LinearLayout& layout);
  std::string thread_coordinate(const LinearLayout& layout, int dim);

  // memory (emit_memory.cpp)
  std::string index(const tile_ir::IndexOperand& o) const;
  std::string load_name(const Instruction& in, bool conditional, int bytes) const;
  BlockAccess block_access(const Instruction& in, const LinearLayout& layout, const Type& tile);
  std::string block_pointer(const Instruction& in, const LinearLayout& layout, const Type& tile);
  void add_masks(BlockAccess& access, const Instruction& in, const LinearLayout& layout);
  std::string offset_text(const Instruction& in, const LinearLayout& layout, int r) const;
  static std::string inside(const Mask& mask, const LinearLayout& layout, int r);
  static std::string inside(const BlockAccess& access, const LinearLayout& layout, int r);
  static std::optional<std::string> inside(const BlockAccess& access, const LinearLayout& layout,
                                           const tile_ir::VectorAccess& vector);
  static std::string whole(const BlockAccess& access);
  std::optional<std::array<uint32_t, 2>> fill_words(const Instruction& in) const;
  void block_load(const Instruction& in);
  void load_whole_or_parts(const Instruction& in, const Loaded& loaded, const std::array<uint32_t, 2>& fill);
  void unpack(ValueId v);
  std::string element_text(ValueId v, DType storage, const std::string& words, const std::string& j) const;
  std::string fill_text(ValueId v, const std::string& fill) const;
  void block_store(const Instruction& in);
  std::string packed(ValueId v, const LinearLayout& layout, const tile_ir::VectorAccess& access, DType storage);
  void gather(const Instruction& in);
  int gathered_vector(const Instruction& in);
  void scatter(const Instruction& in);
  void status_check(const Instruction& in);
  std::string only_holders(const LinearLayout& layout) const;

  // between threads (emit_exchange.cpp)
  tile_ir::ConvertPlan conversion(const Instruction& in) const;
  void convert(const Instruction& in);
  void convert_shuffle(const Instruction& in, const tile_ir::ShufflePlan& plan);
  void shuffle_steps(const tile_ir::ShufflePlan& plan, const std::string& source, const std::string& target, int bytes);
  void convert_shared(const Instruction& in, const tile_ir::SharedPlan& plan);
  std::vector<std::string> raw_elements(ValueId loaded);
  std::string taken(const Instruction& in, const std::string& words, size_t j) const;
  void swaps(const std::string& name, const std::string& type, const LinearLayout& layout,
             const std::vector<tile_ir::ConditionalSwap>& swaps);
  void use_shared(uint32_t bytes);

  // folds (emit_reduce.cpp)
  /// A reduce under way.
  struct Fold {
    std::string array;     ///< of the thread's values, as many as the operand has registers
    const char* function;  ///< of two of them
    DType type;
    const LinearLayout* from;
    ValueId to;
    int dim;
    int bit = 0;                      ///< of the dim: those below are folded, in `lane_bits` or in `warp_bits`
    std::vector<int> live = {};       ///< registers that hold partial results
    std::vector<int> lane_bits = {};  ///< over which the lanes must meet now
    std::vector<int> warp_bits = {};  ///< over which the warps must meet now
    /// By live register, where its value stands if not in all lanes: a variable in the lane of that number.
    std::map<int, std::pair<std::string, int>> apart = {};
    uint32_t done = 0;  ///< bits of the dim above `bit` that are folded, where the order does not matter
    int bytes() const { return type.bits() == 64 ? 8 : 4; }
  };
  /// One partial result: the register of a fold, and where it goes in shared memory.
  struct Partial {
    Fold* fold;
    int r, offset;
    std::string text() const { return fmt::format("{}[{}]", fold->array, r); }
  };
  void reduce(std::span<const Instruction> list);
  void cluster_reduce(const Instruction& in);
  void leave_for_cluster(ValueId v, int place, int elements);
  void begin_fold(Fold& fold);
  void fold_own(Fold& fold);
  bool fold_until_threads_meet(Fold& fold);
  void fold_lanes(std::vector<Fold>& folds);
  std::string fold_lanes_together(std::span<const Partial> partials);
  void spread_over_lanes(Fold& fold, uint32_t bits);
  static bool warps_meet_next(const Fold& fold);
  void store_apart(std::span<const Partial> partials);
  void store_folded(const Fold& fold);
  void fold_parts(const Fold& fold);
  void fold_bit(Fold& fold, uint32_t column);
  void fold_sequentially(Fold& fold, const std::vector<uint32_t>& bits);
  void fold_warps(std::vector<Fold>& folds);
  static bool one_value_a_warp(const Fold& fold);
  void fold_by_threads(const Partial& partial);
  void fold_by_lanes(std::span<const Partial> partials);

  // memory of the program (emit_kept.cpp)
  void collect_stores(const Region& r);
  void program_memory(const Instruction& in);
  std::string kept_place(const Instruction& in, int vector);
  tile_ir::VectorAccess kept_vector(const Instruction& in, int number) const;
  int kept_vectors(const Instruction& in) const;
  ValueId kept_value(const Instruction& in) const { return in.op == Op::keep ? in.operands[1] : in.results[0]; }
  std::string kept_words(const Instruction& in, const tile_ir::VectorAccess& vector);
  void keep(const Instruction& in);
  void recall(const Instruction& in);

  // emit_tables.cpp
  /// Sums that meet in the block's memory first.
  struct Table {
    int begin = 0;  ///< in the kept memory
    int elements = 0;
    int bytes = 0;
  };
  void collect_tables(const Region& r);
  void clear_tables();
  void add_tables();

  // runs that are on their way to the program's memory (emit_runs.cpp)
  /// Offsets in the kept memory.
  struct StagedRun {
    const Instruction* stage = nullptr;
    int elements = 0;  ///< up to 15 bytes before the first one
    int arrived = 0;   ///< a word for each piece
  };
  void reserve(const Instruction& stage);
  void stage(const Instruction& in);
  std::string run_pointer(const Instruction& in, const LinearLayout& layout);

  // scans (emit_scan.cpp)
  void scan(const Instruction& in);
  void grid_scan(const Instruction& in);
  std::string combine_function(const Instruction& in);
  std::vector<int> end_registers(const Instruction& in) const;

  template <class... A>
  void line(fmt::format_string<A...> f, A&&... a) {
    out_.append(static_cast<size_t>(2 * indent_), ' ');
    fmt::format_to(std::back_inserter(out_), f, std::forward<A>(a)...);
    out_ += '\n';
  }
  void open() {
    line("{{");
    ++indent_;
  }
  void close() {
    --indent_;
    line("}}");
  }
  const Type& type(ValueId v) const { return k_.types[static_cast<size_t>(v)]; }
  const LinearLayout& layout(ValueId v) const { return k_.layouts[static_cast<size_t>(v)]; }
  const std::string& name(ValueId v) const { return names_[static_cast<size_t>(v)]; }
  const tile_ir::Parameter& pointer(const Instruction& in) const {
    return k_.kernel.parameters[static_cast<size_t>(in.index)];
  }
  /// Of what an instruction gives in loaded words.
  DType storage_type(const Instruction& in) const { return in.op == Op::recall ? in.dtype : pointer(in).dtype; }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, fresh_++); }

  const tile_ir::LaidOutKernel& k_;
  const bool exchanges_wait_;
  tile_ir::ScalarInfo info_;
  std::string out_;
  int indent_ = 1;
  int fresh_ = 0;
  int shared_bytes_ = 0;
  int kept_bytes_ = 0;
  int meeting_bytes_ = 0;            ///< of the cluster_reduces printed
  int meetings_left_ = 0;            ///< cluster_reduces to come
  std::map<int32_t, int> stores_;    ///< where each begins in the kept memory
  std::map<int32_t, Table> tables_;  ///< by pointer
  std::map<int32_t, StagedRun> runs_;
  bool shared_dirty_ = false;  ///< somebody may still read or write the shared memory of the exchange before
  std::vector<std::string> names_, parameters_;
  std::vector<const Instruction*> definitions_;
  std::vector<std::vector<const Instruction*>> users_;
  std::vector<std::optional<DType>> wire_;  ///< by result of convert_layout: travels as this narrow storage type
  std::vector<bool> reads_as_float_;        ///< small integers that are only converted to f32: never integers here
  std::vector<bool> raw_;                   ///< only stored as it was loaded: the array holds the bits
  std::map<ValueId, Loaded> loaded_;
  std::optional<tile_ir::AxisAnalysis> axes_;           ///< made for the first gather
  std::map<ValueId, ValueId> alias_;                    ///< values that share another's array
  std::vector<std::pair<std::string, Group>> pending_;  ///< by layout text, in order of opening
  std::unordered_map<std::string, std::string> thread_coordinates_;
  std::string prologue_;  ///< thread coordinates, printed first
};

}  // namespace sinter::cuda
