// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/scan_text.h"

namespace sinter::cuda {
namespace {

constexpr size_t shared_limit = 48 << 10;

}  // namespace

/// The combine region as a function of the values of an earlier and of a later element, which sets the results last:
/// they may be operands.
std::string Emitter::combine_function(const Instruction& in) {
  const Region& r = in.regions[0];
  std::string f = fresh("combine"), parameters;
  for (size_t k = 0; k < r.arguments.size(); ++k)
    parameters += fmt::format("const {} {}, ", compute_name(r.argument_types[k].dtype), name(r.arguments[k]));
  for (size_t k = 0; k < in.operands.size(); ++k)
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
  const size_t batch = text.has_warps() ? std::min(all.size(), shared_limit / bytes) : all.size();
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

}  // namespace sinter::cuda
