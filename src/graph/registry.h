// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/call_rule.h"
#include "src/graph/graph.h"
#include "src/scalar/fold.h"
#include "src/scalar/scan.h"

namespace sinter::loop {
class Reader;
struct Contribution;
struct Value;
}  // namespace sinter::loop
namespace sinter::reference {
struct Array;
}

namespace sinter::graph {

/// What a type rule sees: operand types, attributes, and where to put equalities that it had to assume.
class InferContext {
 public:
  InferContext(const OpDef& op, std::span<const ValueType> operands, const Attributes& attributes, SourceLine line)
      : op_(op), operands_(operands), attributes_(attributes), line_(line) {}
  const OpDef& op() const { return op_; }
  size_t operand_count() const { return operands_.size(); }
  /// Fails if the call has fewer, as a text might whose attributes say that there is one.
  const ValueType& operand(size_t i) const {
    if (i >= operands_.size()) fail_without(i);
    return operands_[i];
  }
  AttributeReader attributes() const { return AttributeReader(attributes_); }
  const Attributes& all_attributes() const { return attributes_; }

  /// Throws UserError in the form "[op] what", with the user's line and a fix.
  [[noreturn]] void fail(std::string what, std::string fix = {}) const;
  /// Do two extents agree? Literals that differ: no. Symbolic ones that cannot be proved equal: yes, and the equality
  /// becomes an assumption (a guard of the compiled entry).
  bool same_extent(Expr a, Expr b);
  /// NumPy broadcasting of all operand shapes; fails with both shapes and the dim that disagrees. A literal 1
  /// stretches, a symbol never does (symbols stand for extents >= 2).
  std::vector<Expr> broadcast_operands();
  /// Normalises a dim in [-rank, rank) or fails; rank 0 counts as 1.
  int dim(int64_t d, int rank) const;
  /// Normalised, sorted, distinct dims; empty means all.
  std::vector<int> dims(const Dims& d, int rank) const;
  const std::vector<std::pair<Expr, Expr>>& assumptions() const { return assumptions_; }

 private:
  [[noreturn]] void fail_without(size_t operand) const;

  const OpDef& op_;
  std::span<const ValueType> operands_;
  const Attributes& attributes_;
  SourceLine line_;
  std::vector<std::pair<Expr, Expr>> assumptions_;
};

enum class OpClass : uint8_t {
  pointwise,     ///< result at an index reads operands at the broadcast index
  view,          ///< a pure index map of one operand (reshape, permute, slice, ...)
  indexed,       ///< result at an index reads operands at computed indices (gather, pad, cat, image sampling)
  reduction,     ///< folds dims of one operand in the canonical order
  scan,          ///< combines the elements along one dim up to each of them, in the canonical order
  creation,      ///< no tensor operand
  accumulation,  ///< folds integers into places that are data, in any order (OpDef::accumulate)
  call,          ///< opaque: a library or the user computes it, or its decomposition (OpDef::call)
};

/// The parts that ops play where a view is written: the view's elements get their value, then the tensor that the view
/// reads is a new one with these elements replaced, view by view down to the memory.
enum class WriteRole : uint8_t {
  none,
  assign,   ///< of a tensor and a value: the value in the tensor's type
  scatter,  ///< of a view op's operand and another value for the view: the operand with the view's elements replaced
};

using scalar::ReduceKind;

/// The fold runs in the compute type of the result's dtype: elements are converted to it first (u8 to i64 for a sum,
/// f16 to f32), and the folded value is rounded to the result's dtype.
struct ReductionSpec {
  ReduceKind kind;
  std::vector<int> dims;  ///< ascending
  bool keepdim = false;
};

using scalar::ScanKind;

/// The scan runs in the compute type of the operand's dtype for positions (argmax, argmin), else in that of the
/// result's, to which elements are converted first; scanned values are rounded to the result's dtype.
struct ScanSpec {
  ScanKind kind;
  int dim = 0;  ///< the operand's rank is not 0
};

/// Picks a random legal call for tests and the fuzzer: operand dtypes, shapes and attributes.
struct SampleCall {
  std::vector<ValueType> operands;  ///< literal shapes
  Attributes attributes;
  double low = -4, high = 4;  ///< operand values are drawn from [low, high] plus specials
  bool integral = false;      ///< floating values are integers: sums of their products are exact in every order
};

/// One op: everything that the rest of the library knows about it. Defined in src/ops/<family>.cpp and nowhere else.
struct OpDef {
  std::string_view name;
  std::string_view doc;  ///< one sentence, PyTorch's meaning; goes into docs/ops.md
  OpClass op_class = OpClass::pointwise;
  int min_operands = 1;
  int max_operands = 1;  ///< -1: any number
  std::vector<Param> params;
  /// Ops whose result shares the operand's memory, views and views as another dtype: their operand with the view's
  /// elements replaced, an op with the same parameters. Null for others, and for views that PyTorch copies (flip).
  const OpDef* scatter = nullptr;
  /// Of these: does eager execution copy where strides cannot express the view (reshape)?
  bool may_copy = false;
  bool may_repeat = false;  ///< view ops: can an element of the operand be there more than once (expand)?
  WriteRole write_role = WriteRole::none;

  /// Type and shape rule; throws UserError through the context.
  std::function<std::vector<ValueType>(InferContext&)> infer;

  /// The loop body: value of the (single) result at `index`, as reads of operands at index expressions. For pointwise
  /// ops the framework rounds the result to the result dtype. Absent for reductions and scans.
  std::function<loop::Value(loop::Reader&, std::span<const Expr> index)> lower;

  /// Reductions: what is folded over which dims; a body applied to each element before and to the result after comes
  /// from decomposition.
  std::function<ReductionSpec(const Node&, const Graph&)> reduction;

  /// Scans of operands that are not 0-d: what is combined along which dim.
  std::function<ScanSpec(const Node&, const Graph&)> scan;

  /// Accumulations: what the element of operand 0 at `index` adds to the result, which starts as the fold's identity.
  std::function<loop::Contribution(loop::Reader&, std::span<const Expr> index)> accumulate = {};

  /// Of an op that decompositions make: whose words its run-time messages are. Absent: its own.
  std::function<std::string_view(const Node&)> speaks_for = {};

  /// Rewrites the call into other ops (mean -> sum, div); nullptr if the op is primitive. Returns the results.
  std::function<std::vector<Value>(Graph&, const Node&)> decompose;

  /// Library calls and users' own functions: see CallRule.
  std::optional<CallRule> call = {};

  /// Slow, obvious semantics on dense row-major arrays, independent of `lower` where the op moves data.
  std::function<std::vector<reference::Array>(const Node&, std::span<const reference::Array>)> reference;

  /// Cases for shared tests and the fuzzer; `variant` counts 0,1,2,...; nullopt ends the list.
  std::function<std::optional<SampleCall>(int variant)> sample;

  /// The loop body by what hardware approximates, within a documented bound: register_op() makes an op of its own of
  /// it, `<name>_approx`, which differs in nothing else.
  std::function<loop::Value(loop::Reader&, std::span<const Expr> index)> lower_approximate = nullptr;
  const OpDef* approximation = nullptr;  ///< that op
  bool approximates = false;             ///< is such an op: its results differ between devices
};

/// All ops in order of registration; filled by ops::register_all_ops() (src/ops/ops.h) and by users' register_op. The
/// span stays valid when ops are added later.
std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);
/// Adds an op; its address and texts live for ever. Throws CompileError on a duplicate or empty name.
const OpDef& register_op(OpDef op);

/// Is the node a call of the op of this name?
inline bool is_op(const Node& n, std::string_view name) { return n.op != nullptr && n.op->name == name; }

}  // namespace sinter::graph
