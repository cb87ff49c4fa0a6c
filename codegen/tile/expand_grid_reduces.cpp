// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/expand_grid_reduces.h"

#include <algorithm>
#include <bit>

#include "codegen/tile/builder.h"
#include "codegen/tile/scalar_info.h"

namespace sinter::tile_ir {
namespace {

/// A reduce of up to this many elements is the plain binary tree that the values of runs meet in.
constexpr int32_t plain_tree = 256;

std::vector<int32_t> dims_of(const Type& t) { return {t.dims.begin(), t.dims.begin() + t.rank}; }

/// One grid_reduce as other instructions.
class Expansion {
 public:
  Expansion(KernelBuilder& b, const Instruction& in)
      : b_(b), fold_(*in.grid), group_{in.operands[0]}, piece_{in.operands[1]}, pieces_{in.operands[2]} {
    for (size_t k = 3; k < in.operands.size(); ++k) own_.push_back({in.operands[k]});
  }

  /// What the instruction gives, from a group of several programs.
  std::vector<Value> of_several() {
    const Value first = b_.mul(group_, pieces_), slot = b_.add(first, piece_);
    for (size_t k = 0; k < own_.size(); ++k) {
      const auto n = static_cast<int32_t>(b_.type(own_[k]).elements());
      Access access;
      access.base = Index(b_.mul(slot, b_.literal(n)));
      access.dims = {along(0, 1)};
      b_.block_store(fold_.partials[k], std::move(access), b_.reshape(own_[k], {n}));
    }
    const Value last = b_.arrive(fold_.arrivals, group_, pieces_);
    std::vector<Value> results = b_.if_then(
        last,
        [&] {
          std::vector<Value> all;
          for (size_t k = 0; k < own_.size(); ++k) all.push_back(folded(k, first));
          return all;
        },
        [&] { return own_; });
    results.insert(results.begin(), last);
    return results;
  }

  /// ... from one that is its group.
  std::vector<Value> of_one() {
    std::vector<Value> results = own_;
    results.insert(results.begin(), b_.constant(boolean, 1));
    return results;
  }

  Value is_several() { return b_.lt(b_.literal(1), pieces_); }

 private:
  /// Loads value k of all pieces, and folds: neighbours within 256 pieces, then those of 256 each (as parts).
  Value folded(size_t k, Value first) {
    const Type own = b_.type(own_[k]);
    const auto n = static_cast<int32_t>(own.elements());
    const auto most = static_cast<int32_t>(std::bit_ceil(static_cast<uint32_t>(fold_.most)));
    const int32_t together = std::min(most, plain_tree), parts = most / together;
    const ReduceKind kind = fold_.kinds[k];
    const Value padding = b_.constant(Type::scalar(own.dtype), scalar::reduction_padding(kind, own.dtype).bits);
    Access access;
    access.base = Index(b_.mul(first, b_.literal(n)));
    access.dims = {along(0, 1), along(0, n)};
    if (parts > 1) {
      access.parts = along(0, int64_t{together} * n);
      access.row_masked = true;
      access.row_extent = Index(pieces_);
    } else {
      access.dims[1] = along(0, n, pieces_);
    }
    Value v = b_.block_load(fold_.partials[k], std::move(access), {n, together}, parts, padding);
    v = b_.reduce(kind, 1, v);
    if (parts > 1) v = b_.reduce(kind, parts_dim, v);
    return b_.reshape(v, dims_of(own));
  }

  KernelBuilder& b_;
  const GridFold& fold_;
  const Value group_, piece_, pieces_;
  std::vector<Value> own_;
};

class Expander {
 public:
  explicit Expander(Kernel& kernel) : kernel_(kernel), info_(kernel), types_(value_types(kernel)) {}

  void region(Region& r) {
    std::vector<Instruction> body;
    for (Instruction& in : r.body) {
      for (Region& inner : in.regions) region(inner);
      if (in.op == Op::grid_reduce)
        std::ranges::move(expanded(in), std::back_inserter(body));
      else
        body.push_back(std::move(in));
    }
    r.body = std::move(body);
  }

 private:
  std::vector<Instruction> expanded(const Instruction& in) {
    KernelBuilder b(kernel_.parameters, types_);
    Expansion e(b, in);
    const std::optional<int64_t> pieces = info_.literal({in.operands[2], 0});
    std::vector<Value> results;
    if (pieces && *pieces > 1)
      results = e.of_several();
    else
      results = b.if_then(e.is_several(), [&] { return e.of_several(); }, [&] { return e.of_one(); });
    types_.resize(static_cast<size_t>(b.kernel().value_count));
    kernel_.value_count = b.kernel().value_count;
    std::vector<Instruction> list = b.take();
    for (size_t k = 0; k < results.size(); ++k) rename(list, results[k].id, in.results[k]);
    return list;
  }

  /// Of values that are made and used on the outermost level only.
  static void rename(std::vector<Instruction>& list, ValueId from, ValueId to) {
    for (Instruction& in : list) {
      std::ranges::replace(in.results, from, to);
      std::ranges::replace(in.operands, from, to);
    }
  }

  Kernel& kernel_;
  ScalarInfo info_;
  std::vector<Type> types_;
};

bool has_grid_reduce(const Region& r) {
  return std::ranges::any_of(r.body, [](const Instruction& in) {
    return in.op == Op::grid_reduce || std::ranges::any_of(in.regions, has_grid_reduce);
  });
}

}  // namespace

void expand_grid_reduces(Kernel& kernel) {
  if (!has_grid_reduce(kernel.body)) return;
  Expander(kernel).region(kernel.body);
  verify(kernel);
}

}  // namespace sinter::tile_ir
