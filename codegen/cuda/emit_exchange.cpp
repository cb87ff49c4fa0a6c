// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/tile/layout/emit_linear.h"

namespace sinter::cuda {
namespace {

/// Booleans and 32-bit types travel as one word, 64-bit types as two.
int exchange_bytes(const Type& t) { return t.dtype.bits() == 64 ? 8 : 4; }

}  // namespace

/// One buffer serves every exchange of the kernel in turn; whoever uses it waits for the one before.
void Emitter::use_shared(uint32_t bytes) {
  shared_bytes_ = std::max(shared_bytes_, static_cast<int>(bytes));
  if (shared_dirty_ && exchanges_wait_) line("__syncthreads();");
  shared_dirty_ = true;
}

tile_ir::ConvertPlan Emitter::conversion(const Instruction& in) const {
  const ValueId from = in.operands[0], to = in.results[0];
  const std::optional<DType> wire = wire_[static_cast<size_t>(to)];
  return tile_ir::plan_conversion(layout(from), layout(to),
                                  {wire ? wire->bytes() : exchange_bytes(type(to)), static_shared_limit});
}

/// The elements of a load that are still in the loaded words, by register: one-element words of the storage type.
std::vector<std::string> Emitter::raw_elements(ValueId v) {
  const auto it = loaded_.find(v);
  if (it == loaded_.end()) throw CompileError("internal: a load was taken apart before its conversion");
  const int bytes = pointer(*definitions_[static_cast<size_t>(v)]).dtype.bytes();
  std::vector<std::string> elements(static_cast<size_t>(layout(v).registers()));
  for (size_t i = 0; i < it->second.words.size(); ++i) {
    const tile_ir::VectorAccess& a = it->second.access.vectors[i];
    for (size_t j = 0; j < a.registers.size(); ++j)
      for (int r : a.registers[j])
        elements[static_cast<size_t>(r)] = fmt::format("sn_get_raw_{}({}.w, {})", bytes, it->second.words[i], j);
  }
  loaded_.erase(it);
  return elements;
}

/// Element j of words that travelled, as the result's type.
std::string Emitter::taken(const Instruction& in, const std::string& words, size_t j) const {
  const ValueId to = in.results[0];
  const auto wire = wire_[static_cast<size_t>(to)];
  if (wire) return element_text(to, *wire, words, fmt::format("{}", j));
  const DType t = type(to).dtype;
  return fmt::format("sn_get_{}({}, {})", t == boolean ? "u32" : t.name(), words, j);
}

void Emitter::convert(const Instruction& in) {
  const ValueId from = in.operands[0], to = in.results[0];
  const Instruction* d = definitions_[static_cast<size_t>(from)];
  declare(to, name(to));
  if (is_inlined(from) && (d->op != Op::broadcast || !type(d->operands[0]).is_tile)) {
    // Nothing to move: it can be printed in the target layout at once.
    const RegisterText at = open_loops(layout(to));
    line("{}[{}] = {};", name(to), at.r, reference(from, layout(to), at));
    close_loops(layout(to));
    return;
  }
  const tile_ir::ConvertPlan plan = conversion(in);
  if (plan.kind == tile_ir::ConvertKind::shuffle) return convert_shuffle(in, plan.shuffle);
  if (plan.kind == tile_ir::ConvertKind::shared) return convert_shared(in, plan.shared);
  const bool raw = wire_[static_cast<size_t>(to)].has_value();
  const std::vector<std::string> elements = raw ? raw_elements(from) : std::vector<std::string>{};
  const std::string array = raw ? "" : materialized(from);
  for (int r = 0; r < layout(to).registers(); ++r) {
    const int source = plan.kind == tile_ir::ConvertKind::identity ? r : plan.rename[static_cast<size_t>(r)];
    line("{}[{}] = {};", name(to), r,
         raw ? taken(in, elements[static_cast<size_t>(source)] + ".w", 0) : fmt::format("{}[{}]", array, source));
  }
}

void Emitter::swaps(const std::string& array, const std::string& element, const LinearLayout& l,
                    const std::vector<tile_ir::ConditionalSwap>& list) {
  for (const tile_ir::ConditionalSwap& s : list) {
    std::string parity;
    if (s.lane_mask != 0) parity = fmt::format("__popc(lane & {}u)", s.lane_mask);
    if (s.warp_mask != 0) parity += fmt::format("{}__popc(warp & {}u)", parity.empty() ? "" : " + ", s.warp_mask);
    line("if (({}) & 1) {{", parity);
    ++indent_;
    for (int r = 0; r < l.registers(); ++r) {
      const int other = r ^ static_cast<int>(s.xor_mask);  // within a part: register bits are the low ones
      if (other > r && other / l.registers_per_part() == r / l.registers_per_part())
        line("{{ const {0} t = {1}[{2}]; {1}[{2}] = {1}[{3}]; {1}[{3}] = t; }}", element, array, r, other);
    }
    close();
  }
}

void Emitter::convert_shuffle(const Instruction& in, const tile_ir::ShufflePlan& plan) {
  const ValueId from = in.operands[0], to = in.results[0];
  const auto wire = wire_[static_cast<size_t>(to)];
  const std::string element = wire ? "unsigned" : compute_name(type(to).dtype);
  open();
  std::string source = wire ? "" : materialized(from), target = wire ? fresh("b") : name(to);
  if (wire) line("unsigned {}[{}];", target, layout(to).registers());
  if (wire || !plan.before.empty()) {
    const std::string copy = fresh("b");
    const std::vector<std::string> elements = wire ? raw_elements(from) : std::vector<std::string>{};
    line("{} {}[{}];", element, copy, layout(from).registers());
    for (int r = 0; r < layout(from).registers(); ++r)
      line("{}[{}] = {};", copy, r,
           wire ? elements[static_cast<size_t>(r)] + ".w[0]" : fmt::format("{}[{}]", source, r));
    source = copy;
  }
  swaps(source, element, layout(from), plan.before);
  shuffle_steps(plan, source, target, wire ? wire->bytes() : 4);
  swaps(target, element, layout(to), plan.after);
  for (const tile_ir::RegisterMove& m : plan.copies) line("{0}[{1}] = {0}[{2}];", target, m.target, m.source);
  if (wire)
    for (int r = 0; r < layout(to).registers(); ++r)
      line("{}[{}] = {};", name(to), r, taken(in, fmt::format("&{}[{}]", target, r), 0));
  close();
}

void Emitter::shuffle_steps(const tile_ir::ShufflePlan& plan, const std::string& source, const std::string& target,
                            int bytes) {
  const tile_ir::LinearText lane = tile_ir::emit_thread_function(plan.source_lane, "lane", "warp");
  if (plan.between_lanes) line("const unsigned from = {};", lane.text);
  for (const tile_ir::ShuffleStep& s : plan.steps) {
    if (!plan.between_lanes) {
      for (size_t i = 0; i < s.sources.size(); ++i)
        line("{}[{}] = {}[{}];", target, s.targets[i], source, s.sources[i]);
      continue;
    }
    const std::string from = s.lane_xor == 0 ? "(int)from" : fmt::format("(int)(from ^ {}u)", s.lane_xor);
    if (s.sources.size() == 1) {
      line("{}[{}] = sn_shuffle({}[{}], {});", target, s.targets[0], source, s.sources[0], from);
      continue;
    }
    std::string word;  // several narrow elements in one
    for (size_t i = 0; i < s.sources.size(); ++i)
      word += fmt::format("{}{}[{}]{}", i > 0 ? " | " : "", source, s.sources[i],
                          i > 0 ? fmt::format(" << {}", 8 * static_cast<size_t>(bytes) * i) : "");
    const std::string w = fresh("w");
    line("const unsigned {} = sn_shuffle({}, {});", w, word, from);
    for (size_t i = 0; i < s.targets.size(); ++i)
      line("{}[{}] = {} >> {} & {:#x}u;", target, s.targets[i], w, 8 * static_cast<size_t>(bytes) * i,
           (1u << 8 * bytes) - 1);
  }
}

void Emitter::convert_shared(const Instruction& in, const tile_ir::SharedPlan& plan) {
  const ValueId from = in.operands[0], to = in.results[0];
  open();
  const std::string source = wire_[static_cast<size_t>(to)] ? "" : materialized(from);
  use_shared(plan.bytes);
  const tile_ir::LinearText store = tile_ir::emit_thread_function(plan.store_offset, "lane", "warp");
  const tile_ir::LinearText load = tile_ir::emit_thread_function(plan.load_offset, "lane", "warp");
  line("const unsigned to = {}, from = {};", store.text, load.text);
  const std::string barrier = plan.scope == tile_ir::SyncScope::warp ? "__syncwarp();" : "__syncthreads();";
  std::string holders;
  if (plan.copy_lanes != 0) holders = fmt::format("(lane & {}u) == 0", plan.copy_lanes);
  if (plan.copy_warps != 0)
    holders += fmt::format("{}(warp & {}u) == 0", holders.empty() ? "" : " && ", plan.copy_warps);
  const std::vector<std::string> raw = source.empty() ? raw_elements(from) : std::vector<std::string>{};
  const DType t = type(to).dtype;
  const std::string wire(t == boolean ? "u32" : t.name());
  const int bytes = source.empty() ? wire_[static_cast<size_t>(to)]->bytes() : exchange_bytes(type(to));
  for (size_t round = 0; round < plan.rounds.size(); ++round) {
    if (round > 0) line("{}", barrier);
    if (!holders.empty()) {
      line("if ({}) {{", holders);
      ++indent_;
    }
    for (const tile_ir::SharedAccess& a : plan.rounds[round].stores) {
      const int n = bytes * static_cast<int>(a.registers.size());
      std::string puts;
      for (size_t j = 0; j < a.registers.size(); ++j)
        puts += source.empty()
                    ? fmt::format("sn_put_raw_{}(w.w, {}, {}); ", bytes, j, raw[static_cast<size_t>(a.registers[j])])
                    : fmt::format("sn_put_{}(w.w, {}, {}[{}]); ", wire, j, source, a.registers[j]);
      line("{{ sn_words<{0}> w = {{}}; {1}sn_shared_store<{0}>(shared + (to ^ {2}u), w); }}", n, puts, a.offset);
    }
    if (!holders.empty()) close();
    line("{}", barrier);
    for (const tile_ir::SharedAccess& a : plan.rounds[round].loads) {
      std::string gets;
      for (size_t j = 0; j < a.registers.size(); ++j)
        gets += fmt::format("{}[{}] = {}; ", name(to), a.registers[j], taken(in, "w.w", j));
      line("{{ const sn_words<{0}> w = sn_shared_load<{0}>(shared + (from ^ {1}u)); {2}}}",
           bytes * static_cast<int>(a.registers.size()), a.offset, gets);
    }
  }
  for (const tile_ir::RegisterMove& m : plan.copies) line("{0}[{1}] = {0}[{2}];", name(to), m.target, m.source);
  close();
}

}  // namespace sinter::cuda
