// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/memory_access.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

namespace sinter::tile_ir {
namespace {

StrideClass stride_class(const AccessDim& d, int64_t extent, const ScalarInfo& scalars) {
  if (extent == 1) return StrideClass::of(0);
  if (const auto v = scalars.literal(d.stride)) return StrideClass::of(*v);
  return StrideClass::unknown(scalars.divisor(d.stride));
}

int64_t multiplied(int64_t a, int64_t b) {
  int64_t r = 0;
  return __builtin_mul_overflow(a, b, &r) ? int64_t{1} << 62 : r;
}

int64_t origin_divisor(const AccessDim& d, const ScalarInfo& scalars) {
  return multiplied(scalars.divisor(d.origin), scalars.divisor(d.stride));
}

}  // namespace

TileShape tile_shape(const Type& type) {
  return TileShape::of({type.dims.data(), static_cast<size_t>(type.rank)}, type.parts);
}

AccessPattern access_pattern(const Instruction& access, const Type& tile, const Parameter& pointer,
                             const ScalarInfo& scalars) {
  AccessPattern p;
  const Access& a = *access.access;
  p.memory.element_bytes = pointer.dtype.bytes();
  const int64_t of_pointer = std::max<int64_t>(1, pointer.alignment / pointer.dtype.bytes());
  int64_t divisor = std::gcd(of_pointer, scalars.divisor(a.base));
  p.memory.parts = stride_class(a.parts, tile.parts, scalars);
  divisor = std::gcd(divisor, origin_divisor(a.parts, scalars));
  for (size_t d = 0; d < a.dims.size(); ++d) {
    p.memory.dims[d] = stride_class(a.dims[d], tile.dims[d], scalars);
    divisor = std::gcd(divisor, origin_divisor(a.dims[d], scalars));
  }
  divisor = std::max(divisor, std::gcd(of_pointer, int64_t{a.alignment}));
  // A vector must stay aligned whatever multiple of a run-time stride is added. Stand-ins are so far apart that no two
  // elements that differ along a run-time dim get equal or neighbouring addresses.
  int shift = 36;
  auto place = [&](const StrideClass& s, int64_t extent, int64_t& stride) {
    if (s.value) {
      stride = *s.value;
      return;
    }
    stride = int64_t{1} << shift;
    shift += std::bit_width(static_cast<uint64_t>(extent));
    divisor = std::gcd(divisor, s.divisibility);
  };
  place(p.memory.parts, tile.parts, p.strides.part_stride);
  for (size_t d = 0; d < a.dims.size(); ++d) place(p.memory.dims[d], tile.dims[d], p.strides.strides[d]);
  p.memory.base_divisibility = divisor;
  p.origin = {divisor, 0};
  return p;
}

AccessCost access_cost(const LinearLayout& layout, const AccessPattern& pattern) {
  AccessCost cost;
  if (!layout.registers_separate()) return {int64_t{1} << 40, int64_t{1} << 40};
  const auto accesses = vectorize(layout, pattern.strides, pattern.origin, pattern.memory.element_bytes);
  const int64_t bytes = pattern.memory.element_bytes;
  std::set<int64_t> sectors;
  for (uint32_t lane = 0; lane < 32 && lane < static_cast<uint32_t>(layout.size(BitGroup::lane)); ++lane) {
    const TileCoords c = layout.coords(0, lane);
    int64_t base = 0;
    for (int d = 0; d < layout.rank(); ++d)
      base += c[static_cast<size_t>(d)] * pattern.strides.strides[static_cast<size_t>(d)];
    for (const VectorAccess& v : accesses)
      for (int64_t b = (base + v.offset) * bytes; b < (base + v.offset + v.count) * bytes; b += bytes)
        sectors.insert(b >> 5);
  }
  cost.sectors = static_cast<int64_t>(sectors.size());
  cost.accesses = static_cast<int64_t>(accesses.size());
  return cost;
}

}  // namespace sinter::tile_ir
