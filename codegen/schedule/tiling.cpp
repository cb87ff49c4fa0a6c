// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/tiling.h"

#include <algorithm>
#include <bit>

namespace sinter::schedule {
namespace {

using graph::Expr;
using loop::InstructionKind;

struct AccessView {
  AxisStrides strides;
  int bytes = 4;
  bool store = false;
  bool waits = false;  ///< for an index that is loaded itself
};

bool has_loaded_index(Expr e) {
  if (e.kind() == Expr::Kind::value) return true;
  if (e.kind() != Expr::Kind::sum) return std::ranges::any_of(e.operands(), has_loaded_index);
  return std::ranges::any_of(e.terms(), [](const auto& term) { return has_loaded_index(term.second); });
}

std::vector<AccessView> accesses(const loop::Program& p, const loop::Nest& nest) {
  std::vector<AccessView> out;
  for (const loop::Instruction& in : nest.body.instructions())
    if (in.kind == InstructionKind::load)
      out.push_back(
          {axis_strides(in.index[0], nest.axes.size()), in.attribute.bytes(), false, has_loaded_index(in.index[0])});
  for (const loop::Store& s : nest.stores)
    out.push_back(
        {axis_strides(s.index[0], nest.axes.size()), p.buffers[static_cast<size_t>(s.buffer)].dtype.bytes(), true});
  return out;
}

bool is_unit(const AxisStrides& s, size_t axis) {
  return s[axis] && (s[axis]->is_constant(1) || s[axis]->is_constant(-1));
}

constexpr int64_t unknown_extent = int64_t{1} << 30;

int64_t extent_of(const loop::Axis& a) { return a.extent.constant().value_or(unknown_extent); }

/// Channels: a small constant axis that is contiguous in one access and not in another.
int parts_axis(const loop::Nest& nest, const std::vector<AccessView>& views) {
  if (nest.axes.size() < 2) return -1;
  for (size_t a = 0; a < nest.axes.size(); ++a) {
    const auto e = nest.axes[a].extent.constant();
    if (!e || *e < 2 || *e > 8) continue;
    bool unit = false, other = false;
    for (const AccessView& v : views) {
      unit = unit || is_unit(v.strides, a);
      other = other || (v.strides[a] && !v.strides[a]->is_constant(0) && !is_unit(v.strides, a));
    }
    if (unit && other) return static_cast<int>(a);
  }
  return -1;
}

/// The axis along which some load is contiguous while the stores are not. A load that is the same along the stores'
/// axis is read once a row, however it lies.
int crossing_axis(const loop::Nest& nest, const std::vector<AccessView>& views, int last, int parts) {
  for (const AccessView& v : views) {
    const auto& along = v.strides[static_cast<size_t>(last)];
    if (along && along->is_constant(0)) continue;
    for (size_t a = 0; a < nest.axes.size(); ++a)
      if (static_cast<int>(a) != last && static_cast<int>(a) != parts && is_unit(v.strides, a) &&
          extent_of(nest.axes[a]) >= 4)
        return static_cast<int>(a);
  }
  return -1;
}

/// Size along an axis: a power of two up to `wish`, no larger than needed, and one that divides the extent if that
/// costs at most half of it (so that no lane is masked).
int32_t fit(int64_t extent, int32_t wish) {
  if (extent >= unknown_extent) return wish;
  const auto covering = static_cast<int32_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(extent, 1))));
  int32_t size = std::min(wish, covering);
  if (extent % size == 0 || extent >= 64 * static_cast<int64_t>(size)) return size;
  const int32_t dividing = static_cast<int32_t>(std::min<int64_t>(extent & -extent, size));
  return dividing >= 32 || dividing * 4 >= size ? dividing : size;
}

int64_t points(const loop::Nest& nest) {
  int64_t n = 1;
  constexpr int64_t cap = unknown_extent * 64;
  for (const loop::Axis& a : nest.axes) n = std::min(cap, n * std::min(extent_of(a), cap / std::max<int64_t>(n, 1)));
  return n;
}

class Chooser {
 public:
  Chooser(const loop::Program& p, const loop::Nest& nest, const Target& target)
      : nest_(nest), target_(target), views_(accesses(p, nest)) {
    t_.axes.resize(nest.axes.size());
    const int parts = parts_axis(nest, views_);
    if (parts >= 0) {
      t_.parts = static_cast<int32_t>(*nest.axes[static_cast<size_t>(parts)].extent.constant());
      t_.axes[static_cast<size_t>(parts)] = {AxisPlace::Kind::parts, -1, t_.parts};
    }
    last_ = static_cast<int>(nest.axes.size()) - 1;
    if (last_ == parts) --last_;
    crossing_ = last_ < 0 ? -1 : crossing_axis(nest, views_, last_, parts);
    parts_ = parts;
  }

  Tiling choose() {
    if (last_ < 0) {
      t_.dims = {1};
      t_.num_warps = 1;
      return t_;
    }
    if (crossing_ >= 0)
      two_dimensional();
    else
      one_dimensional();
    return t_;
  }

 private:
  void place(int axis, int32_t size) {
    t_.axes[static_cast<size_t>(axis)] = {AxisPlace::Kind::tile, static_cast<int>(t_.dims.size()), size};
    t_.dims.push_back(size);
  }

  int narrowest() const {
    int b = 8;
    for (const AccessView& v : views_) b = std::min(b, v.bytes);
    return b;
  }

  bool gathers() const {
    return std::ranges::any_of(views_, [](const AccessView& v) {
      return !v.store && std::ranges::any_of(v.strides, [](const auto& s) { return !s; });
    });
  }

  int32_t cuda_elements() const {
    int loads = 0;
    for (const AccessView& v : views_)
      if (!v.store) loads += v.bytes;
    int per_thread = 16 / std::max(narrowest(), 2) / (t_.parts > 4 ? 2 : 1);
    if (t_.parts == 1 && loads * per_thread < 16) per_thread *= 2;
    const auto ops = static_cast<int>(nest_.body.size());
    if (ops > 150) per_thread = std::min(per_thread, 8);
    // A row that is chosen by an index comes after the index: a thread asks for more at once then.
    if (std::ranges::any_of(views_, [](const AccessView& v) { return v.waits; })) per_thread *= 2;
    // Gathers live on threads, not on vectors: each element has its own addresses, and needs registers for them.
    if (gathers()) per_thread = 1;
    return std::min(per_thread, 16);
  }

  void one_dimensional() {
    if (!target_.cuda) {
      const int lanes = target_.vector_bits / 32;
      const int vectors = nest_.body.size() > 40 || t_.parts > 1 ? 2 : 4;
      spread(lanes * vectors);
      t_.num_warps = 1;
      return;
    }
    int32_t per_thread = cuda_elements();
    int warps = 8;
    if (t_.parts > 1) warps = 4;
    // A small problem: fewer elements a thread, then smaller blocks, until the machine is full.
    const int64_t n = points(nest_) / t_.parts;
    while (per_thread > 1 && n / (int64_t{32} * warps * per_thread) < 2 * target_.processors) per_thread /= 2;
    while (warps > 2 && n / (int64_t{32} * warps * per_thread) < target_.processors) warps /= 2;
    t_.num_warps = warps;
    spread(32 * warps * per_thread);
  }

  /// `elements` along the last axis, and along those before it where the last is too short.
  void spread(int32_t elements) {
    const int32_t size = fit(extent_of(nest_.axes[static_cast<size_t>(last_)]), elements);
    int before = last_ - 1;
    if (before == parts_) --before;
    if (size * 2 <= elements && before >= 0) {
      const int32_t rows = fit(extent_of(nest_.axes[static_cast<size_t>(before)]), elements / size);
      if (rows > 1) place(before, rows);
    }
    place(last_, size);
  }

  int widest() const { return std::ranges::max_element(views_, {}, &AccessView::bytes)->bytes; }

  static constexpr int32_t most_elements = 64 * 256;  ///< of a block of 8 warps
  static constexpr int32_t most_bytes = 48 << 10;     ///< that its threads exchange through shared memory

  void two_dimensional() {
    int load_bytes = 4, store_bytes = 4;
    for (const AccessView& v : views_) {
      if (v.store) store_bytes = v.bytes;
      if (!v.store && is_unit(v.strides, static_cast<size_t>(crossing_))) load_bytes = v.bytes;
    }
    int32_t across = 16, along = 16;
    if (target_.cuda) {
      // 256 bytes of each line: on an H200 128 x 128 of two bytes are 1.5 % faster than 64 x 64
      // (transpose_add_8192_f16), as long as a thread has no more than 64 elements, of whichever access they can be
      // exchanged, and there are blocks enough.
      across = std::clamp(256 / load_bytes, 32, 128);
      along = std::clamp(256 / store_bytes, 32, 128);
      if (nest_.body.size() > 40) across = std::min(across, 64);
      const int64_t n = points(nest_) / t_.parts;
      const auto too_large = [&] {
        const int32_t elements = across * along * t_.parts;
        return elements > most_elements || elements * widest() > most_bytes ||
               n / (across * along) < 4 * target_.processors;
      };
      while (across * along > 1024 && too_large()) (across > along ? across : along) /= 2;
    }
    across = fit(extent_of(nest_.axes[static_cast<size_t>(crossing_)]), across);
    along = fit(extent_of(nest_.axes[static_cast<size_t>(last_)]), along);
    place(crossing_, across);
    place(last_, along);
    t_.num_warps = !target_.cuda ? 1 : across * along >= 4096 ? 8 : across * along >= 1024 ? 4 : 2;
  }

  const loop::Nest& nest_;
  const Target& target_;
  std::vector<AccessView> views_;
  Tiling t_;
  int last_ = -1, crossing_ = -1, parts_ = -1;
};

}  // namespace

AxisStrides axis_strides(Expr address, size_t axes) {
  AxisStrides strides(axes, Expr(int64_t{0}));
  for (const auto& [c, t] : address.terms()) {
    if (t.kind() == Expr::Kind::axis) {
      auto& s = strides[static_cast<size_t>(t.id())];
      if (s) s = *s + Expr(c);
      continue;
    }
    int axis = -1;
    int axes_in_term = 0;
    Expr rest = c;
    if (t.kind() == Expr::Kind::product)
      for (Expr f : t.operands()) {
        if (f.kind() == Expr::Kind::axis) {
          axis = f.id();
          ++axes_in_term;
        } else {
          rest = rest * f;
        }
      }
    bool rest_is_uniform = axes_in_term == 1;
    graph::visit_leaves(rest, [&](Expr l) { rest_is_uniform = rest_is_uniform && l.kind() == Expr::Kind::symbol; });
    if (rest_is_uniform) {
      auto& s = strides[static_cast<size_t>(axis)];
      if (s) s = *s + rest;
      continue;
    }
    graph::visit_leaves(t, [&](Expr l) {
      if (l.kind() == Expr::Kind::axis) strides[static_cast<size_t>(l.id())].reset();
    });
  }
  return strides;
}

bool is_in_phase(const TilePhase& phase, Expr address, const AxisStrides& strides) {
  Expr base = address;
  for (size_t a = 0; a < strides.size(); ++a) {
    if (!strides[a]) return false;
    base = base - *strides[a] * Expr::axis(static_cast<int>(a));
    const auto stride = strides[a]->constant();
    if (!stride) return false;
    if (a == phase.axis ? *stride != 1 : (*stride - (a == phase.row ? phase.stride : 0)) % phase.vector != 0)
      return false;
  }
  return base.constant() && (*base.constant() - phase.base) % phase.vector == 0;
}

std::vector<Tiling> choose_tilings(const loop::Program& program, const loop::Nest& nest, const Target& target) {
  std::vector<Tiling> tilings{Chooser(program, nest, target).choose()};
  // Then with half the elements a thread, for kernels that need more registers than there are.
  Tiling half = tilings[0];
  for (AxisPlace& p : half.axes) {
    const bool last = p.kind == AxisPlace::Kind::tile && p.dim + 1 == static_cast<int>(half.dims.size());
    if (!target.cuda || !last || p.size < 64 * half.num_warps) continue;
    p.size /= 2;
    half.dims.back() = p.size;
    tilings.push_back(half);
    break;
  }
  return tilings;
}

}  // namespace sinter::schedule
