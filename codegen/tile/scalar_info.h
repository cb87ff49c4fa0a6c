// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// What is known of the i64 scalars of a kernel: a literal value, a divisor, that it is not negative.
class ScalarInfo {
 public:
  explicit ScalarInfo(const Kernel& kernel);
  std::optional<int64_t> literal(const IndexOperand& o) const;
  /// A positive number that divides the operand; 0 is divisible by everything (2^62).
  int64_t divisor(const IndexOperand& o) const;
  bool non_negative(const IndexOperand& o) const;

 private:
  void visit(const Kernel& kernel, const Region& region);
  void binary(const Instruction& in);
  struct Fact {
    std::optional<int64_t> literal;
    int64_t divisor = 1;
    bool non_negative = false;
  };
  std::vector<Fact> facts_;
};

}  // namespace sinter::tile_ir
