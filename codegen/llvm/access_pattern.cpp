// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/access_pattern.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace sinter::llvm_codegen {

namespace {

constexpr int max_interleaved_parts = 8;

/// Number of innermost lanes, in the order given, whose addresses step by `step`; 1 if the innermost dim does not.
int run_of(const tile_ir::Access& access, const tile_ir::Type& type, const std::vector<int>& order, int64_t step) {
  int64_t run = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    if (type.dims[d] == 1) continue;
    const tile_ir::IndexOperand& stride = access.dims[d].stride;
    if (!stride.is_literal() || stride.literal != step * run) break;
    run *= type.dims[d];
  }
  return static_cast<int>(run);
}

bool find_rows(AccessPattern& p, const tile_ir::Access& access, const tile_ir::Type& type,
               const std::vector<int>& order) {
  for (const int step : {1, 0, -1}) {
    p.run = run_of(access, type, order, step);
    p.step = step;
    if (p.run > 1) return true;
  }
  p.run = 1;
  return false;
}

}  // namespace

AccessPattern access_pattern(const tile_ir::Access& access, const tile_ir::Type& type, int lanes) {
  AccessPattern p;
  std::vector<int> order(static_cast<size_t>(type.rank));
  std::iota(order.begin(), order.end(), 0);
  const int64_t elements = type.part_elements();
  const int64_t chunk = std::min<int64_t>(elements, lanes);
  const tile_ir::IndexOperand& parts = access.parts.stride;
  if (type.parts > 1 && type.parts <= max_interleaved_parts && parts.is_literal() && std::abs(parts.literal) == 1 &&
      run_of(access, type, order, type.parts) >= chunk && chunk > 1) {
    p.kind = AccessPattern::Kind::interleaved;
    p.reversed_parts = parts.literal < 0;
    return p;
  }
  if (elements == 1 || find_rows(p, access, type, order)) {
    p.kind = AccessPattern::Kind::rows;
    return p;
  }
  for (int d = 0; d < type.rank; ++d) {
    const auto along = static_cast<size_t>(d);
    const tile_ir::IndexOperand& stride = access.dims[along].stride;
    if (type.dims[along] < 4 || !stride.is_literal() || std::abs(stride.literal) != 1) continue;
    std::vector<int> moved = order;
    moved.erase(moved.begin() + d);
    moved.push_back(d);
    if (!find_rows(p, access, type, moved)) continue;
    p.kind = AccessPattern::Kind::permuted;
    p.order = moved;
    return p;
  }
  return p;
}

tile_ir::Type permuted(const tile_ir::Type& type, const std::vector<int>& order) {
  tile_ir::Type r = type;
  for (size_t i = 0; i < order.size(); ++i) r.dims[i] = type.dims[static_cast<size_t>(order[i])];
  return r;
}

}  // namespace sinter::llvm_codegen
