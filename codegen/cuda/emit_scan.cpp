// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/scan_text.h"

namespace sinter::cuda {

/// The combine region as a function of the values of an earlier and of a later element, which sets the results last:
/// they may be operands.
std::string Emitter::combine_function(const Instruction& in) {
  const Region& r = in.regions[0];
  std::string f = fresh("combine"), parameters;
  for (size_t k = 0; k < r.arguments.size(); ++k)
    parameters += fmt::format("const {} {}, ", compute_name(r.argument_types[k].dtype), name(r.arguments[k]));
  for (size_t k = 0; 2 * k < r.arguments.size(); ++k)
    parameters += fmt::format("{}{}& r{}", k > 0 ? ", " : "", compute_name(r.argument_types[k].dtype), k);
  line("const auto {} = []({}) {{", f, parameters);
  ++indent_;
  for (const Instruction& i : r.body) {
    if (i.op != Op::yield)
      scalar_instruction(i);
    else
      for (size_t k = 0; k < i.operands.size(); ++k) line("r{} = {};", k, name(i.operands[k]));
  }
  --indent_;
  line("}};");
  return f;
}

/// Registers that the ends of the dim stand in: by register of the result, the last one of the operand.
std::vector<int> Emitter::end_registers(const Instruction& in) const {
  const LinearLayout& l = layout(in.operands[0]);
  const uint32_t all = static_cast<uint32_t>(l.registers_per_part()) - 1;
  const LinearLayout without = l.remove_dim(in.dim);
  const uint32_t kept = all & ~without.free_bits(tile_ir::BitGroup::reg);
  uint32_t of_dim = 0;
  for (int k = 0; k < l.shape().log_dim(in.dim); ++k)
    if (const Holder h = holder_of(l, 1u << (l.shape().shift_of(in.dim) + k)); h.group == tile_ir::BitGroup::reg)
      of_dim |= 1u << h.bit;
  std::vector<int> registers;
  for (int r = 0; r < layout(in.results.back()).registers(); ++r)
    registers.push_back(static_cast<int>(tile_ir::spread_bits(static_cast<uint32_t>(r), kept) | of_dim));
  return registers;
}

void Emitter::scan(const Instruction& in) {
  const size_t n = in.operands.size();
  std::vector<std::string> arrays;
  std::vector<DType> types;
  const auto is_read = [&](ValueId v) { return !users_[static_cast<size_t>(v)].empty(); };
  bool ends_are_read = false;
  for (size_t k = 0; k < n; ++k) {
    const ValueId scanned = in.results[k], end = in.results[n + k];
    declare(scanned, name(scanned));
    copy_value(name(scanned), in.operands[k]);
    if (is_read(end)) declare(end, name(end));
    ends_are_read = ends_are_read || is_read(end);
    arrays.push_back(name(scanned));
    types.push_back(type(scanned).dtype);
  }
  open();
  const std::string combine = combine_function(in);
  ScanText text(std::move(arrays), std::move(types), layout(in.operands[0]), in.dim, combine,
                [this](const std::string& s) { line("{}", s); });
  text.steps_in_warps();
  const std::vector<int> all = text.last_registers(), ends = ends_are_read ? end_registers(in) : std::vector<int>{};
  const auto bytes = static_cast<size_t>(text.shared_bytes());
  const size_t batch = text.has_warps() ? std::min(all.size(), static_shared_limit / bytes) : all.size();
  for (size_t first = 0; first < all.size(); first += batch) {
    const size_t last = std::min(first + batch, all.size());
    const auto slot = [&](size_t i) { return static_cast<int>(i - first); };
    if (text.has_warps()) {
      use_shared(static_cast<uint32_t>(batch * bytes));
      for (size_t i = first; i < last; ++i) text.store_last(all[i], slot(i));
      line("__syncthreads();");
      for (size_t i = first; i < last; ++i) text.steps_over_warps(all[i], slot(i));
    }
    for (size_t i = first; i < last; ++i)
      for (size_t r = 0; r < ends.size(); ++r) {
        if (ends[r] != all[i]) continue;
        std::vector<std::string> targets;
        for (size_t k = 0; k < n; ++k) {
          const ValueId end = in.results[n + k];
          targets.push_back(is_read(end) ? fmt::format("{}[{}]", name(end), r) : "");
        }
        text.end(all[i], slot(i), targets);
      }
  }
  text.copy_free_registers();
  close();
}

namespace {

/// Instructions of a combination that may be written out several times.
constexpr size_t cheap_combine = 16;

/// C texts that cut a value of a type into halves of 32 bits, and that put them together.
std::vector<std::string> halves_of(DType t, const std::string& v) {
  if (t.bits() != 64)
    return {t == boolean ? fmt::format("(unsigned){}", v) : fmt::format("sn_bitcast<unsigned>({})", v)};
  const std::string bits = fmt::format("sn_bitcast<unsigned long long>({})", v);
  return {fmt::format("(unsigned){}", bits), fmt::format("(unsigned)({} >> 32)", bits)};
}

std::string value_of(DType t, const std::string& array, int half) {
  if (t == boolean) return fmt::format("{}[{}] != 0", array, half);
  if (t.bits() != 64) return fmt::format("sn_bitcast<{}>({}[{}])", compute_name(t), array, half);
  return fmt::format("sn_bitcast<{0}>((unsigned long long){1}[{2}] << 32 | {1}[{3}])", compute_name(t), array, half + 1,
                     half);
}

std::string listed(const std::vector<std::string>& texts) {
  std::string s;
  for (const std::string& t : texts) s += (s.empty() ? "" : ", ") + t;
  return s;
}

}  // namespace

void Emitter::grid_scan(const Instruction& in) {
  const size_t n = in.results.size();
  std::vector<std::string> own, earlier, later, results, merged;
  std::vector<int> first;
  int halves = 0;
  for (size_t k = 0; k < n; ++k) {
    const ValueId v = in.operands[3 + k];
    const DType t = type(v).dtype;
    declare(in.results[k], name(in.results[k]));
    ready(v);
    for (std::string& s : halves_of(t, register_text(v, layout(v), 0))) own.push_back(std::move(s));
    first.push_back(halves);
    earlier.push_back(value_of(t, "a", halves));
    later.push_back(value_of(t, "b", halves));
    results.push_back(fmt::format("c{}", k));
    for (std::string& s : halves_of(t, results.back())) merged.push_back(std::move(s));
    halves += t.bits() == 64 ? 2 : 1;
  }
  open();
  const std::string combine = combine_function(in), merge = fresh("merge");
  line("const auto {} = [{}](const unsigned (&a)[{}], const unsigned (&b)[{}], unsigned (&r)[{}]) {{", merge, combine,
       halves, halves, halves);
  ++indent_;
  for (size_t k = 0; k < n; ++k) line("{} c{};", compute_name(type(in.results[k]).dtype), k);
  line("{}({}, {}, {});", combine, listed(earlier), listed(later), listed(results));
  for (size_t h = 0; h < merged.size(); ++h) line("r[{}] = {};", h, merged[h]);
  --indent_;
  line("}};");
  line("const unsigned own[{}] = {{{}}};", halves, listed(own));
  line("unsigned before[{}];", halves);
  const int batch = in.regions[0].body.size() <= cheap_combine ? 8 : 1;
  use_shared(static_cast<uint32_t>(4 * halves));
  line("sn_look_back<{}, {}u, {}>(p{}, shared, (unsigned){}, (unsigned){}, (unsigned){}, own, before, {});", halves,
       in.bits, batch, in.index, name(in.operands[0]), name(in.operands[1]), name(in.operands[2]), merge);
  for (size_t k = 0; k < n; ++k)
    for (int r = 0; r < layout(in.results[k]).registers(); ++r)
      line("{}[{}] = {};", name(in.results[k]), r, value_of(type(in.results[k]).dtype, "before", first[k]));
  close();
}

}  // namespace sinter::cuda
