// SPDX-License-Identifier: Apache-2.0
#include "codegen/schedule/scan_plan.h"

#include <algorithm>
#include <bit>

#include "src/loop/scan_combine.h"

namespace sinter::schedule {
namespace {

using graph::Expr;

constexpr int64_t unknown = int64_t{1} << 40;
constexpr int32_t dear_elements = 8;  ///< of a CUDA thread

int32_t covering(int64_t n) {
  return static_cast<int32_t>(std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n, 1, 1 << 30))));
}

class Planner {
 public:
  Planner(const loop::Nest& nest, size_t axis, const Target& target, const ScanWishes& wishes)
      : nest_(nest), target_(target), wishes_(wishes), axis_(axis), length_(extent(axis)) {
    plan_.tiling.axes.resize(nest.axes.size());
    plan_.tiling.num_warps = 1;
  }

  ScanPlan run() {
    const int strip = contiguous_other_axis();
    if (strip >= 0)
      columns(static_cast<size_t>(strip));
    else
      rows();
    return plan_;
  }

 private:
  int64_t extent(size_t axis) const { return nest_.axes[axis].extent.constant().value_or(unknown); }

  int64_t rows_of_nest() const {
    int64_t n = 1;
    for (size_t a = 0; a < nest_.axes.size(); ++a)
      if (a != axis_) n = std::min(unknown, n * std::min(extent(a), unknown / std::max<int64_t>(n, 1)));
    return n;
  }

  /// -1 if some access is contiguous along the scanned axis.
  int contiguous_other_axis() const {
    int strip = -1;
    bool row = false;
    const auto consider = [&](Expr address) {
      const AxisStrides s = axis_strides(address, nest_.axes.size());
      row = row || (s[axis_] && s[axis_]->is_constant(1));
      for (size_t a = 0; a < nest_.axes.size(); ++a)
        if (a != axis_ && s[a] && s[a]->is_constant(1) && extent(a) >= 4) strip = static_cast<int>(a);
    };
    for (const loop::Store& s : nest_.stores) consider(s.index[0]);
    return row ? -1 : strip;
  }

  void place(size_t axis, int32_t size) {
    plan_.tiling.axes[axis] = {AxisPlace::Kind::tile, static_cast<int>(plan_.tiling.dims.size()), size};
    plan_.tiling.dims.push_back(size);
  }

  /// Rows that share a program of `elements`, as long as there are `programs`: neighbours along the axis before.
  int32_t rows_together(int32_t elements, int64_t programs) const {
    if (nest_.axes.size() < 2 || length_ > plan_.width || plan_.width >= elements) return 1;
    int32_t n = std::min<int32_t>(elements / plan_.width, covering(std::min<int64_t>(extent(other()), elements)));
    while (n > 1 && rows_of_nest() / n < programs) n /= 2;
    return n;
  }

  size_t other() const { return axis_ + 1 == nest_.axes.size() ? axis_ - 1 : nest_.axes.size() - 1; }

  bool is_worth_spreading() const {
    const int64_t enough = target_.cuda ? 2 * int64_t{target_.processors} : target_.processors;
    return wishes_.may_spread && rows_of_nest() < enough && length_ > 2 * loop::scan_chunk;
  }

  void rows() {
    plan_.over_grid = is_worth_spreading();
    if (!target_.cuda) {
      plan_.width = std::min(covering(length_), wishes_.dear ? 2 * target_.vector_bits / 32 : 256);
      place_rows(rows_together(4 * target_.vector_bits / 32, 0));
      return;
    }
    const int32_t of_warp = 32 * (wishes_.dear ? dear_elements : wishes_.most);
    const bool one_warp = length_ == unknown && !plan_.over_grid;
    const int32_t longest = one_warp ? of_warp : wishes_.dear ? 8 * of_warp : static_cast<int32_t>(loop::scan_chunk);
    plan_.width = std::min(covering(length_), longest);
    const int32_t together = rows_together(4 * std::max(256, plan_.width), 2 * int64_t{target_.processors});
    const int32_t elements = plan_.width > 256 ? of_warp : 256;
    plan_.tiling.num_warps = std::clamp(together * plan_.width / elements, 1, 16);
    place_rows(together);
  }

  void place_rows(int32_t together) {
    if (together > 1) place(other(), together);
    plan_.dim = static_cast<int>(plan_.tiling.dims.size());
    place(axis_, plan_.width);
  }

  void columns(size_t strip) {
    const int32_t wish = target_.cuda ? 64 : 2 * target_.vector_bits / 32;
    const int32_t together = std::min(wish, covering(extent(strip)));
    // On CUDA a warp has a run of 16 rows or fewer, and the warps of a block stand below each other.
    const int32_t most = wishes_.dear ? dear_elements : wishes_.most;
    const int32_t run = target_.cuda ? std::clamp(most * 32 / wish, 1, 16) : wishes_.dear ? 2 : 8;
    plan_.width = std::min(covering(length_), target_.cuda ? 16 * run : run);
    if (target_.cuda) plan_.tiling.num_warps = std::max(1, plan_.width / run);
    plan_.dim = 0;
    place(axis_, plan_.width);
    place(strip, together);
  }

  const loop::Nest& nest_;
  const Target& target_;
  const ScanWishes wishes_;
  const size_t axis_;
  const int64_t length_;
  ScanPlan plan_;
};

}  // namespace

ScanPlan plan_scan(const loop::Nest& nest, size_t axis, const Target& target, const ScanWishes& wishes) {
  return Planner(nest, axis, target, wishes).run();
}

}  // namespace sinter::schedule
