// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/tile/laid_out.h"
#include "codegen/tile/layout/convert.h"
#include "codegen/tile/memory_access.h"

namespace sinter::cuda {

using tile::Instruction;
using tile::LinearLayout;
using tile::Op;
using tile::Region;
using tile::Type;
using tile::ValueId;

/// The registers that a statement inside a loop speaks of: C expressions for the part, the register within it, and the
/// position in the value's array.
struct RegisterText {
  std::string part, q, r;
};

/// Prints one kernel. Elementwise instructions over one layout gather in a pending group that becomes one unrolled loop
/// over the thread's registers; loads are printed ahead of the groups they do not depend on.
class Emitter {
 public:
  explicit Emitter(const tile::LaidOutKernel& kernel);
  std::string body_text();
  int shared_bytes() const { return shared_bytes_; }
  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  struct Group {
    std::vector<const Instruction*> instructions;
    std::set<ValueId> defines;
  };

  // flow (emit_flow.cpp)
  void region(const Region& r);
  void instruction(const Instruction& in);
  void for_loop(const Instruction& in);
  void if_then(const Instruction& in);
  void assign_yields(const Region& r, const std::vector<ValueId>& targets);
  void copy_value(const std::string& to, ValueId from);
  void declare(ValueId v, const std::string& name);
  void scalar_instruction(const Instruction& in);
  void parameters_text();
  void collect_uses(const Region& r);

  // elementwise groups (emit_elementwise.cpp)
  void add_to_group(const Instruction& in);
  void flush_for(const Instruction& in);
  void flush(const std::string& key);
  void flush_all();
  std::string reference(ValueId v, const LinearLayout& layout, const RegisterText& at);
  std::string coordinate(const LinearLayout& layout, int dim, const RegisterText& at);
  RegisterText stretched(const Instruction& broadcast, const RegisterText& at);
  std::string expression(const Instruction& in, const std::vector<std::string>& operands) const;
  void sources(ValueId v, std::set<ValueId>& out) const;
  bool is_inlined(ValueId v) const;
  const Instruction* slow_path_of(const Instruction& rare, const Group& group) const;
  RegisterText open_loops(const LinearLayout& layout);
  void close_loops(const LinearLayout& layout);
  std::string thread_coordinate(const LinearLayout& layout, int dim);

  // memory (emit_memory.cpp)
  struct BlockAddress {
    std::string pointer;  ///< thread's pointer
    std::string whole;    ///< uniform condition that the tile is inside; empty if not masked
  };
  BlockAddress block_address(const Instruction& in, const LinearLayout& layout, const Type& tile);
  std::string offset_text(const Instruction& in, int64_t offset) const;
  std::string register_offset(const Instruction& in, const LinearLayout& layout, const Type& tile,
                              const RegisterText& at);
  std::string inside(const Instruction& in, const LinearLayout& layout, const RegisterText& at);
  std::string index(const tile::IndexOperand& o) const;
  void block_load(const Instruction& in);
  void block_store(const Instruction& in);
  void vector_loads(const Instruction& in, const LinearLayout& layout, const std::string& address);
  void vector_stores(const Instruction& in, const LinearLayout& layout, ValueId value, const std::string& address);
  void gather(const Instruction& in);
  void scatter(const Instruction& in);
  void status_check(const Instruction& in);
  std::string only_holders(const LinearLayout& layout) const;
  std::string load_text(const Instruction& in, int bytes) const;

  // between threads (emit_exchange.cpp)
  void convert(const Instruction& in);
  void convert_shuffle(const Instruction& in, const tile::ShufflePlan& plan);
  void convert_shared(const Instruction& in, const tile::SharedPlan& plan);
  void swaps(const std::string& name, const Type& type, const LinearLayout& layout,
             const std::vector<tile::ConditionalSwap>& swaps);
  std::string reference_inlined(ValueId from, ValueId to, const RegisterText& at);
  void use_shared(uint32_t bytes);

  // folds (emit_reduce.cpp)
  void reduce(const Instruction& in);
  void fold_bit(const std::string& array, const LinearLayout& layout, uint32_t column, const char* f,
                std::vector<int>& live);
  void fold_sequentially(const std::string& array, const LinearLayout& layout, const std::vector<uint32_t>& bits,
                         const char* f, std::vector<int>& live);
  void fold_warps(const std::string& array, const LinearLayout& layout, const std::vector<int>& bits, DType t,
                  const char* f, const std::vector<int>& live);

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
  const tile::Parameter& pointer(const Instruction& in) const {
    return k_.kernel.parameters[static_cast<size_t>(in.index)];
  }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, fresh_++); }

  const tile::LaidOutKernel& k_;
  tile::ScalarInfo info_;
  std::string out_;
  int indent_ = 1;
  int fresh_ = 0;
  int shared_bytes_ = 0;
  bool shared_used_ = false;
  std::vector<std::string> names_, parameters_;
  std::vector<const Instruction*> definitions_;
  std::vector<std::vector<const Instruction*>> users_;
  std::vector<std::pair<std::string, Group>> pending_;  ///< by layout text, in order of opening
  std::unordered_map<std::string, std::string> thread_coordinates_;
  std::string prologue_;  ///< thread coordinates, printed first
};

/// Text forms shared by the emitter's parts.
std::string compress_bits(const std::string& variable, uint32_t mask, int bits);

}  // namespace sinter::cuda
