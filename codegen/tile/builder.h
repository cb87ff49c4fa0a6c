// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

/// A value of the kernel under construction.
struct Value {
  ValueId id = -1;
  friend bool operator==(Value, Value) = default;
};

/// An i64 index of an access: a literal or an i64 scalar value.
struct Index : IndexOperand {
  // NOLINTBEGIN(google-explicit-constructor): both are indices where one is expected
  Index(int64_t literal) : IndexOperand{-1, literal} {}
  Index(int literal) : IndexOperand{-1, literal} {}
  Index(Value v) : IndexOperand{v.id, 0} {}
  // NOLINTEND(google-explicit-constructor)
};

/// One unmasked dim of an access, and one that is out of bounds outside 0 <= c < extent.
inline AccessDim along(Index origin, Index stride) { return {origin, stride, false, {}}; }
inline AccessDim along(Index origin, Index stride, Index extent) { return {origin, stride, true, extent}; }

struct PointerOptions {
  bool written = false;
  bool no_alias = true;
  int32_t alignment = 1;
};

/// Builds one kernel. Every helper appends one instruction to the current region (broadcasts of operands besides) and
/// returns its result; types are inferred. Throws CompileError where types do not fit.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name);
  /// Builds instructions of a kernel that has these parameters and values; see take().
  KernelBuilder(std::vector<Parameter> parameters, std::vector<Type> values);
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  /// Parameters; the number returned is the parameter index.
  int add_pointer(std::string name, DType storage, PointerOptions options = {});
  int add_scalar(std::string name, DType compute, int64_t divisibility = 1);

  Value constant(Type type, uint64_t bits);
  Value constant(DType t, double v);  ///< the number as a scalar, by scalar::constant_of
  Value literal(int64_t v);           ///< i64 scalar
  Value parameter(int index);         ///< value of a scalar parameter
  Value program_id();
  Value iota(int dim, Type shape);       ///< shape's dtype does not matter; parts_dim counts parts
  Value broadcast(Value v, Type shape);  ///< shape's dtype does not matter
  Value reshape(Value v, std::vector<int32_t> dims);
  Value trans(Value v, std::vector<int> perm);

  /// Any scalar op. Scalars and dims of extent 1 are broadcast to the common shape. `attribute` is the dtype of
  /// convert, bitcast and round_to.
  Value scalar(ScalarOp op, std::initializer_list<Value> operands, DType attribute = f32) {
    return scalar(op, std::span<const Value>(operands.begin(), operands.size()), attribute);
  }
  Value scalar(ScalarOp op, std::span<const Value> operands, DType attribute = f32);
#define SINTER_SCALAR_OP(name, arity, rule, classes, cuda)                                       \
  template <class... V>                                                                          \
    requires(sizeof...(V) == arity && scalar::ScalarRule::rule != scalar::ScalarRule::convert && \
             scalar::ScalarRule::rule != scalar::ScalarRule::bitcast &&                          \
             scalar::ScalarRule::rule != scalar::ScalarRule::round_to)                           \
  Value name(V... operands) {                                                                    \
    return scalar(ScalarOp::name, {operands...});                                                \
  }
#include "src/scalar/scalar_ops.def"
#undef SINTER_SCALAR_OP
  Value convert(Value v, DType to) { return scalar(ScalarOp::convert, {v}, to); }
  Value bitcast(Value v, DType to) { return scalar(ScalarOp::bitcast, {v}, to); }
  Value round_to(Value v, DType storage) { return scalar(ScalarOp::round_to, {v}, storage); }

  /// Loads a tile of the pointer's compute type; `fill` (a scalar) where the access is masked.
  Value block_load(int pointer, Access access, std::vector<int32_t> dims, int32_t parts = 1, Value fill = {});
  void block_store(int pointer, Access access, Value value, CachePolicy policy = CachePolicy::standard);
  Value gather(int pointer, Value offsets, Value mask = {}, Value fill = {});
  void scatter(int pointer, Value offsets, Value value, Value mask = {}, std::optional<ReduceKind> fold = {},
               int32_t table = 0);

  /// A store's number, the storage type of its elements, and how many tiles it has room for.
  struct Store {
    int32_t number = 0;
    DType dtype;
    int64_t slots = 1;
  };
  void keep(const Store& store, Value slot, Value tile);
  Value recall(const Store& store, Value slot, const Type& tile);
  void stage(const Run& run, int pointer, Value base, Value count);

  Value reduce(ReduceKind kind, int dim, Value v);
  /// Of the first `elements` of each program's tiles.
  Value cluster_reduce(ReduceKind kind, std::span<const Value> tiles, int64_t elements);
  /// The values of an earlier and of a later element give those of their combination.
  using Combine = std::function<std::vector<Value>(std::span<const Value> earlier, std::span<const Value> later)>;
  /// The scanned tiles, then what the dim ends with.
  std::vector<Value> scan(int dim, std::span<const Value> values, const Combine& combine);
  Value ticket(int words, Value count);
  /// What the pieces before this one end with.
  std::vector<Value> grid_scan(int words, int64_t places, Value number, Value piece, Value count,
                               std::span<const Value> values, const Combine& combine);
  /// First whether this program came last, then the values.
  std::vector<Value> grid_reduce(GridFold fold, Value group, Value piece, Value pieces, std::span<const Value> values);
  Value arrive(int arrivals, Value group, Value count);

  using LoopBody = std::function<std::vector<Value>(Value i, std::span<const Value> carried)>;
  using Branch = std::function<std::vector<Value>()>;
  /// for (i = lo; i < hi; i += step); the body gives the next carried values, the results are the last ones.
  std::vector<Value> for_loop(Value lo, Value hi, Value step, const std::vector<Value>& initial, const LoopBody& body);
  std::vector<Value> if_then(
      Value condition, const Branch& then, const Branch& otherwise = [] { return std::vector<Value>{}; });
  void status_check(int status_pointer, Value bad, uint64_t word);

  const Type& type(Value v) const;
  Kernel& kernel() { return kernel_; }
  /// The instructions so far, without their kernel.
  std::vector<Instruction> take() { return std::move(kernel_.body.body); }
  /// The finished kernel, verified. The builder is empty afterwards.
  Kernel finish();

 private:
  Value append(Instruction instruction);
  Value new_value(const Type& type);
  Region combine_region(std::span<const Value> values, const Combine& combine);
  std::vector<Value> append_several(Instruction instruction);
  Region build_region(const std::function<std::vector<Value>()>& body, std::vector<Type>& yielded);

  Kernel kernel_;
  std::vector<Region*> regions_;
  std::vector<Type> types_;
};

}  // namespace sinter::tile_ir
