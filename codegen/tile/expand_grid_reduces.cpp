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
  Expansion(KernelBuilder& b, const Instruction& in, int num_warps)
      : b_(b), fold_(*in.grid), group_{in.operands[0]}, piece_{in.operands[1]}, pieces_{in.operands[2]} {
    at_once_ = fold_.most;
    for (size_t k = 3; k < in.operands.size(); ++k) {
      own_.push_back({in.operands[k]});
      at_once_ = std::min(at_once_, pieces_at_once(b.type(own_.back()).elements(), num_warps));
    }
  }

  /// What the instruction gives, from a group of several programs.
  std::vector<Value> of_several() {
    if (fold_.most <= at_once_) {
      const Value first = b_.mul(group_, pieces_);
      store(own_, b_.add(first, piece_));
      return meet(own_, group_, pieces_, [&] { return folded(first, fold_.most, pieces_); });
    }
    // Runs meet in words of their own, behind that of their group; so do their results behind those of the pieces.
    const Value size = b_.literal(at_once_), run = b_.idiv(piece_, size);
    const Value runs = b_.idiv(b_.add(pieces_, b_.literal(at_once_ - 1)), size);
    const Value word = b_.mul(group_, b_.add(runs, b_.literal(1)));
    const Value start = b_.mul(run, size), of_run = b_.min(size, b_.sub(pieces_, start));
    const Value first = b_.mul(group_, b_.add(pieces_, runs)), first_run = b_.add(first, pieces_);
    store(own_, b_.add(first, piece_));
    return meet(own_, b_.add(word, b_.add(run, b_.literal(1))), of_run, [&] {
      const std::vector<Value> sums = folded(b_.add(first, start), at_once_, of_run);
      store(sums, b_.add(first_run, run));
      return meet(sums, word, runs, [&] { return folded(first_run, (fold_.most + at_once_ - 1) / at_once_, runs); });
    });
  }

  /// ... from one that is its group.
  std::vector<Value> of_one() {
    std::vector<Value> results = own_;
    results.insert(results.begin(), b_.constant(boolean, 1));
    return results;
  }

  Value is_several() { return b_.lt(b_.literal(1), pieces_); }

 private:
  void store(const std::vector<Value>& values, Value slot) {
    for (size_t k = 0; k < values.size(); ++k) {
      const auto n = static_cast<int32_t>(b_.type(values[k]).elements());
      Access access;
      access.base = Index(b_.mul(slot, b_.literal(n)));
      access.dims = {along(0, 1)};
      b_.block_store(fold_.partials[k], std::move(access), b_.reshape(values[k], {n}));
    }
  }

  /// Did this program come last of `count`? Then what `then` gives, else its own values. `then` may say whether it did
  /// in a further meeting.
  template <class F>
  std::vector<Value> meet(const std::vector<Value>& own, Value word, Value count, const F& then) {
    const auto with = [&](std::vector<Value> values, bool last) {
      if (values.size() == own.size()) values.insert(values.begin(), b_.constant(boolean, last ? 1 : 0));
      return values;
    };
    return b_.if_then(
        b_.arrive(fold_.arrivals, word, count), [&] { return with(then(), true); }, [&] { return with(own, false); });
  }

  /// Loads all values of `count` slots and folds them in the binary tree.
  std::vector<Value> folded(Value first, int32_t most, Value count) {
    std::vector<Value> all;
    for (size_t k = 0; k < own_.size(); ++k) {
      const Type own = b_.type(own_[k]);
      const auto n = static_cast<int32_t>(own.elements());
      const auto all_of = static_cast<int32_t>(std::bit_ceil(static_cast<uint32_t>(most)));
      const int32_t together = std::min(all_of, plain_tree), parts = all_of / together;
      const ReduceKind kind = fold_.kinds[k];
      const Value padding = b_.constant(Type::scalar(own.dtype), scalar::reduction_padding(kind, own.dtype).bits);
      Access access;
      access.base = Index(b_.mul(first, b_.literal(n)));
      // Whole vectors of a wide result meet; of a narrow one, what lies beside each other belongs to several results.
      const bool wide = n >= wide_result && parts == 1;
      const size_t of_slots = wide ? 0 : 1;
      access.dims = {along(0, 1), along(0, n)};
      if (wide) std::swap(access.dims[0], access.dims[1]);
      if (parts > 1) {
        access.parts = along(0, int64_t{together} * n);
        access.row_masked = true;
        access.row_extent = Index(count);
      } else {
        access.dims[of_slots] = along(0, n, count);
      }
      std::vector<int32_t> dims{n, together};
      if (wide) std::swap(dims[0], dims[1]);
      Value v = b_.block_load(fold_.partials[k], std::move(access), std::move(dims), parts, padding);
      v = b_.reduce(kind, static_cast<int>(of_slots), v);
      if (parts > 1) v = b_.reduce(kind, parts_dim, v);
      all.push_back(b_.reshape(v, dims_of(own)));
    }
    return all;
  }

  KernelBuilder& b_;
  const GridFold& fold_;
  const Value group_, piece_, pieces_;
  std::vector<Value> own_;
  int32_t at_once_;
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
    Expansion e(b, in, kernel_.num_warps);
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

int32_t pieces_at_once(int64_t elements, int num_warps) {
  constexpr int64_t a_lane = 64, at_most = 512;
  const int64_t n = std::clamp<int64_t>(32 * a_lane * num_warps / std::max<int64_t>(1, elements), 2, at_most);
  return static_cast<int32_t>(std::bit_floor(static_cast<uint64_t>(n)));
}

int32_t most_pieces(int64_t elements, int num_warps) {
  const int32_t n = pieces_at_once(elements, num_warps);
  return n * n;
}

int64_t slots_per_piece(int32_t most, int64_t elements, int num_warps) {
  return most > pieces_at_once(elements, num_warps) ? 2 : 1;
}

void expand_grid_reduces(Kernel& kernel) {
  if (!has_grid_reduce(kernel.body)) return;
  Expander(kernel).region(kernel.body);
  verify(kernel);
}

}  // namespace sinter::tile_ir
