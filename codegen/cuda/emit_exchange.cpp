// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/tile/layout/emit_linear.h"

namespace sinter::cuda {
namespace {

/// Booleans and 32-bit types travel as one word, 64-bit types as two.
int exchange_bytes(const Type& t) { return t.dtype.bits() == 64 ? 8 : 4; }

constexpr uint32_t static_shared_limit = 48 << 10;

}  // namespace

/// One buffer serves every exchange of the kernel in turn; whoever uses it waits for the one before.
void Emitter::use_shared(uint32_t bytes) {
  shared_bytes_ = std::max(shared_bytes_, static_cast<int>(bytes));
  line("__syncthreads();");
}

void Emitter::convert(const Instruction& in) {
  const ValueId from = in.operands[0], to = in.results[0];
  const tile::ConvertPlan plan =
      tile::plan_conversion(layout(from), layout(to), {exchange_bytes(type(to)), static_shared_limit});
  if (is_inlined(from)) {  // nothing to move: it can be printed in the target layout at once
    declare(to, name(to));
    const RegisterText at = open_loops(layout(to));
    line("{}[{}] = {};", name(to), at.r, reference_inlined(from, to, at));
    close_loops(layout(to));
    return;
  }
  declare(to, name(to));
  switch (plan.kind) {
    case tile::ConvertKind::identity:
      for (int r = 0; r < layout(to).registers(); ++r) line("{0}[{2}] = {1}[{2}];", name(to), name(from), r);
      break;
    case tile::ConvertKind::rename:
      for (size_t r = 0; r < plan.rename.size(); ++r) line("{}[{}] = {}[{}];", name(to), r, name(from), plan.rename[r]);
      break;
    case tile::ConvertKind::shuffle:
      convert_shuffle(in, plan.shuffle);
      break;
    case tile::ConvertKind::shared:
      convert_shared(in, plan.shared);
      break;
  }
}

void Emitter::swaps(const std::string& array, const Type& t, const LinearLayout& l,
                    const std::vector<tile::ConditionalSwap>& list) {
  for (const tile::ConditionalSwap& s : list) {
    std::string parity;
    if (s.lane_mask != 0) parity = fmt::format("__popc(lane & {}u)", s.lane_mask);
    if (s.warp_mask != 0) parity += fmt::format("{}__popc(warp & {}u)", parity.empty() ? "" : " + ", s.warp_mask);
    line("if (({}) & 1) {{", parity);
    ++indent_;
    for (int r = 0; r < l.registers(); ++r) {
      const int other = r ^ static_cast<int>(s.xor_mask);  // within a part: register bits are the low ones
      if (other > r && other / l.registers_per_part() == r / l.registers_per_part())
        line("{{ const {0} t = {1}[{2}]; {1}[{2}] = {1}[{3}]; {1}[{3}] = t; }}", compute_name(t.dtype), array, r,
             other);
    }
    close();
  }
}

void Emitter::convert_shuffle(const Instruction& in, const tile::ShufflePlan& plan) {
  const ValueId from = in.operands[0], to = in.results[0];
  const Type& t = type(to);
  open();
  std::string source = name(from);
  if (!plan.before.empty()) {
    source = fresh("b");
    line("{} {}[{}];", compute_name(t.dtype), source, layout(from).registers());
    for (int r = 0; r < layout(from).registers(); ++r) line("{}[{}] = {}[{}];", source, r, name(from), r);
    swaps(source, t, layout(from), plan.before);
  }
  const tile::LinearText lane = tile::emit_thread_function(plan.source_lane, "lane", "warp");
  if (plan.between_lanes) line("const unsigned from = {};", lane.text);
  for (const tile::ShuffleStep& s : plan.steps)
    for (size_t i = 0; i < s.sources.size(); ++i) {
      if (plan.between_lanes)
        line("{}[{}] = sn_shuffle({}[{}], (int)(from ^ {}u));", name(to), s.targets[i], source, s.sources[i],
             s.lane_xor);
      else
        line("{}[{}] = {}[{}];", name(to), s.targets[i], source, s.sources[i]);
    }
  swaps(name(to), t, layout(to), plan.after);
  for (const tile::RegisterMove& m : plan.copies) line("{0}[{1}] = {0}[{2}];", name(to), m.target, m.source);
  close();
}

void Emitter::convert_shared(const Instruction& in, const tile::SharedPlan& plan) {
  const ValueId from = in.operands[0], to = in.results[0];
  const DType t = type(to).dtype;
  const int bytes = exchange_bytes(type(to));
  // Words of the storage type of the same width; booleans travel as integers.
  const std::string wire(t == boolean ? "u32" : t.name());
  open();
  use_shared(plan.bytes);
  const tile::LinearText store = tile::emit_thread_function(plan.store_offset, "lane", "warp");
  const tile::LinearText load = tile::emit_thread_function(plan.load_offset, "lane", "warp");
  line("const unsigned to = {}, from = {};", store.text, load.text);
  const std::string barrier = plan.scope == tile::SyncScope::warp ? "__syncwarp();" : "__syncthreads();";
  std::string holders;
  if (plan.copy_lanes != 0) holders = fmt::format("(lane & {}u) == 0", plan.copy_lanes);
  if (plan.copy_warps != 0)
    holders += fmt::format("{}(warp & {}u) == 0", holders.empty() ? "" : " && ", plan.copy_warps);
  for (size_t round = 0; round < plan.rounds.size(); ++round) {
    if (round > 0) line("{}", barrier);
    if (!holders.empty()) {
      line("if ({}) {{", holders);
      ++indent_;
    }
    for (const tile::SharedAccess& a : plan.rounds[round].stores) {
      const int n = bytes * static_cast<int>(a.registers.size());
      std::string puts;
      for (size_t j = 0; j < a.registers.size(); ++j)
        puts += fmt::format("sn_put_{}(w.w, {}, {}[{}]); ", wire, j, name(from), a.registers[j]);
      line("{{ sn_words<{0}> w = {{}}; {1}sn_shared_store<{0}>(shared + (to ^ {2}u), w); }}", n, puts, a.offset);
    }
    if (!holders.empty()) close();
    line("{}", barrier);
    for (const tile::SharedAccess& a : plan.rounds[round].loads) {
      const int n = bytes * static_cast<int>(a.registers.size());
      std::string gets;
      for (size_t j = 0; j < a.registers.size(); ++j)
        gets += fmt::format("{}[{}] = sn_get_{}(w.w, {}); ", name(to), a.registers[j], wire, j);
      line("{{ const sn_words<{0}> w = sn_shared_load<{0}>(shared + (from ^ {1}u)); {2}}}", n, a.offset, gets);
    }
  }
  for (const tile::RegisterMove& m : plan.copies) line("{0}[{1}] = {0}[{2}];", name(to), m.target, m.source);
  close();
}

}  // namespace sinter::cuda
