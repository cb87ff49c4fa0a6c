// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "codegen/schedule/target.h"
#include "src/loop/program.h"

namespace sinter::schedule {

/// Where an axis of the nest lives in a program.
struct AxisPlace {
  enum class Kind : uint8_t { scalar, parts, tile } kind = Kind::scalar;
  int dim = -1;      ///< tile dim
  int32_t size = 1;  ///< elements of the axis in one program (parts: the whole extent)
};

/// Rows that start anywhere between two boundaries of vectors: tiles of `axis` start `first()` elements before
/// multiples of their size, so that in memory they start at a boundary.
struct TilePhase {
  size_t axis = 0;  ///< contiguous in the stores
  size_t row = 0;   ///< has no tile; row r starts at element base + r * stride, modulo `vector`
  int64_t stride = 0, base = 0;
  int32_t vector = 1;  ///< elements
  graph::Expr first() const {
    return graph::mod(graph::Expr(base) + graph::Expr(stride) * graph::Expr::axis(static_cast<int>(row)),
                      graph::Expr(int64_t{vector}));
  }
};

struct Tiling {
  std::vector<AxisPlace> axes;
  std::vector<int32_t> dims;  ///< tile dims
  int32_t parts = 1;
  int num_warps = 4;
  std::optional<TilePhase> phase = std::nullopt;
};

/// Coefficient of each axis in a load's or store's address; nothing where the axis also occurs elsewhere in it.
using AxisStrides = std::vector<std::optional<graph::Expr>>;
AxisStrides axis_strides(graph::Expr address, size_t axes);

/// Does an access lie in memory, modulo the vector, as the phase says? `strides` are those of the address.
bool is_in_phase(const TilePhase& phase, graph::Expr address, const AxisStrides& strides);

/// Tiles of a nest without reduction axes, best first.
///
/// Cost: bytes dominate, so the tile follows memory. The last axis is the stores' contiguous one. A small constant axis
/// that is contiguous in some access but not in all (channels of pixels) goes to the parts. Where another axis is the
/// contiguous one of some access the tile is two-dimensional and covers at least 64 bytes along both. Otherwise it is
/// one-dimensional: on CUDA a thread takes 16 bytes of the narrowest access, twice if that keeps less than 16 bytes of
/// loads in flight, and fewer when the grid would not fill the machine; on the CPU 1 to 4 native vectors.
std::vector<Tiling> choose_tilings(const loop::Program& program, const loop::Nest& nest, const Target& target);

}  // namespace sinter::schedule
