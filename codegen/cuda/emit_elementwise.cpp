// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/slow_parts.h"
#include "codegen/tile/layout/emit_linear.h"

namespace sinter::cuda {

namespace {

/// C text of the bits of `variable`, which has `bits` of them, at the set bits of mask, packed (PEXT).
std::string compress_bits(const std::string& variable, int bits, uint32_t mask) {
  std::vector<uint32_t> columns;
  uint32_t next = 1;
  for (int bit = 0; bit < bits; ++bit) {
    columns.push_back((mask >> bit & 1) != 0 ? next : 0);
    if ((mask >> bit & 1) != 0) next <<= 1;
  }
  if (columns.empty()) return "0";
  const tile_ir::LinearInput input{variable, columns};
  return tile_ir::emit_linear({&input, 1}).text;
}

}  // namespace

bool Emitter::is_inlined(ValueId v) const {
  const Instruction* d = definitions_[static_cast<size_t>(v)];
  return d != nullptr && type(v).is_tile && (d->op == Op::constant || d->op == Op::iota || d->op == Op::broadcast);
}

/// The values whose arrays a statement about v reads.
void Emitter::sources(ValueId v, std::set<ValueId>& out) const {
  if (const auto alias = alias_.find(v); alias != alias_.end()) return sources(alias->second, out);
  if (!is_inlined(v)) {
    out.insert(v);
    return;
  }
  for (ValueId o : definitions_[static_cast<size_t>(v)]->operands) sources(o, out);
}

/// Prints the pending groups but one that define what is needed.
void Emitter::flush_definers(const std::set<ValueId>& needed, const std::string& except) {
  const auto defines = [&](const auto& pending) {
    return pending.first != except &&
           std::ranges::any_of(needed, [&](ValueId v) { return pending.second.defines.contains(v); });
  };
  // A flush may flush others; look again until nothing pending is needed.
  for (auto it = std::ranges::find_if(pending_, defines); it != pending_.end();
       it = std::ranges::find_if(pending_, defines))
    flush(std::string(it->first));
}

/// Everything that the instruction reads is in its array, but the words of a load that it takes as they are.
void Emitter::flush_for(const Instruction& in) {
  std::set<ValueId> needed;
  for (ValueId v : in.operands) sources(v, needed);
  flush_definers(needed, "");
  if (in.op == Op::convert_layout && wire_[static_cast<size_t>(in.results[0])]) return;
  if (in.op == Op::keep && loaded_.contains(in.operands[1])) return;
  for (ValueId v : needed) unpack(v);
}

void Emitter::ready(ValueId v) {
  std::set<ValueId> needed;
  sources(v, needed);
  flush_definers(needed, "");
  for (ValueId n : needed) unpack(n);
}

void Emitter::add_to_group(const Instruction& in) {
  if (in.scalar == ScalarOp::convert && reads_as_float_[static_cast<size_t>(in.operands[0])]) {
    names_[static_cast<size_t>(in.results[0])] = name(in.operands[0]);
    alias_[in.results[0]] = in.operands[0];
    return;
  }
  const std::string key = tile_ir::to_string(layout(in.results[0]));
  std::set<ValueId> needed;
  for (ValueId v : in.operands) sources(v, needed);
  flush_definers(needed, key);
  auto it = std::ranges::find(pending_, key, &std::pair<std::string, Group>::first);
  if (it == pending_.end()) it = pending_.insert(pending_.end(), {key, {}});
  it->second.instructions.push_back(&in);
  it->second.defines.insert(in.results[0]);
}

/// With a step, each iteration is about as many registers, of which it speaks of the first.
RegisterText Emitter::open_loops(const LinearLayout& l, int step) {
  RegisterText at{"0", "0", "0"};
  if (l.parts() > 1) {
    line("#pragma unroll");
    line("for (int p = 0; p < {}; ++p) {{", l.parts());
    ++indent_;
    at.part = "p";
  }
  if (l.registers_per_part() > 1) {
    line("#pragma unroll");
    line("for (int q = 0; q < {}; {}) {{", l.registers_per_part(), step == 1 ? "++q" : fmt::format("q += {}", step));
    ++indent_;
    at.q = "q";
  }
  if (l.parts() == 1 && l.registers_per_part() == 1) open();
  at.r = l.parts() == 1                ? at.q
         : l.registers_per_part() == 1 ? at.part
                                       : fmt::format("p * {} + q", l.registers_per_part());
  return at;
}

void Emitter::close_loops(const LinearLayout& l) {
  if (l.parts() == 1 && l.registers_per_part() == 1) close();
  if (l.registers_per_part() > 1) close();
  if (l.parts() > 1) close();
}

std::string Emitter::thread_coordinate(const LinearLayout& l, int dim) {
  const tile_ir::LinearText text = tile_ir::emit_thread_coordinate(l, dim, "lane", "warp");
  if (text.bits == 0) return "0";
  auto [it, added] = thread_coordinates_.try_emplace(text.text, "");
  if (added) {
    it->second = fmt::format("t{}", thread_coordinates_.size() - 1);
    prologue_ += fmt::format("  const int {} = (int){};\n", it->second, text.text);
  }
  return it->second;
}

std::string Emitter::coordinate(const LinearLayout& l, int dim, const RegisterText& at) {
  if (dim == tile_ir::parts_dim) return at.part;
  std::vector<uint32_t> columns;
  for (int b = 0; b < l.bits(tile_ir::BitGroup::reg); ++b)
    columns.push_back(static_cast<uint32_t>(l.basis(tile_ir::BitGroup::reg, b)[static_cast<size_t>(dim)]));
  std::string thread = thread_coordinate(l, dim);
  if (std::ranges::all_of(columns, [](uint32_t c) { return c == 0; }) || at.q == "0") return thread;
  const tile_ir::LinearInput input{at.q, columns};
  const std::string reg = tile_ir::emit_linear({&input, 1}).text;
  if (thread == "0") return fmt::format("(int)({})", reg);
  return l.registers_separate() ? fmt::format("({} + (int)({}))", thread, reg)
                                : fmt::format("({} ^ (int)({}))", thread, reg);
}

RegisterText Emitter::stretched(const Instruction& in, const RegisterText& at) {
  const ValueId from = in.operands[0], to = in.results[0];
  const LinearLayout& lf = layout(from);
  LinearLayout l = layout(to);
  for (int d = l.rank(); d-- > 0;)  // from the last: removing a dim renumbers those after it
    if (type(from).dims[static_cast<size_t>(d)] == 1) l = l.remove_dim(d);
  const uint32_t kept = ~l.free_bits(tile_ir::BitGroup::reg) & (static_cast<uint32_t>(l.registers_per_part()) - 1);
  RegisterText r;
  r.part = lf.parts() == 1 ? "0" : at.part;
  r.q = at.q == "0" ? "0" : compress_bits(at.q, l.bits(tile_ir::BitGroup::reg), kept);
  r.r = r.part == "0" ? r.q
        : r.q == "0"  ? fmt::format("{} * {}", r.part, lf.registers_per_part())
                      : fmt::format("{} * {} + {}", r.part, lf.registers_per_part(), r.q);
  return r;
}

std::string Emitter::reference(ValueId v, const LinearLayout& l, const RegisterText& at) {
  if (!type(v).is_tile) return name(v);
  if (is_inlined(v)) {
    const Instruction& d = *definitions_[static_cast<size_t>(v)];
    if (d.op == Op::constant) return literal(d.type.dtype, d.bits);
    if (d.op == Op::iota) return coordinate(l, d.dim, at);
    const ValueId from = d.operands[0];
    if (!type(from).is_tile) return reference(from, l, at);
    return reference(from, layout(from), stretched(d, at));
  }
  for (const auto& [key, group] : pending_)
    if (group.defines.contains(v)) return name(v);
  return fmt::format("{}[{}]", name(v), at.r);
}

/// The same for one register, by its number.
std::string Emitter::register_text(ValueId v, const LinearLayout& l, int r) {
  const int per_part = l.registers_per_part();
  return reference(v, l, {fmt::format("{}", r / per_part), fmt::format("{}", r % per_part), fmt::format("{}", r)});
}

/// Name of an array of a value's registers; values that are printed where they are used get one here.
std::string Emitter::materialized(ValueId v) {
  if (!is_inlined(v)) return name(v);
  std::string array = fresh("b");
  declare(v, array);
  copy_value(array, v);
  return array;
}

std::string Emitter::expression(const Instruction& in, const std::vector<std::string>& operands) const {
  std::string_view pattern = scalar::info(in.scalar).cuda;
  std::string s;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      s += pattern[i];
      continue;
    }
    const char c = pattern[i + 1];
    i += 2;
    if (c == 't')
      s += compute_name(scalar::compute_type(in.dtype));
    else if (c == 'd')
      s += in.dtype.name();
    else
      s += operands[static_cast<size_t>(c - '0')];
  }
  return s;
}

/// Prints a group as one loop: values that only the group uses are locals, the others arrays.
void Emitter::flush(const std::string& key) {
  auto it = std::ranges::find(pending_, key, &std::pair<std::string, Group>::first);
  if (it == pending_.end()) return;
  Group group = std::move(it->second);
  pending_.erase(it);
  const LinearLayout l = layout(group.instructions[0]->results[0]);
  std::set<ValueId> read;
  for (const Instruction* in : group.instructions)
    for (ValueId v : in->operands) sources(v, read);
  for (ValueId v : read) unpack(v);
  std::set<const Instruction*> inside(group.instructions.begin(), group.instructions.end());
  std::set<ValueId> escaping;
  for (ValueId v : group.defines)
    if (std::ranges::any_of(users_[static_cast<size_t>(v)], [&](const Instruction* u) { return !inside.contains(u); }))
      escaping.insert(v);
  for (ValueId v : escaping) declare(v, name(v));
  const RegisterText at = open_loops(l);
  const auto operands_of = [&](const Instruction& in) {
    std::vector<std::string> operands;
    for (ValueId v : in.operands)
      operands.push_back(group.defines.contains(v) && !escaping.contains(v) ? name(v) : reference(v, l, at));
    return operands;
  };
  const auto target_of = [&](const Instruction& in, const char* qualifier) {
    const ValueId v = in.results[0];
    if (escaping.contains(v)) return fmt::format("{}[{}]", name(v), at.r);
    return fmt::format("{}{} {}", qualifier, compute_name(type(v).dtype), name(v));
  };
  const auto parts = slow_parts(group.instructions, escaping, users_);
  std::set<const Instruction*> inner;
  for (const auto& [rare, part] : parts) inner.insert(part.begin(), part.end());
  const auto print = [&](const Instruction& in, const auto& self) -> void {
    const std::vector<std::string> operands = operands_of(in);
    const auto part = parts.find(&in);
    if (part == parts.end()) return line("{} = {};", target_of(in, "const "), expression(in, operands));
    line("{} = {};", target_of(in, ""), operands[1]);
    line("if ({}) {{", operands[0]);
    ++indent_;
    for (const Instruction* slow : part->second) self(*slow, self);
    line("{} = {};", escaping.contains(in.results[0]) ? target_of(in, "") : name(in.results[0]), operands[2]);
    close();
  };
  for (const Instruction* in : group.instructions)
    if (!inner.contains(in)) print(*in, print);
  close_loops(l);
}

/// Prints everything that is pending, so that nested regions find it.
void Emitter::flush_all() {
  while (!pending_.empty()) flush(std::string(pending_.front().first));
  std::vector<ValueId> loads;
  for (const auto& [v, loaded] : loaded_) {
    const Instruction* user = users_[static_cast<size_t>(v)].empty() ? nullptr : users_[static_cast<size_t>(v)][0];
    const bool travels =
        user != nullptr && user->op == Op::convert_layout && wire_[static_cast<size_t>(user->results[0])];
    if (user != nullptr && !travels) loads.push_back(v);
  }
  for (ValueId v : loads) unpack(v);
}

}  // namespace sinter::cuda
