// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/scan_text.h"

#include <algorithm>
#include <utility>

#include "codegen/cuda/names.h"

namespace sinter::cuda {

using tile_ir::BitGroup;

namespace {

int bytes_of(DType t) { return t.bits() == 64 ? 8 : 4; }

std::string wire_of(DType t) { return std::string(t == boolean ? "u32" : t.name()); }

}  // namespace

ScanText::ScanText(std::vector<std::string> arrays, std::vector<DType> types, const LinearLayout& layout, int dim,
                   std::string combine, Line line)
    : arrays_(std::move(arrays)),
      types_(std::move(types)),
      layout_(layout),
      combine_(std::move(combine)),
      line_(std::move(line)) {
  const uint32_t free = layout.free_bits(BitGroup::reg);
  for (int r = 0; r < layout.registers(); ++r)
    if ((static_cast<uint32_t>(r) & free) == 0) live_.push_back(r);
  for (int k = 0; k < layout.shape().log_dim(dim); ++k) {
    const Holder h = holder_of(layout, 1u << (layout.shape().shift_of(dim) + k));
    if (h.group == BitGroup::warp)
      warp_bits_.push_back(1u << h.bit);
    else
      holders_.push_back(h);
  }
  for (size_t k = 0; k < arrays_.size(); ++k) folds_.push_back(fmt::format("f{}", k));
}

std::string ScanText::at(const std::vector<std::string>& arrays, int r) {
  std::string s;
  for (const std::string& a : arrays) s += fmt::format("{}{}[{}]", s.empty() ? "" : ", ", a, r);
  return s;
}

/// Live registers by the one that their run so far ends with.
ScanText::Runs ScanText::runs(uint32_t lower) const {
  Runs by_last;
  for (int r : live_) by_last[r | static_cast<int>(lower)].push_back(r);
  return by_last;
}

std::vector<int> ScanText::last_registers() const {
  std::vector<int> list;
  for (const auto& [last, registers] : runs(lower_registers_)) list.push_back(last);
  return list;
}

int ScanText::shared_bytes() const {
  int bytes = 0;
  for (DType t : types_) bytes += layout_.size(BitGroup::warp) * 32 * bytes_of(t);
  return bytes;
}

void ScanText::steps_in_warps() {
  for (const Holder& h : holders_) step(h);
}

void ScanText::step(const Holder& h) {
  const uint32_t bit = 1u << h.bit;
  if (h.group == BitGroup::lane) {
    const std::string lane = fmt::format("(int)(lane & {}u | {}u)", 31u & ~bit, lower_lanes_);
    for (const auto& [last, registers] : runs(lower_registers_)) step_over_lanes(last, registers, lane, bit);
    lower_lanes_ |= bit;
  } else {
    step_in_thread(bit);
    lower_registers_ |= bit;
  }
}

/// A bit of registers: a run ends in this thread, or in a lane with ones for the lanes' bits so far.
void ScanText::step_in_thread(uint32_t bit) {
  for (const auto& [last, registers] : runs(lower_registers_)) {
    if ((static_cast<uint32_t>(last) & bit) == 0) continue;
    const int source = last & ~static_cast<int>(bit);
    if (lower_lanes_ != 0) {
      step_over_lanes(source, registers, fmt::format("(int)(lane | {}u)", lower_lanes_), 0);
      continue;
    }
    for (int r : registers) line_(fmt::format("{}({}, {}, {});", combine_, at(source), at(r), at(r)));
  }
}

/// Takes in a register of another lane; where `only` is not 0, in the lanes with that bit.
void ScanText::step_over_lanes(int source, const std::vector<int>& changing, const std::string& lane, uint32_t only) {
  std::string earlier;
  line_("{");
  for (size_t k = 0; k < arrays_.size(); ++k) {
    line_(
        fmt::format("  const {} e{} = sn_shuffle({}[{}], {});", compute_name(types_[k]), k, arrays_[k], source, lane));
    earlier += fmt::format("e{}, ", k);
  }
  if (only != 0) line_(fmt::format("  if ((lane & {}u) != 0) {{", only));
  for (int r : changing) line_(fmt::format("    {}({}{}, {});", combine_, earlier, at(r), at(r)));
  if (only != 0) line_("  }");
  line_("}");
}

void ScanText::store_last(int last, int slot) {
  int offset = slot * shared_bytes();
  for (size_t k = 0; k < arrays_.size(); ++k) {
    const int bytes = bytes_of(types_[k]);
    line_(
        fmt::format("{{ sn_words<{0}> w = {{}}; sn_put_{1}(w.w, 0, {2}[{3}]); sn_shared_store<{0}>(shared + {4} + "
                    "threadIdx.x * {0}, w); }}",
                    bytes, wire_of(types_[k]), arrays_[k], last, offset));
    offset += layout_.size(BitGroup::warp) * 32 * bytes;
  }
}

/// f[0] = what the warps end with that differ in `bits`, in order; the other bits of their numbers are those of this
/// warp, but 0 for the ones in `cleared`.
void ScanText::load_and_fold(int slot, const std::vector<uint32_t>& bits, uint32_t cleared) {
  const int warps = layout_.size(BitGroup::warp), combinations = 1 << bits.size();
  for (uint32_t bit : bits) cleared |= bit;
  const uint32_t others = ~cleared & (static_cast<uint32_t>(warps) - 1);
  int offset = slot * shared_bytes();
  for (size_t k = 0; k < arrays_.size(); ++k) {
    const int bytes = bytes_of(types_[k]);
    line_(fmt::format("  {} {}[{}];", compute_name(types_[k]), folds_[k], combinations));
    for (int c = 0; c < combinations; ++c) {
      uint32_t set = 0;
      for (size_t b = 0; b < bits.size(); ++b)
        if ((c >> b & 1) != 0) set |= bits[b];
      const std::string warp = others == 0 ? fmt::format("{}u", set) : fmt::format("(warp & {}u | {}u)", others, set);
      line_(fmt::format("  {}[{}] = sn_get_{}(sn_shared_load<{}>(shared + {} + ({} * 32u + (lane | {}u)) * {}).w, 0);",
                        folds_[k], c, wire_of(types_[k]), bytes, offset, warp, lower_lanes_, bytes));
    }
    offset += warps * 32 * bytes;
  }
  for (int step = 1; step < combinations; step *= 2)
    for (int c = 0; c < combinations; c += 2 * step)
      line_(fmt::format("  {}({}, {}, {});", combine_, at(folds_, c), at(folds_, c + step), at(folds_, c)));
}

void ScanText::steps_over_warps(int last, int slot) {
  std::vector<uint32_t> lower;
  const std::vector<int> registers = runs(lower_registers_).at(last);
  for (uint32_t bit : warp_bits_) {
    line_(fmt::format("if ((warp & {}u) != 0) {{", bit));
    load_and_fold(slot, lower, bit);
    for (int r : registers) line_(fmt::format("  {}({}, {}, {});", combine_, at(folds_, 0), at(r), at(r)));
    line_("}");
    lower.push_back(bit);
  }
}

void ScanText::end(int last, int slot, const std::vector<std::string>& targets) {
  line_("{");
  if (has_warps()) load_and_fold(slot, warp_bits_, 0);
  for (size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].empty()) continue;
    if (has_warps())
      line_(fmt::format("  {} = {}[0];", targets[k], folds_[k]));
    else if (lower_lanes_ == 0)
      line_(fmt::format("  {} = {}[{}];", targets[k], arrays_[k], last));
    else
      line_(fmt::format("  {} = sn_shuffle({}[{}], (int)(lane | {}u));", targets[k], arrays_[k], last, lower_lanes_));
  }
  line_("}");
}

void ScanText::copy_free_registers() {
  const uint32_t free = layout_.free_bits(BitGroup::reg);
  for (int r = 0; r < layout_.registers(); ++r)
    if ((static_cast<uint32_t>(r) & free) != 0)
      for (const std::string& a : arrays_)
        line_(fmt::format("{0}[{1}] = {0}[{2}];", a, r, static_cast<int>(static_cast<uint32_t>(r) & ~free)));
}

}  // namespace sinter::cuda
