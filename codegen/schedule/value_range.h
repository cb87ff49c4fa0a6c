// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "src/loop/body.h"

namespace sinter::schedule {

/// What is known of an f32 value that is not NaN: it lies in [lo, hi] and is a multiple of 2^lowest (of every f32 at
/// least 2^-149).
struct ValueRange {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  int lowest = -149;
};

/// What may be assumed of a value that nothing is known of: 0, or a magnitude from 2^-26 to 2^40 (a multiple of 2^-49).
/// Scales and offsets of real data are; a program that assumes it tests it.
inline constexpr int assumed_lowest_exponent = -26, assumed_highest_exponent = 40;

/// Ranges of f32 values of a body, from integers, literals and clamps through arithmetic.
class ValueRanges {
 public:
  /// `indices` are the ranges of the nest's axes. The outermost values without bounds for which `may_assume` holds get
  /// the assumed range, and are listed.
  ValueRanges(const loop::Body& body, const graph::Ranges& indices, std::function<bool(loop::ValueId)> may_assume = {})
      : body_(body), indices_(indices), may_assume_(std::move(may_assume)) {}
  ValueRange of(loop::ValueId id);
  const std::vector<loop::ValueId>& assumed() const { return assumed_; }

 private:
  ValueRange assumed_or_known(loop::ValueId id);
  ValueRange compute(const loop::Instruction& in);
  ValueRange of_scalar(const loop::Instruction& in);

  const loop::Body& body_;
  const graph::Ranges& indices_;
  std::function<bool(loop::ValueId)> may_assume_;
  std::map<loop::ValueId, ValueRange> known_;
  std::vector<loop::ValueId> assumed_;
};

}  // namespace sinter::schedule
