// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/schedule/cost.h"
#include "codegen/tile/ir.h"
#include "src/graph/expr.h"

namespace sinter::schedule {

/// Where a kernel parameter comes from at launch.
struct ParameterSource {
  enum class Kind : uint8_t {
    buffer,
    index,
    number,
    status,
    workspace,  ///< of the launch, from byte `expr`
    arrivals,   ///< zero words (u32), left zero
  };
  Kind kind = Kind::buffer;
  int id = -1;       ///< buffer of the program, or number symbol
  graph::Expr expr;  ///< index: value over symbols; workspace: bytes
  DType dtype;       ///< number: compute type
};

/// A tile program and how it is launched.
struct ScheduledKernel {
  tile_ir::Kernel kernel;
  graph::Expr grid;                      ///< number of programs
  std::vector<ParameterSource> sources;  ///< one per kernel parameter
  graph::Expr workspace_bytes;           ///< of memory that only the launch itself uses
  int64_t elements_per_program = 1;      ///< CPU: how much work a program is
  std::optional<Cost> cost;              ///< of a launch, by the model in cost.h; nothing if extents are symbolic
};

}  // namespace sinter::schedule
