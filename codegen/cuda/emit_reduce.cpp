// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/tile/layout/emit_linear.h"
#include "src/scalar/fold.h"

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

uint32_t mask_of(const std::vector<int>& bits) {
  uint32_t mask = 0;
  for (int b : bits) mask |= 1u << b;
  return mask;
}

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
void Emitter::fold_bit(Fold& fold, uint32_t bit) {
  keep_without(fold.live, fold.from->registers_per_part(), bit);
  for (int r : fold.live)
    line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", fold.array, r, fold.function, r + static_cast<int>(bit));
}

/// Elements p, p + 256, p + 512, p + 768 fold from left to right.
void Emitter::fold_sequentially(Fold& fold, const std::vector<uint32_t>& bits) {
  uint32_t all = 0;
  for (uint32_t b : bits) all |= b;
  keep_without(fold.live, fold.from->registers_per_part(), all);
  for (int r : fold.live)
    for (uint32_t c = 1; c < 1u << bits.size(); ++c) {
      int other = r;
      for (size_t b = 0; b < bits.size(); ++b)
        if ((c >> b & 1) != 0) other += static_cast<int>(bits[b]);
      line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", fold.array, r, fold.function, other);
    }
}

/// Does each warp hold one value, the same in all lanes, that all warps fold now?
bool Emitter::one_value_a_warp(const Fold& fold) {
  const LinearLayout& l = *fold.from;
  const int shift = l.shape().shift_of(fold.dim);
  const uint32_t folded = ((1u << fold.bit) - 1) << shift;  // bits of the dim that are done, or are in warp_bits
  const auto is_folded = [&](uint32_t column) { return (column & ~folded) == 0; };
  return std::ranges::all_of(l.columns(tile_ir::BitGroup::lane), is_folded) &&
         std::ranges::all_of(l.columns(tile_ir::BitGroup::warp), is_folded);
}

/// Warp bits: every warp leaves its values in shared memory, and after one barrier they are folded, lowest bit first.
/// As many folds as fit meet at once.
void Emitter::fold_warps(std::vector<Fold>& folds) {
  std::vector<Partial> by_threads, by_lanes;
  int used = 0;
  const auto meet = [&] {
    if (used == 0) return;
    use_shared(static_cast<uint32_t>(used));
    for (const Partial& p : by_threads)
      line("sn_shared_put(shared + {} + threadIdx.x * {}, {}[{}]);", p.offset, p.fold->bytes(), p.fold->array, p.r);
    store_apart(by_lanes);
    line("__syncthreads();");
    for (const Partial& p : by_threads) fold_by_threads(p);
    fold_by_lanes(by_lanes);
    by_threads.clear();
    by_lanes.clear();
    used = 0;
  };
  for (Fold& fold : folds) {
    if (fold.warp_bits.empty()) continue;
    const bool whole = one_value_a_warp(fold);
    if (!whole) spread_over_lanes(fold, 31);
    const int warps = fold.from->size(tile_ir::BitGroup::warp), size = warps * (whole ? 8 : 32 * fold.bytes());
    for (int r : fold.live) {
      if (used + size > static_shared_limit) meet();
      (whole ? by_lanes : by_threads).push_back({&fold, r, used});
      used += size;
    }
  }
  meet();
  for (Fold& fold : folds) {
    if (!fold.warp_bits.empty()) fold.apart.clear();
    fold.warp_bits.clear();
  }
}

/// Of each partial result the value of this warp.
void Emitter::store_apart(std::span<const Partial> partials) {
  while (!partials.empty()) {
    const Partial& first = partials[0];
    const auto at = first.fold->apart.find(first.r);
    if (at == first.fold->apart.end()) {
      line("if (lane == 0) sn_shared_put(shared + {} + warp * 8, {});", first.offset, first.text());
      partials = partials.subspan(1);
      continue;
    }
    const auto& [variable, lane] = at->second;
    const int size = first.fold->from->size(tile_ir::BitGroup::warp) * 8;
    size_t n = 1;
    const auto goes_on = [&](const Partial& p) {
      const auto next = p.fold->apart.find(p.r);
      return next != p.fold->apart.end() && next->second == std::pair(variable, lane + static_cast<int>(n)) &&
             p.offset == first.offset + static_cast<int>(n) * size;
    };
    while (n < partials.size() && goes_on(partials[n])) ++n;
    const std::string number = lane == 0 ? "lane" : fmt::format("(lane - {}u)", lane);
    line("if ({0} < {1}u) sn_shared_put(shared + {2} + {0} * {3} + warp * 8, {4});", number, n, first.offset, size,
         variable);
    partials = partials.subspan(n);
  }
}

/// Every thread folds its own lane's values.
void Emitter::fold_by_threads(const Partial& p) {
  const Fold& fold = *p.fold;
  const int warps = fold.from->size(tile_ir::BitGroup::warp), combinations = 1 << fold.warp_bits.size();
  uint32_t mask = 0;
  for (int b : fold.warp_bits) mask |= 1u << b;
  open();
  line("{} f[{}];", compute_name(fold.type), combinations);
  for (int c = 0; c < combinations; ++c) {
    uint32_t set = 0;
    for (size_t b = 0; b < fold.warp_bits.size(); ++b)
      if ((c >> b & 1) != 0) set |= 1u << fold.warp_bits[b];
    const uint32_t others = ~mask & (static_cast<uint32_t>(warps) - 1);
    const std::string warp = others == 0 ? fmt::format("{}", set) : fmt::format("(warp & {}u | {}u)", others, set);
    line("f[{}] = sn_shared_get<{}>(shared + {} + ({} * 32 + lane) * {});", c, compute_name(fold.type), p.offset, warp,
         fold.bytes());
  }
  for (int step = 1; step < combinations; step *= 2)
    for (int c = 0; c < combinations; c += 2 * step) line("f[{0}] = {1}(f[{0}], f[{2}]);", c, fold.function, c + step);
  line("{}[{}] = f[0];", fold.array, p.r);
  close();
}

/// A lane of each warp takes one warp's value of one fold, so that several folds go through the tree at once.
void Emitter::fold_by_lanes(std::span<const Partial> partials) {
  while (!partials.empty()) {
    const Fold& fold = *partials[0].fold;
    const int warps = fold.from->size(tile_ir::BitGroup::warp);
    size_t n = 1;
    while (n < partials.size() && (static_cast<int>(n) + 1) * warps <= 32 && partials[n].fold->type == fold.type &&
           partials[n].fold->function == fold.function && partials[n].fold->warp_bits == fold.warp_bits)
      ++n;
    const int lanes = static_cast<int>(n) * warps;
    open();
    line("{0} f = sn_shared_get<{0}>(shared + {1} + {2} * 8);", compute_name(fold.type), partials[0].offset,
         lanes == 32 ? "lane" : fmt::format("(lane < {0}u ? lane : {1}u)", lanes, lanes - 1));
    for (int b : fold.warp_bits) line("f = {}(f, sn_shuffle_xor(f, {}));", fold.function, 1 << b);
    for (size_t i = 0; i < n; ++i)
      line("{}[{}] = sn_shuffle(f, {});", partials[i].fold->array, partials[i].r, static_cast<int>(i) * warps);
    close();
    partials = partials.subspan(n);
  }
}

/// Leaves up to `elements` of a tile where other blocks find them, in row-major order.
void Emitter::leave_for_cluster(ValueId v, int place, int elements) {
  const LinearLayout& l = layout(v);
  const std::string array = materialized(v);
  const uint32_t free = l.free_bits(tile_ir::BitGroup::reg);
  const tile_ir::LinearInput inputs[] = {{"lane", l.columns(tile_ir::BitGroup::lane)},
                                         {"warp", l.columns(tile_ir::BitGroup::warp)}};
  const tile_ir::LinearText thread = tile_ir::emit_linear(inputs);
  std::string holders;
  const auto only = [&](const char* who, uint32_t copies) {
    if (copies != 0) holders += fmt::format("{}({} & {}u) == 0", holders.empty() ? "" : " && ", who, copies);
  };
  only("lane", l.free_bits(tile_ir::BitGroup::lane));
  only("warp", l.free_bits(tile_ir::BitGroup::warp));
  for (int r = 0; r < l.registers(); ++r) {
    if ((static_cast<uint32_t>(r) & free) != 0) continue;
    const std::string at = tile_ir::with_constant(thread, l.element(static_cast<uint32_t>(r), 0));
    std::string condition = holders;
    if (int64_t{1} << l.shape().log_elements() > elements)
      condition += fmt::format("{}({}) < {}u", condition.empty() ? "" : " && ", at, elements);
    line("{}sn_shared_put(meeting + {} + ({}) * 8, {}[{}]);", condition.empty() ? "" : "if (" + condition + ") ", place,
         at, array, r);
  }
}

/// Every block leaves its values, and folds those of all: a lane takes every 32nd.
void Emitter::cluster_reduce(const Instruction& in) {
  const ValueId to = in.results[0];
  const auto own = static_cast<int>(in.bits);
  const int place = meeting_bytes_, all = own * k_.kernel.cluster, rounds = (all + 31) / 32;
  const char* function = fold_function(in.index);
  const DType t = type(to).dtype;
  const uint64_t padding = scalar::reduction_padding(static_cast<tile_ir::ReduceKind>(in.index), t).bits;
  meeting_bytes_ += 8 * own;
  declare(to, name(to));
  open();
  int left = own, at = place;
  for (const ValueId v : in.operands) {
    if (left <= 0) break;
    leave_for_cluster(v, at, left);
    const auto n = static_cast<int>(type(v).elements());
    left -= n;
    at += 8 * n;
  }
  line("sn_cluster_arrive();");
  line("sn_cluster_wait();");
  line("{} f[{}];", compute_name(t), rounds);
  for (int r = 0; r < rounds; ++r) {
    const std::string number = r == 0 ? "lane" : fmt::format("(lane + {}u)", 32 * r);
    const std::string get = own == 1
                                ? fmt::format("sn_cluster_get<{}>(meeting + {}, {})", compute_name(t), place, number)
                                : fmt::format("sn_cluster_get<{0}>(meeting + {1} + {2} % {3}u * 8, {2} / {3}u)",
                                              compute_name(t), place, number, own);
    const bool whole = 32 * (r + 1) <= all;
    if (whole)
      line("f[{}] = {};", r, get);
    else
      line("f[{}] = {} < {}u ? {} : {};", r, number, all, get, literal(t, padding));
  }
  for (int r = 0; r < rounds; ++r)
    for (int bit = 1; bit < 32 && bit < all; bit *= 2)
      line("f[{0}] = {1}(f[{0}], sn_shuffle_xor(f[{0}], {2}));", r, function, bit);
  for (int step = 1; step < rounds; step *= 2)
    for (int r = 0; r + step < rounds; r += 2 * step) line("f[{0}] = {1}(f[{0}], f[{2}]);", r, function, r + step);
  line("{}[0] = {};", name(to), all < 32 ? "sn_shuffle(f[0], 0)" : "f[0]");
  if (--meetings_left_ == 0) line("sn_cluster_arrive();");
  close();
}

/// Parts are registers of one thread: everything folds in place, in the canonical order of any length.
void Emitter::fold_parts(const Fold& whole) {
  const LinearLayout& l = *whole.from;
  const int n = l.parts(), chunk = 1024, partials = 256;
  const auto fold = [&](int to, int from) {
    for (int q = 0; q < l.registers_per_part(); ++q)
      line("{0}[{1}] = {2}({0}[{1}], {0}[{3}]);", whole.array, to * l.registers_per_part() + q, whole.function,
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
void Emitter::begin_fold(Fold& fold) {
  const LinearLayout& l = *fold.from;
  const int log = l.shape().log_dim(fold.dim), shift = l.shape().shift_of(fold.dim);
  const uint32_t free = l.free_bits(tile_ir::BitGroup::reg);
  for (int r = 0; r < l.registers(); ++r)
    if ((static_cast<uint32_t>(r % l.registers_per_part()) & free) == 0) fold.live.push_back(r);
  std::vector<uint32_t> sequential;
  for (int b = 8; b < std::min(log, 10); ++b) {
    const Holder h = holder_of(l, 1u << (shift + b));
    if (h.group != tile_ir::BitGroup::reg) throw CompileError("internal: reduce with partial sums spread over threads");
    sequential.push_back(1u << h.bit);
  }
  if (!sequential.empty()) fold_sequentially(fold, sequential);
}

/// Where any order gives the same bits: first what a thread holds, so that it exchanges one value.
void Emitter::fold_own(Fold& fold) {
  const LinearLayout& l = *fold.from;
  const int log = l.shape().log_dim(fold.dim), shift = l.shape().shift_of(fold.dim);
  for (int b = 0; b < log; ++b) {
    const Holder h = holder_of(l, 1u << (shift + b));
    if (b == 8 || b == 9 || h.group != tile_ir::BitGroup::reg) continue;
    fold_bit(fold, 1u << h.bit);
    fold.done |= 1u << b;
  }
}

/// Goes on through the bits until threads must meet; false at the end.
bool Emitter::fold_until_threads_meet(Fold& fold) {
  const LinearLayout& l = *fold.from;
  const int log = l.shape().log_dim(fold.dim), shift = l.shape().shift_of(fold.dim);
  for (; fold.bit < log; ++fold.bit) {
    if (fold.bit == 8 || fold.bit == 9 || (fold.done >> fold.bit & 1) != 0) continue;
    const Holder h = holder_of(l, 1u << (shift + fold.bit));
    const bool of_lane = h.group == tile_ir::BitGroup::lane, of_warp = h.group == tile_ir::BitGroup::warp;
    if ((!of_warp && !fold.warp_bits.empty()) || (!of_lane && !fold.lane_bits.empty())) return true;
    if (of_warp)
      fold.warp_bits.push_back(h.bit);
    else if (of_lane)
      fold.lane_bits.push_back(h.bit);
    else
      fold_bit(fold, 1u << h.bit);
  }
  return !fold.warp_bits.empty() || !fold.lane_bits.empty();
}

namespace {

/// Number i at these bits, its lowest one at the first of them.
int lane_of(size_t i, const std::vector<int>& bits) {
  int lane = 0;
  for (size_t b = 0; b < bits.size(); ++b) lane |= static_cast<int>(i >> b & 1) << bits[b];
  return lane;
}

/// Shuffles that n values take over some bits, one by one and together (see fold_lanes_together).
size_t shuffles_apart(size_t n, size_t bits) { return n * bits; }
size_t shuffles_together(size_t n, size_t bits, bool spread) {
  size_t sum = spread ? n : 0;
  for (size_t b = 0; b < bits; ++b) sum += n = (n + 1) / 2;
  return sum;
}

}  // namespace

/// Lane bits, lowest first. Values of one kind go together, as many as bits allow.
void Emitter::fold_lanes(std::vector<Fold>& folds) {
  std::vector<Partial> partials;
  for (Fold& fold : folds)
    if (!fold.lane_bits.empty())
      for (int r : fold.live) partials.push_back({&fold, r, 0});
  const auto alike = [](const Fold& a, const Fold& b) {
    return a.lane_bits == b.lane_bits && a.type == b.type && std::string_view(a.function) == b.function;
  };
  for (std::span<const Partial> left = partials; !left.empty();) {
    const Fold& first = *left[0].fold;
    const size_t bits = first.lane_bits.size();
    size_t n = 1;
    while (n < left.size() && n < size_t{1} << bits && alike(first, *left[n].fold)) ++n;
    // Where each warp has one value then, lanes leave what they have in shared memory.
    const bool stays_apart = first.lane_bits == std::vector<int>{0, 1, 2, 3, 4} && warps_meet_next(first);
    if (shuffles_apart(n, bits) <= shuffles_together(n, bits, !stays_apart)) n = 1;
    if (n == 1) {
      for (int b : first.lane_bits)
        line("{0} = {1}({0}, sn_shuffle_xor({0}, {2}));", left[0].text(), first.function, 1 << b);
    } else {
      const std::string together = fold_lanes_together(left.first(n));
      const uint32_t mask = mask_of(first.lane_bits);
      for (size_t i = 0; i < n; ++i) left[i].fold->apart[left[i].r] = {together, lane_of(i, first.lane_bits)};
      for (size_t i = 0; i < n && !stays_apart; ++i) spread_over_lanes(*left[i].fold, mask);
    }
    left = left.subspan(n);
  }
  for (Fold& fold : folds) fold.lane_bits.clear();
}

/// Folds several values over lane bits with few shuffles: at each bit two values become one, of which lanes without the
/// bit have the first one's and the others the second's. Gives the variable that value i is in, in the lanes whose
/// bits are those of i.
std::string Emitter::fold_lanes_together(std::span<const Partial> partials) {
  const Fold& fold = *partials[0].fold;
  const std::string type = std::string(compute_name(fold.type));
  std::vector<std::string> values;
  for (const Partial& p : partials) values.push_back(p.text());
  for (int b : fold.lane_bits) {
    std::vector<std::string> next;
    for (size_t i = 0; i < values.size(); i += 2) {
      next.push_back(fresh("lanes"));
      std::string own = values[i], others = values[i];
      if (i + 1 < values.size()) {
        own = fresh("own");
        others = fresh("others");
        line("const {} {} = (lane & {}u) != 0 ? {} : {};", type, own, 1 << b, values[i + 1], values[i]);
        line("const {} {} = (lane & {}u) != 0 ? {} : {};", type, others, 1 << b, values[i], values[i + 1]);
      }
      line("const {} {} = {}({}, sn_shuffle_xor({}, {}));", type, next.back(), fold.function, own, others, 1 << b);
    }
    values = std::move(next);
  }
  return values[0];
}

/// Gives all lanes the values that only some have.
void Emitter::spread_over_lanes(Fold& fold, uint32_t bits) {
  for (const auto& [r, at] : fold.apart)
    line("{}[{}] = sn_shuffle({}, {});", fold.array, r, at.first,
         bits == 31 ? fmt::format("{}", at.second) : fmt::format("(int)(lane & {}u | {}u)", ~bits & 31u, at.second));
  fold.apart.clear();
}

bool Emitter::warps_meet_next(const Fold& fold) {
  const tile_ir::TileShape& shape = fold.from->shape();
  return fold.bit < shape.log_dim(fold.dim) &&
         holder_of(*fold.from, 1u << (shape.shift_of(fold.dim) + fold.bit)).group == tile_ir::BitGroup::warp;
}

void Emitter::store_folded(const Fold& fold) {
  const LinearLayout& l = *fold.from;
  uint32_t kept = static_cast<uint32_t>(l.registers_per_part()) - 1;
  if (fold.dim != tile_ir::parts_dim) kept &= ~l.remove_dim(fold.dim).free_bits(tile_ir::BitGroup::reg);
  const LinearLayout& result = layout(fold.to);
  for (int r = 0; r < result.registers(); ++r) {
    const auto q = static_cast<uint32_t>(r % result.registers_per_part());
    line("{}[{}] = {}[{}];", name(fold.to), r, fold.array,
         result.part_of(r) * l.registers_per_part() + static_cast<int>(tile_ir::spread_bits(q, kept)));
  }
}

/// Reduces that stand one behind the other: warps meet once for all of them.
void Emitter::reduce(std::span<const Instruction> list) {
  std::vector<Fold> folds;
  for (const Instruction& in : list) {
    flush_for(in);
    declare(in.results[0], name(in.results[0]));
  }
  open();
  for (const Instruction& in : list) {
    const ValueId from = in.operands[0], to = in.results[0];
    Fold fold{fresh("acc"), fold_function(in.index), type(to).dtype, &layout(from), to, in.dim};
    line("{} {}[{}];", compute_name(fold.type), fold.array, fold.from->registers());
    copy_value(fold.array, from);
    if (in.dim == tile_ir::parts_dim)
      fold_parts(fold);
    else
      begin_fold(fold);
    const bool any_order = in.index >= static_cast<int>(tile_ir::ReduceKind::amax) || !fold.type.is_floating();
    if (any_order && in.dim != tile_ir::parts_dim) fold_own(fold);
    folds.push_back(std::move(fold));
  }
  for (bool meet = true; meet;) {
    meet = false;
    for (Fold& fold : folds)
      if (fold.dim != tile_ir::parts_dim) meet = fold_until_threads_meet(fold) || meet;
    fold_lanes(folds);
    fold_warps(folds);
  }
  for (const Fold& fold : folds) store_folded(fold);
  close();
}

}  // namespace sinter::cuda
