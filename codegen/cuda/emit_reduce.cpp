// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"

namespace sinter::cuda {
namespace {

const char* fold_function(int kind) {
  switch (static_cast<tile_ir::ReduceKind>(kind)) {
    case tile_ir::ReduceKind::sum:
      return "sn_add";
    case tile_ir::ReduceKind::prod:
      return "sn_mul";
    case tile_ir::ReduceKind::amax:
      return "sn_max";
    case tile_ir::ReduceKind::amin:
      return "sn_min";
  }
  return "";
}

constexpr int shared_limit = 48 << 10;

void keep_without(std::vector<int>& registers, int per_part, uint32_t bits) {
  std::erase_if(registers, [&](int r) { return (static_cast<uint32_t>(r % per_part) & bits) != 0; });
}

}  // namespace

Holder holder_of(const LinearLayout& l, uint32_t element_bit) {
  for (tile_ir::BitGroup g : {tile_ir::BitGroup::reg, tile_ir::BitGroup::lane, tile_ir::BitGroup::warp}) {
    const auto columns = l.columns(g);
    for (size_t b = 0; b < columns.size(); ++b) {
      if (columns[b] == element_bit) return {g, static_cast<int>(b)};
      if ((columns[b] & element_bit) != 0) break;
    }
  }
  throw CompileError("internal: a fold or scan over a layout that is no permutation of bits");
}

/// A register bit: acc[r] = f(acc[r], acc[r with the bit]).
void Emitter::fold_bit(const std::string& array, const LinearLayout& l, uint32_t bit, const char* f,
                       std::vector<int>& live) {
  keep_without(live, l.registers_per_part(), bit);
  for (int r : live) line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", array, r, f, r + static_cast<int>(bit));
}

/// Elements p, p + 256, p + 512, p + 768 fold from left to right.
void Emitter::fold_sequentially(const std::string& array, const LinearLayout& l, const std::vector<uint32_t>& bits,
                                const char* f, std::vector<int>& live) {
  uint32_t all = 0;
  for (uint32_t b : bits) all |= b;
  keep_without(live, l.registers_per_part(), all);
  for (int r : live)
    for (uint32_t c = 1; c < 1u << bits.size(); ++c) {
      int other = r;
      for (size_t b = 0; b < bits.size(); ++b)
        if ((c >> b & 1) != 0) other += static_cast<int>(bits[b]);
      line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", array, r, f, other);
    }
}

/// Warp bits: every warp leaves its values in shared memory, then all threads fold them, lowest bit first.
void Emitter::fold_warps(const std::string& array, const LinearLayout& l, const std::vector<int>& bits, DType t,
                         const char* f, const std::vector<int>& live) {
  const int warps = l.size(tile_ir::BitGroup::warp);
  const int bytes = t.bits() == 64 ? 8 : 4;
  const std::string wire(t == boolean ? "u32" : t.name());
  uint32_t mask = 0;
  for (int b : bits) mask |= 1u << b;
  const int combinations = 1 << bits.size(), row = warps * 32 * bytes;
  const size_t batch = std::min<size_t>(live.size(), static_cast<size_t>(shared_limit / row));
  for (size_t first = 0; first < live.size(); first += batch) {
    const size_t end = std::min(first + batch, live.size());
    use_shared(static_cast<uint32_t>(batch) * static_cast<uint32_t>(row));
    for (size_t i = first; i < end; ++i)
      line(
          "{{ sn_words<{0}> w = {{}}; sn_put_{1}(w.w, 0, {2}[{3}]); sn_shared_store<{0}>(shared + {4} + threadIdx.x * "
          "{0}, w); }}",
          bytes, wire, array, live[i], static_cast<int>(i - first) * row);
    line("__syncthreads();");
    for (size_t i = first; i < end; ++i) {
      open();
      line("{} f[{}];", compute_name(t), combinations);
      for (int c = 0; c < combinations; ++c) {
        uint32_t set = 0;
        for (size_t b = 0; b < bits.size(); ++b)
          if ((c >> b & 1) != 0) set |= 1u << bits[b];
        const uint32_t others = ~mask & (static_cast<uint32_t>(warps) - 1);
        const std::string warp = others == 0 ? fmt::format("{}", set) : fmt::format("(warp & {}u | {}u)", others, set);
        line("f[{}] = sn_get_{}(sn_shared_load<{}>(shared + {} + ({} * 32 + lane) * {}).w, 0);", c, wire, bytes,
             static_cast<int>(i - first) * row, warp, bytes);
      }
      for (int step = 1; step < combinations; step *= 2)
        for (int c = 0; c < combinations; c += 2 * step) line("f[{0}] = {1}(f[{0}], f[{2}]);", c, f, c + step);
      line("{}[{}] = f[0];", array, live[i]);
      close();
    }
  }
}

/// Parts are registers of one thread: everything folds in place, in the canonical order of any length.
void Emitter::fold_parts(const std::string& array, const LinearLayout& l, const char* f) {
  const int n = l.parts(), chunk = 1024, partials = 256;
  const auto fold = [&](int to, int from) {
    for (int q = 0; q < l.registers_per_part(); ++q)
      line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", array, to * l.registers_per_part() + q, f,
           from * l.registers_per_part() + q);
  };
  for (int c = 0; c < n; c += chunk) {
    const int length = std::min(chunk, n - c), sums = std::min(partials, length);
    for (int p = 0; p < sums; ++p)
      for (int j = p + partials; j < length; j += partials) fold(c + p, c + j);
    for (int step = 1; step < sums; step *= 2)
      for (int p = 0; p + step < sums; p += 2 * step) fold(c + p, c + p + step);
  }
  for (int step = chunk; step < n; step *= 2)
    for (int c = 0; c + step < n; c += 2 * step) fold(c, c + step);
}

/// Canonical order along a dim: bits 8 and 9 fold first, from left to right; then a tree over bits 0 to 7, lowest
/// first; then a tree over the chunk bits from 10 on. Leaves the results in the registers without bits of the dim.
void Emitter::fold_dim(const std::string& acc, const LinearLayout& l, int dim, DType t, const char* f) {
  const int log = l.shape().log_dim(dim), shift = l.shape().shift_of(dim);
  std::vector<int> live;
  const uint32_t free = l.free_bits(tile_ir::BitGroup::reg);
  for (int r = 0; r < l.registers(); ++r)
    if ((static_cast<uint32_t>(r % l.registers_per_part()) & free) == 0) live.push_back(r);
  std::vector<uint32_t> sequential;
  for (int b = 8; b < std::min(log, 10); ++b) {
    const Holder h = holder_of(l, 1u << (shift + b));
    if (h.group != tile_ir::BitGroup::reg) throw CompileError("internal: reduce with partial sums spread over threads");
    sequential.push_back(1u << h.bit);
  }
  if (!sequential.empty()) fold_sequentially(acc, l, sequential, f, live);
  std::vector<int> warp_bits;
  const auto finish_warps = [&] {
    if (!warp_bits.empty()) fold_warps(acc, l, warp_bits, t, f, live);
    warp_bits.clear();
  };
  for (int b = 0; b < log; ++b) {
    if (b == 8 || b == 9) continue;
    const Holder h = holder_of(l, 1u << (shift + b));
    if (h.group == tile_ir::BitGroup::warp) {
      warp_bits.push_back(h.bit);
      continue;
    }
    finish_warps();
    if (h.group == tile_ir::BitGroup::reg) {
      fold_bit(acc, l, 1u << h.bit, f, live);
    } else {
      for (int r : live) line("{0}[{1}] = {2}({0}[{1}], sn_shuffle_xor({0}[{1}], {3}));", acc, r, f, 1 << h.bit);
    }
  }
  finish_warps();
}

void Emitter::reduce(const Instruction& in) {
  const ValueId from = in.operands[0], to = in.results[0];
  const LinearLayout& l = layout(from);
  const char* f = fold_function(in.index);
  declare(to, name(to));
  open();
  const std::string acc = fresh("acc");
  line("{} {}[{}];", compute_name(type(to).dtype), acc, l.registers());
  copy_value(acc, from);
  uint32_t kept = static_cast<uint32_t>(l.registers_per_part()) - 1;
  if (in.dim == tile_ir::parts_dim) {
    fold_parts(acc, l, f);
  } else {
    fold_dim(acc, l, in.dim, type(to).dtype, f);
    kept &= ~l.remove_dim(in.dim).free_bits(tile_ir::BitGroup::reg);
  }
  const LinearLayout& result = layout(to);
  for (int r = 0; r < result.registers(); ++r) {
    const auto q = static_cast<uint32_t>(r % result.registers_per_part());
    line("{}[{}] = {}[{}];", name(to), r, acc,
         result.part_of(r) * l.registers_per_part() + static_cast<int>(tile_ir::spread_bits(q, kept)));
  }
  close();
}

}  // namespace sinter::cuda
