// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>

#include "src/loop/body.h"

namespace sinter::schedule {

/// What is known of an f32 value that is not NaN: it lies in [lo, hi] and is a multiple of 2^lowest (of every f32 at
/// least 2^-149).
struct ValueRange {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  int lowest = -149;
};

/// Ranges of f32 values of a body, from integers, literals and clamps through arithmetic.
class ValueRanges {
 public:
  /// `indices` are the ranges of the nest's axes.
  ValueRanges(const loop::Body& body, const graph::Ranges& indices) : body_(body), indices_(indices) {}
  ValueRange of(loop::ValueId id);

 private:
  ValueRange compute(const loop::Instruction& in);
  ValueRange of_scalar(const loop::Instruction& in);

  const loop::Body& body_;
  const graph::Ranges& indices_;
  std::map<loop::ValueId, ValueRange> known_;
};

}  // namespace sinter::schedule
