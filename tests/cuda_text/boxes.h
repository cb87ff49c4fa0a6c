// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "codegen/tile/builder.h"

namespace sinter::cuda::testing {

/// A strided box in numbers.
struct BoxDim {
  int64_t origin = 0, stride = 0;
  std::optional<int64_t> extent = std::nullopt;  ///< masked
};

struct Box {
  std::vector<int32_t> dims;
  std::vector<BoxDim> along;
  int32_t parts = 1;
  BoxDim parts_along = {};
  std::optional<int64_t> row_extent = std::nullopt;
  int64_t alignment = 1;        ///< of the first element of memory, in elements
  bool literal_strides = true;  ///< else run-time parameters
  bool literal_origins = false;
  int num_warps = 1;

  int64_t elements() const;  ///< parts * dims
  /// Calls f(element, address, inside) in the order parts, then row-major.
  template <class F>
  void each(F f) const {
    for (int64_t i = 0; i < elements(); ++i) {
      int64_t address = 0, rest = i;
      bool in = true;
      const auto step = [&](const BoxDim& d, int64_t size) {
        const int64_t c = d.origin + rest % size;
        rest /= size;
        address += c * d.stride;
        in = in && (!d.extent || (c >= 0 && c < *d.extent));
        return c;
      };
      int64_t last = 0;
      for (size_t d = dims.size(); d-- > 0;) {
        const int64_t c = step(along[d], dims[d]);
        if (d + 1 == dims.size()) last = c;
      }
      const int64_t part = step(parts_along, parts);
      if (row_extent) in = in && part * dims.back() + last < *row_extent;
      f(i, address, in);
    }
  }
};

/// Boxes of many kinds; a store's address no two elements alike.
Box random_box(std::mt19937_64& random, bool for_store);

/// Parameters of a kernel for numbers that are not literals.
struct BoxAccess {
  tile_ir::Access access;
  std::vector<int64_t> numbers;  ///< of the scalar parameters, in order
};
/// The access in a kernel under construction; `base` is what has to be added so that addresses start at 0.
BoxAccess box_access(tile_ir::KernelBuilder& builder, const Box& box, int64_t base);
/// Row-major, parts first.
tile_ir::Access dense_access(const Box& box);

}  // namespace sinter::cuda::testing
