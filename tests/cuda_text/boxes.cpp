// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_text/boxes.h"

#include <algorithm>
#include <numeric>

namespace sinter::cuda::testing {
namespace {

int64_t below(std::mt19937_64& random, int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); }
bool chance(std::mt19937_64& random, int percent) { return below(random, 100) < percent; }

/// Strides that tell all elements apart: dims in random order, each beyond the reach of those before, sometimes with a
/// gap, sometimes backwards.
void choose_strides(Box& box, std::mt19937_64& random) {
  std::vector<BoxDim*> order;
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < box.dims.size(); ++d) order.push_back(&box.along[d]);
  order.push_back(&box.parts_along);
  std::vector<size_t> places(order.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (chance(random, 50))
    for (size_t i = places.size(); i > 1; --i)
      std::swap(places[i - 1], places[static_cast<size_t>(below(random, static_cast<int64_t>(i)))]);
  else
    std::ranges::reverse(places);  // row-major, but parts fastest
  int64_t stride = chance(random, 10) ? 2 : 1;
  for (size_t i : places) {
    const int64_t size = i < box.dims.size() ? box.dims[i] : box.parts;
    order[i]->stride = chance(random, 10) ? -stride : stride;
    // Masked dims are read within their extent only, so the extent is what the next dim has to clear.
    const int64_t room = std::max(order[i]->extent.value_or(0), order[i]->origin + size);
    stride *= std::max<int64_t>(1, room) + (chance(random, 20) ? below(random, 8) : 0);
    if (chance(random, 40)) stride = (stride + 15) / 16 * 16;
  }
}

}  // namespace

int64_t Box::elements() const {
  int64_t n = parts;
  for (int32_t d : dims) n *= d;
  return n;
}

Box random_box(std::mt19937_64& random, bool for_store) {
  Box box;
  box.num_warps = 1 << below(random, 3);
  int bits = static_cast<int>(below(random, 11));
  const auto rank = static_cast<size_t>(below(random, 4) + (bits > 0 ? 1 : 0));
  box.dims.assign(rank, 1);
  for (; bits > 0 && rank > 0; --bits) box.dims[static_cast<size_t>(below(random, static_cast<int64_t>(rank)))] *= 2;
  if (chance(random, 30)) box.parts = static_cast<int32_t>(1 + below(random, 5));
  box.along.resize(rank);
  const bool row = rank > 0 && box.parts > 1 && chance(random, 40);
  const auto origin = [&](int64_t size) { return chance(random, 30) ? below(random, 3) * size : below(random, 5); };
  const auto dim = [&](BoxDim& d, int64_t size, bool may_mask) {
    d.origin = chance(random, 50) ? 0 : origin(size);
    if (!may_mask || !chance(random, 45)) return;
    if (chance(random, 25)) d.origin = -1 - below(random, size + 1);
    d.extent = chance(random, 40) ? 8 * below(random, 9) : std::max<int64_t>(0, d.origin + below(random, size + 4));
  };
  for (size_t d = 0; d < rank; ++d) dim(box.along[d], box.dims[d], !(row && d + 1 == rank));
  dim(box.parts_along, box.parts, !row);
  if (row)
    box.row_extent = chance(random, 50) ? 8 * below(random, box.parts * box.dims.back() / 8 + 2)
                                        : below(random, box.parts * box.dims.back() + 4);
  choose_strides(box, random);
  if (row && chance(random, 70)) {  // what it is for: a long row
    box.along.back().stride = 1;
    box.parts_along.stride = box.dims.back();
    int64_t stride = box.dims.back() * (box.parts_along.origin + box.parts) + box.along.back().origin + 5;
    for (size_t d = 0; d + 1 < rank; ++d) {
      box.along[d].stride = stride;
      stride *= std::max<int64_t>(1, std::max(box.along[d].extent.value_or(0), box.along[d].origin + box.dims[d]));
    }
  }
  if (!for_store && rank > 0 && chance(random, 15))
    box.along[static_cast<size_t>(below(random, static_cast<int64_t>(rank)))].stride = 0;
  box.literal_strides = chance(random, 60);
  box.literal_origins = chance(random, 50);
  if (chance(random, 60)) box.alignment = 16;
  return box;
}

BoxAccess box_access(tile_ir::KernelBuilder& b, const Box& box, int64_t base) {
  BoxAccess r;
  const auto number = [&](int64_t v, bool literal) -> tile_ir::Index {
    if (literal) return v;
    int64_t divisor = 1;  // what a schedule might know
    while (divisor < 16 && v % (2 * divisor) == 0) divisor *= 2;
    const int p = b.add_scalar("n" + std::to_string(r.numbers.size()), i64, divisor);
    r.numbers.push_back(v);
    return b.parameter(p);
  };
  const auto dim = [&](const BoxDim& d) {
    const tile_ir::Index origin = number(d.origin, box.literal_origins), stride = number(d.stride, box.literal_strides);
    return d.extent ? tile_ir::along(origin, stride, number(*d.extent, false)) : tile_ir::along(origin, stride);
  };
  r.access.base = number(base, true);
  r.access.parts = dim(box.parts_along);
  for (const BoxDim& d : box.along) r.access.dims.push_back(dim(d));
  if (box.row_extent) {
    r.access.row_masked = true;
    r.access.row_extent = number(*box.row_extent, false);
  }
  return r;
}

tile_ir::Access dense_access(const Box& box) {
  tile_ir::Access a;
  a.dims.resize(box.dims.size());
  int64_t stride = 1;
  for (size_t d = box.dims.size(); d-- > 0; stride *= box.dims[d]) a.dims[d] = tile_ir::along(0, stride);
  a.parts = tile_ir::along(0, stride);
  return a;
}

}  // namespace sinter::cuda::testing
