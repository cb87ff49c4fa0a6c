// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/fold_plan.h"

#include <algorithm>
#include <bit>

#include "src/loop/canonical_fold.h"
#include "src/loop/dependence.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

constexpr int32_t partials = loop::reduction_partials;
constexpr int64_t unknown = int64_t{1} << 40;

int32_t covering(int64_t n) {
  return static_cast<int32_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 1, 1 << 30))));
}
/// Tiles of 256 that cover n elements, as far as a chunk has them.
int32_t tiles_of(int64_t n) { return static_cast<int32_t>(std::clamp<int64_t>((n + partials - 1) / partials, 1, 4)); }

class Planner {
 public:
  Planner(const loop::Nest& nest, const Target& target)
      : nest_(nest), target_(target), axis_(nest.axes.size() - 1), length_(extent(axis_)) {
    plan_.tiling.axes.resize(nest.axes.size());
  }

  FoldPlan run() {
    strip_ = contiguous_parallel_axis();
    if (strip_ >= 0)
      columns();
    else
      rows();
    return plan_;
  }

 private:
  int64_t extent(size_t axis) const { return nest_.axes[axis].extent.constant().value_or(unknown); }

  int64_t parallel_points() const {
    int64_t n = 1;
    for (size_t a = 0; a < axis_; ++a)
      n = std::min(unknown, n * std::min(extent(a), unknown / std::max<int64_t>(n, 1)));
    return n;
  }

  /// -1 if some access of folded elements is contiguous along the reduction axis.
  int contiguous_parallel_axis() const {
    int strip = -1;
    bool row = false;
    const auto consider = [&](Expr address) {
      const AxisStrides s = axis_strides(address, nest_.axes.size());
      if (s[axis_] && s[axis_]->is_constant(0)) return;
      row = row || (s[axis_] && s[axis_]->is_constant(1));
      for (size_t a = 0; a < axis_; ++a)
        if (s[a] && s[a]->is_constant(1) && extent(a) >= 4) strip = static_cast<int>(a);
    };
    for (const loop::Instruction& in : nest_.body.instructions())
      if (in.kind == loop::InstructionKind::load) consider(in.index[0]);
    for (const loop::Store& s : nest_.stores) consider(s.index[0]);
    return row ? -1 : strip;
  }

  void place(size_t axis, int32_t size) {
    plan_.tiling.axes[axis] = {AxisPlace::Kind::tile, static_cast<int>(plan_.tiling.dims.size()), size};
    plan_.tiling.dims.push_back(size);
  }

  void rows() {
    const int32_t chunks = target_.cuda ? 4 : 1;  // as many loads are in flight, and values in registers
    plan_.single = length_ <= chunks * loop::reduction_chunk;
    plan_.width = std::min(covering(length_), partials);
    plan_.folds = tiles_of(length_);
    plan_.chunks =
        plan_.single ? static_cast<int32_t>((std::max<int64_t>(length_, 1) - 1) / loop::reduction_chunk + 1) : chunks;
    const int32_t together = rows_together();
    if (together > 1) place(axis_ - 1, together);
    plan_.dim = static_cast<int>(plan_.tiling.dims.size());
    place(axis_, plan_.width);
    choose_warps(int64_t{together} * plan_.width);
  }

  /// Short rows share a program, as long as there are programs enough.
  int32_t rows_together() const {
    const int32_t wish = target_.cuda ? 2048 : 4 * target_.vector_bits / 32;
    if (!plan_.single || plan_.folds > 1 || axis_ == 0 || plan_.width >= wish) return 1;
    int32_t n = std::min<int32_t>(wish / plan_.width, covering(std::min<int64_t>(extent(axis_ - 1), wish)));
    if (target_.cuda)
      while (n > 1 && parallel_points() / n < 2 * int64_t{target_.processors}) n /= 2;
    return n;
  }

  void columns() {
    const int32_t wish = target_.cuda ? 32 : 2 * target_.vector_bits / 32;
    const int32_t strip = std::min(wish, covering(extent(static_cast<size_t>(strip_))));
    const int32_t most = target_.cuda ? partials : 8;  // registers hold one tile of `most` rows for each of `folds`
    plan_.single = length_ <= most || (most == partials && length_ <= loop::reduction_chunk);
    plan_.width = std::min(covering(length_), most);
    plan_.folds = plan_.single ? tiles_of(length_) : 4;
    plan_.dim = 0;
    place(axis_, plan_.width);
    place(static_cast<size_t>(strip_), strip);
    choose_warps(int64_t{plan_.width} * strip);
  }

  /// 4 elements a thread: 16 bytes of f32, and every tile of a unit is loaded before the first is used.
  void choose_warps(int64_t elements) {
    plan_.tiling.num_warps = target_.cuda ? static_cast<int>(std::clamp<int64_t>(elements / 128, 1, 16)) : 1;
  }

  const loop::Nest& nest_;
  const Target& target_;
  const size_t axis_;
  const int64_t length_;
  int strip_ = -1;
  FoldPlan plan_;
};

}  // namespace

FoldPlan plan_fold(const loop::Nest& nest, const Target& target) { return Planner(nest, target).run(); }

}  // namespace sinter::schedule
