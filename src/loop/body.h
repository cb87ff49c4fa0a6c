// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/expr.h"
#include "src/graph/registry.h"
#include "src/scalar/scalar_ops.h"
#include "src/scalar/scan.h"

namespace sinter::loop {

using graph::Expr;
using graph::ReduceKind;
using scalar::ScalarOp;
using scalar::ScanKind;
using ValueId = int32_t;

/// A value of a body with its compute type; the currency of op lowerings and of the math expansions.
struct Value {
  ValueId id = -1;
  DType type;
};

enum class InstructionKind : uint8_t {
  constant,     ///< bits
  number,       ///< run-time number: graph symbol `id`, converted on the host to `type`
  scalar,       ///< scalar op `op` with dtype attribute
  load,         ///< buffer `id` of storage dtype `attribute` at `index`; operands[0] mask or -1, operands[1] fill
  index_value,  ///< to_value(index[0]) as i32 or i64
  to_index,     ///< operands[0] (i64) made safe for an extent index[0]; see IndexMode; check: `id` is the message
  reduce,       ///< folds operands[0] over the nest's reduction axes with reduce kind `id`, canonical order
  scan,  ///< combines operands[0] (and the position operands[1]) along the axis index[0] with scan kind `id`, up to
         ///< each point, in the canonical order; argmax and argmin give positions
};

/// What an index loaded from data does outside [0, bound).
enum class IndexMode : uint8_t {
  clamp,  ///< nearest valid index
  check,  ///< negative counts from the end; still outside: status word is set, element 0 is used
};

struct Instruction {
  InstructionKind kind;
  ScalarOp op{};
  DType type;       ///< compute type of the result
  DType attribute;  ///< dtype attribute of convert, bitcast, round_to; storage dtype of a load
  IndexMode mode{};
  std::array<ValueId, 3> operands{-1, -1, -1};
  uint64_t bits = 0;
  int32_t id = -1;
  std::vector<Expr> index{};
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// A hash-consed arena of instructions in dependency order: adding an equal instruction returns the old id.
/// Constant operands fold through scalar::evaluate; round_to of an already rounded value and identity converts vanish.
///
/// Copying a body does not copy its build context (ranges, guard, message).
class Body {
 public:
  Body() = default;
  Body(const Body& other);
  Body& operator=(const Body& other);
  Body(Body&&) = default;
  Body& operator=(Body&&) = default;

  Value constant(scalar::Constant c);
  Value number(int symbol, DType type);
  Value scalar(ScalarOp op, std::span<const Value> operands, DType attribute = f32);
  /// Masked-out elements give `fill` and touch no memory; a masked load is never hoisted out of its mask.
  Value load(int buffer, DType storage, std::vector<Expr> index, Value mask = {}, Value fill = {});
  Value index_value(Expr index, DType type);
  /// The only door from values to indices. The result is used in index expressions as Expr::value(id).
  Expr to_index(Value value, Expr bound, IndexMode mode);
  Value reduce(ReduceKind kind, Value operand);
  /// `position` (i64) is for the kinds that scan pairs.
  Value scan(ScanKind kind, int axis, Value operand, Value position = {});

  /// Lets index_value, comparisons of index values and to_index be decided by ranges while building; nullptr: no more.
  /// The ranges must outlive the use.
  void use_ranges(const graph::Ranges* ranges) { ranges_ = ranges; }
  const graph::Ranges* ranges() const { return ranges_; }
  /// While a guard is set, loads touch no memory and checks report nothing where it is false. Returns the previous one.
  Value set_guard(Value guard) { return std::exchange(guard_, guard); }
  /// The number that checked indices report (Program::messages); becomes the id of to_index instructions.
  void set_message(int message) { message_ = message; }
  /// From here on approximations of constants are left to the device, which alone knows their bits.
  void keep_approximations() { keeps_approximations_ = true; }

  /// Appends an instruction as it is (the parser; passes that rebuild a body); equal ones still share an id.
  Value append(Instruction instruction) { return add(std::move(instruction)); }

  size_t size() const { return instructions_.size(); }
  const Instruction& operator[](ValueId id) const { return instructions_[static_cast<size_t>(id)]; }
  std::span<const Instruction> instructions() const { return instructions_; }

 private:
  Value add(Instruction instruction);
  Value value(ValueId id) const { return {id, (*this)[id].type}; }
  std::vector<Instruction> instructions_;
  std::unordered_multimap<size_t, ValueId> by_hash_;
  const graph::Ranges* ranges_ = nullptr;
  Value guard_;
  int message_ = -1;
  bool keeps_approximations_ = false;
};

}  // namespace sinter::loop
