// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>

#include "codegen/tile/blocked_default.h"
#include "codegen/tile/expand_grid_reduces.h"
#include "codegen/tile/fold_layout.h"
#include "codegen/tile/hoist_loads.h"
#include "codegen/tile/laid_out.h"
#include "codegen/tile/memory_access.h"
#include "codegen/tile/narrowing_stores.h"

namespace sinter::tile_ir {
namespace {

/// What the folds and scans of a class of values need of its layout.
struct Folds {
  std::optional<uint32_t> kept = std::nullopt;  ///< in registers (fold_bits, scan_bits); nothing where none folds it
  int scanned = -1;                             ///< dim
};

class Assigner {
 public:
  explicit Assigner(Kernel kernel) : k_(std::move(kernel)), info_(k_), types_(value_types(k_)) {
    read_.resize(types_.size());
    each(k_.body, [&](const Instruction& in) {
      for (ValueId v : in.operands) read_[static_cast<size_t>(v)] = true;
    });
    separate(k_.body);
    parent_.resize(types_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    unite(k_.body);
    class_layout_.resize(types_.size());
  }

  LaidOutKernel run() {
    choose();
    layouts_.resize(types_.size());
    assign(k_.body);
    replacement_.resize(types_.size());
    std::iota(replacement_.begin(), replacement_.end(), 0);
    drop_identities(k_.body);
    k_.value_count = static_cast<int32_t>(types_.size());
    hoist_loads(k_, [&](const Instruction& in) { return words_of(in); });
    return {std::move(k_), std::move(types_), std::move(layouts_)};
  }

 private:
  int threads() const { return 32 * k_.num_warps; }
  bool is_tile(ValueId v) const { return types_[static_cast<size_t>(v)].is_tile; }

  Instruction conversion(ValueId of) {
    Instruction c{.op = Op::convert_layout, .type = types_[static_cast<size_t>(of)]};
    c.operands = {of};
    c.results = {static_cast<ValueId>(types_.size())};
    types_.push_back(c.type);
    return c;
  }

  /// Puts a conversion wherever an instruction may want another layout than the value's class: after loads, reduces,
  /// reshapes and transposes, before stores, reduces and broadcasts. What turns out to be the identity is dropped.
  void separate(Region& r) {
    std::vector<Instruction> body;
    for (Instruction& in : r.body) {
      for (Region& inner : in.regions) separate(inner);
      const bool shapes = in.op == Op::reduce || in.op == Op::reshape || in.op == Op::trans;
      const bool own_operand = shapes || in.op == Op::broadcast || in.op == Op::block_store;
      if (own_operand && !in.operands.empty())
        for (ValueId& v : in.operands)
          if (is_tile(v)) {
            body.push_back(conversion(v));
            v = body.back().results[0];
          }
      if (in.op == Op::scan) {
        separate_ends(in, body);
        continue;
      }
      const bool own_result = shapes || in.op == Op::block_load;
      if (!own_result) {
        body.push_back(std::move(in));
        continue;
      }
      // The instruction gets a new result; the conversion takes over the old name.
      Instruction c = conversion(in.results[0]);
      std::swap(c.results[0], in.results[0]);
      c.operands[0] = in.results[0];
      body.push_back(std::move(in));
      body.push_back(std::move(c));
    }
    r.body = std::move(body);
  }

  /// What a scanned dim ends with has a layout of its own, as a fold has; nothing is converted that nobody reads.
  void separate_ends(Instruction& in, std::vector<Instruction>& body) {
    std::vector<Instruction> conversions;
    for (size_t k = in.operands.size(); k < in.results.size(); ++k) {
      if (!read_[static_cast<size_t>(in.results[k])]) continue;
      Instruction c = conversion(in.results[k]);
      std::swap(c.results[0], in.results[k]);
      c.operands[0] = in.results[k];
      conversions.push_back(std::move(c));
    }
    body.push_back(std::move(in));
    std::ranges::move(conversions, std::back_inserter(body));
  }

  ValueId root(ValueId v) {
    while (parent_[static_cast<size_t>(v)] != v)
      v = parent_[static_cast<size_t>(v)] = parent_[static_cast<size_t>(parent_[static_cast<size_t>(v)])];
    return v;
  }
  void join(ValueId a, ValueId b) {
    if (is_tile(a) && is_tile(b)) parent_[static_cast<size_t>(root(a))] = root(b);
  }

  static const Instruction& last(const Region& r) { return r.body.back(); }

  void unite(const Region& r) {
    for (const Instruction& in : r.body) {
      for (const Region& inner : in.regions) unite(inner);
      switch (in.op) {
        case Op::scalar:
        case Op::gather:
          for (ValueId v : in.operands) join(v, in.results[0]);
          break;
        case Op::scatter:
          for (ValueId v : in.operands) join(v, in.operands[0]);
          break;
        case Op::keep:
        case Op::recall: {
          // A thread recalls what it kept itself.
          const ValueId v = in.op == Op::keep ? in.operands[1] : in.results[0];
          join(v, stores_.try_emplace(in.index, v).first->second);
          break;
        }
        case Op::scan:
          for (size_t i = 0; i < in.operands.size(); ++i) {
            join(in.operands[i], in.operands[0]);
            join(in.results[i], in.operands[0]);
          }
          break;
        case Op::grid_scan:
          for (size_t i = 0; i < in.results.size(); ++i) join(in.operands[3 + i], in.results[i]);
          break;
        case Op::for_loop:
          for (size_t i = 0; i < in.results.size(); ++i) {
            join(in.operands[3 + i], in.results[i]);
            join(in.regions[0].arguments[1 + i], in.results[i]);
            join(last(in.regions[0]).operands[i], in.results[i]);
          }
          break;
        case Op::if_then:
          for (size_t i = 0; i < in.results.size(); ++i)
            for (const Region& inner : in.regions) join(last(inner).operands[i], in.results[i]);
          break;
        default:
          break;
      }
    }
  }

  template <class F>
  static void each(const Region& r, const F& f) {
    for (const Instruction& in : r.body) {
      f(in);
      for (const Region& inner : in.regions) each(inner, f);
    }
  }

  std::optional<LinearLayout>& layout_of_class(ValueId v) { return class_layout_[static_cast<size_t>(root(v))]; }

  AccessPattern pattern(const Instruction& in, ValueId tile) const {
    return access_pattern(in, types_[static_cast<size_t>(tile)], k_.parameters[static_cast<size_t>(in.index)], info_);
  }
  /// 32-bit words of a load that a thread holds.
  int64_t words_of(const Instruction& load) const {
    const ValueId tile = load.results[0];
    if (!is_tile(tile)) return 1;
    const AccessPattern p = pattern(load, tile);
    int64_t words = 0;
    for (const VectorAccess& v :
         vectorize(layouts_[static_cast<size_t>(tile)], p.strides, p.origin, p.memory.element_bytes))
      words += std::max(1, v.count * p.memory.element_bytes / 4);
    return words;
  }
  /// The layout that coalesces an access, with what folds of the class need in registers.
  LinearLayout preferred(const Instruction& in, ValueId tile, const Folds& folds) const {
    const TileShape shape = tile_shape(types_[static_cast<size_t>(tile)]);
    const MemoryPattern memory = pattern(in, tile).memory;
    if (!folds.kept) return choose_layout(shape, threads(), memory);
    // Registers that are kept cannot be a vector's: as many fewer are left for it.
    const BlockedLayout blocked = choose_blocked(shape, threads() << std::popcount(*folds.kept), memory);
    return make_fold_layout(blocked, threads(), *folds.kept, folds.scanned);
  }
  LinearLayout without_access(const TileShape& shape, const Folds& folds) const {
    return folds.kept ? make_fold_layout(last_dim_first(shape), threads(), *folds.kept, folds.scanned)
                      : default_layout(shape, threads());
  }

  /// What the folds of each class need in registers (see fold_bits), by root; nothing where none folds it.
  void collect_folds() {
    folds_.assign(types_.size(), {});
    each(k_.body, [&](const Instruction& in) {
      if (in.op == Op::scan) {
        Folds& f = folds_[static_cast<size_t>(root(in.operands[0]))];
        f.kept = f.kept.value_or(0) | scan_bits(tile_shape(types_[static_cast<size_t>(in.operands[0])]), in.dim);
        f.scanned = in.dim;
      }
      if (in.op != Op::reduce || in.dim == parts_dim) return;
      ValueId v = converted_from_[static_cast<size_t>(in.operands[0])];
      const uint32_t bits = fold_bits(tile_shape(types_[static_cast<size_t>(v)]), in.dim);
      for (; v >= 0; v = reshaped_from_[static_cast<size_t>(v)]) {  // which numbers elements alike
        std::optional<uint32_t>& kept = folds_[static_cast<size_t>(root(v))].kept;
        kept = kept.value_or(0) | bits;
      }
    });
  }

  /// Takes the preferred layouts of the widest accesses of one kind for all classes that have none yet.
  void choose_from(Op op) {
    std::vector<int64_t> best(types_.size(), -1);
    std::vector<std::optional<LinearLayout>> layout(types_.size());
    each(k_.body, [&](const Instruction& in) {
      if (in.op != op) return;
      const ValueId tile = op == Op::block_store ? in.operands.back() : in.results[0];
      if (!is_tile(tile)) return;
      const ValueId c = root(op == Op::block_store ? converted_from_[static_cast<size_t>(tile)]
                                                   : converted_to_[static_cast<size_t>(tile)]);
      const int64_t bytes = k_.parameters[static_cast<size_t>(in.index)].dtype.bytes();
      if (class_layout_[static_cast<size_t>(c)] || bytes <= best[static_cast<size_t>(c)]) return;
      best[static_cast<size_t>(c)] = bytes;
      layout[static_cast<size_t>(c)] = preferred(in, tile, folds_[static_cast<size_t>(c)]);
    });
    for (size_t c = 0; c < layout.size(); ++c)
      if (layout[c]) class_layout_[c] = layout[c];
  }

  /// Layout of the operand of a broadcast under the layout of its result.
  LinearLayout before_broadcast(const LinearLayout& result, const Type& operand) const {
    LinearLayout l = result;
    const TileShape shape = l.shape();
    for (int d = shape.rank; d-- > 0;)  // from the last: removing a dim renumbers those after it
      if (operand.dims[static_cast<size_t>(d)] == 1) l = l.remove_dim(d);
    return reshaped_to(l.without_free_registers(), operand);
  }

  /// remove_dim drops the dim; the IR keeps it with extent 1.
  static LinearLayout reshaped_to(const LinearLayout& l, const Type& type) {
    return l.reshape({type.dims.data(), static_cast<size_t>(type.rank)}).with_parts(type.parts);
  }

  /// Layout of the operand of an instruction under the layout of its result, if the instruction passes it on.
  std::optional<LinearLayout> before(const Instruction& in, const LinearLayout& result) const {
    const Type& operand = types_[static_cast<size_t>(in.operands[0])];
    if (in.op == Op::broadcast) return before_broadcast(result, operand);
    if (in.op == Op::reshape) return reshaped_to(result, operand);
    if (in.op != Op::trans) return std::nullopt;
    std::array<int, 4> inverse{};
    for (int i = 0; i < operand.rank; ++i) inverse[static_cast<size_t>(in.perm[static_cast<size_t>(i)])] = i;
    return result.transpose({inverse.data(), static_cast<size_t>(operand.rank)});
  }

  /// From stores towards loads: operands take the layout of what is made of them, so that where a load's layout cannot
  /// be kept, the conversion stands right behind the load.
  bool spread_once() {
    bool changed = false;
    each(k_.body, [&](const Instruction& in) {
      const bool passes = in.op == Op::broadcast || in.op == Op::reshape || in.op == Op::trans;
      if (!passes || !is_tile(in.operands[0])) return;
      const ValueId result = in.op == Op::broadcast ? in.results[0] : converted_to_[static_cast<size_t>(in.results[0])];
      const auto& to = layout_of_class(result);
      auto& from = layout_of_class(converted_from_[static_cast<size_t>(in.operands[0])]);
      if (!to || from) return;
      from = before(in, *to);
      changed = true;
    });
    return changed;
  }

  bool derive_once() {
    bool changed = false;
    each(k_.body, [&](const Instruction& in) {
      if (in.op == Op::scan) {
        const auto& from = layout_of_class(in.operands[0]);
        for (size_t k = in.operands.size(); from && k < in.results.size(); ++k) {
          const ValueId end = converted_to_[static_cast<size_t>(in.results[k])];
          if (end < 0 || layout_of_class(end)) continue;
          layout_of_class(end) = derived(in, *from);
          changed = true;
        }
        return;
      }
      if (in.op != Op::reduce && in.op != Op::reshape && in.op != Op::trans) return;
      const auto& from = layout_of_class(converted_from_[static_cast<size_t>(in.operands[0])]);
      auto& to = layout_of_class(converted_to_[static_cast<size_t>(in.results[0])]);
      if (!from || to) return;
      to = derived(in, *from);
      changed = true;
    });
    return changed;
  }

  LinearLayout derived(const Instruction& in, const LinearLayout& from) const {
    if (in.op == Op::reshape) return reshaped_to(from, in.type);
    if (in.op == Op::trans) {
      std::array<int, 4> order{};
      for (size_t i = 0; i < 4; ++i) order[i] = in.perm[i];
      return from.transpose({order.data(), static_cast<size_t>(in.type.rank)});
    }
    if (in.dim == parts_dim) return from.with_parts(1);
    const Type& folded = in.op == Op::scan ? in.result_types.back() : in.type;
    return reshaped_to(from.remove_dim(in.dim).without_free_registers(), folded);
  }

  void choose() {
    converted_from_.assign(types_.size(), -1);
    converted_to_.assign(types_.size(), -1);
    each(k_.body, [&](const Instruction& in) {
      if (in.op != Op::convert_layout) return;
      converted_from_[static_cast<size_t>(in.results[0])] = in.operands[0];
      converted_to_[static_cast<size_t>(in.operands[0])] = in.results[0];
    });
    reshaped_from_.assign(types_.size(), -1);
    each(k_.body, [&](const Instruction& in) {
      if (in.op != Op::reshape || !is_tile(in.operands[0])) return;
      reshaped_from_[static_cast<size_t>(converted_to_[static_cast<size_t>(in.results[0])])] =
          converted_from_[static_cast<size_t>(in.operands[0])];
    });
    collect_folds();
    choose_from(Op::block_store);
    while (spread_once()) {
    }
    choose_from(Op::block_load);
    while (spread_once() || derive_once()) {
    }
    for (size_t v = 0; v < types_.size(); ++v)
      if (types_[v].is_tile && !layout_of_class(static_cast<ValueId>(v))) {
        layout_of_class(static_cast<ValueId>(v)) =
            without_access(tile_shape(types_[v]), folds_[static_cast<size_t>(root(static_cast<ValueId>(v)))]);
        while (spread_once() || derive_once()) {
        }
      }
    each(k_.body, [&](const Instruction& in) {
      if (in.op != Op::scan) return;
      auto& of_class = layout_of_class(in.operands[0]);
      if (!scans_in_place(*of_class, in.dim))
        of_class = without_access(of_class->shape(), folds_[static_cast<size_t>(root(in.operands[0]))]);
    });
  }

  /// The access's own layout. What a thread holds beyond its vectors lies along the registers of the class, so that the
  /// conversion between the two moves several elements at a time.
  LinearLayout own_layout(const LinearLayout& of_class, const MemoryPattern& memory) const {
    BlockedLayout blocked = choose_blocked(of_class.shape(), threads(), memory);
    const int held = std::accumulate(blocked.vector.begin(), blocked.vector.end(), 0);
    const int left = of_class.shape().log_elements() - std::countr_zero(static_cast<uint32_t>(threads())) - held;
    for (int d = 0; d < of_class.rank(); ++d) {
      const auto dim = static_cast<size_t>(d);
      if (left <= 0 || of_class.bits(BitGroup::reg) == 0 || of_class.basis(BitGroup::reg, 0)[dim] != 1) continue;
      if (blocked.vector[dim] > 0) break;  // both run along one dim
      blocked.vector[dim] = std::min(left, of_class.shape().log_dim(d));
      spread_threads(blocked, threads());
    }
    return make_layout(blocked);
  }

  /// The class's layout if the access stays coalesced under it, else the access's own.
  LinearLayout layout_for_access(const Instruction& in, ValueId tile, const LinearLayout& of_class) const {
    const AccessPattern p = pattern(in, tile);
    const LinearLayout own = own_layout(of_class, p.memory);
    const AccessCost as_class = access_cost(of_class, p), as_own = access_cost(own, p);
    const bool good = as_class.sectors * own.registers() <= as_own.sectors * of_class.registers() * 5 / 4 &&
                      as_class.accesses <= 8 * as_own.accesses;
    return good ? of_class : own;
  }

  void assign(Region& r) {
    for (ValueId v : r.arguments) assign_class(v);
    for (Instruction& in : r.body) {
      if (in.op == Op::convert_layout) {
        // Into a class, or out of one for the consumer, which sets the layout below.
        assign_class(in.results[0]);
        continue_with(in);
      } else if (in.op == Op::block_load && in.type.is_tile) {
        layouts_[static_cast<size_t>(in.results[0])] =
            layout_for_access(in, in.results[0], *layout_of_class(converted_to_[static_cast<size_t>(in.results[0])]));
      } else if (in.op == Op::reduce || in.op == Op::reshape || in.op == Op::trans) {
        layouts_[static_cast<size_t>(in.results[0])] = derived(in, layouts_[static_cast<size_t>(in.operands[0])]);
      } else {
        for (ValueId v : in.results) assign_class(v);
        if (in.op == Op::scan)
          for (size_t k = in.operands.size(); k < in.results.size(); ++k)
            layouts_[static_cast<size_t>(in.results[k])] = derived(in, layouts_[static_cast<size_t>(in.operands[0])]);
      }
      for (Region& inner : in.regions) assign(inner);
    }
  }

  void assign_class(ValueId v) {
    if (is_tile(v)) layouts_[static_cast<size_t>(v)] = *layout_of_class(v);
  }

  /// The target layout of a conversion that feeds one consumer.
  void continue_with(const Instruction& c) {
    const ValueId v = c.results[0], from = c.operands[0];
    const Instruction* user = only_user(v);
    if (user == nullptr) return;
    LinearLayout& l = layouts_[static_cast<size_t>(v)];
    if (user->op == Op::broadcast)
      l = before_broadcast(*layout_of_class(user->results[0]), types_[static_cast<size_t>(v)]);
    if (user->op == Op::block_store) l = layout_for_access(*user, v, layouts_[static_cast<size_t>(from)]);
    if (user->op == Op::reduce || user->op == Op::reshape || user->op == Op::trans)
      l = layouts_[static_cast<size_t>(from)];
    if (user->op == Op::reduce && user->dim != parts_dim && !folds_in_place(l, user->dim))
      l = without_access(l.shape(), {.kept = fold_bits(l.shape(), user->dim)});
  }

  /// separate() made the conversions before consumers with exactly one user; those after producers have none of these.
  const Instruction* only_user(ValueId v) {
    if (users_.empty()) {
      users_.assign(types_.size(), nullptr);
      each(k_.body, [&](const Instruction& in) {
        const bool own = in.op == Op::reduce || in.op == Op::reshape || in.op == Op::trans || in.op == Op::broadcast ||
                         in.op == Op::block_store;
        if (own)
          for (ValueId o : in.operands)
            if (is_tile(o)) users_[static_cast<size_t>(o)] = &in;
      });
    }
    return users_[static_cast<size_t>(v)];
  }

  void drop_identities(Region& r) {
    std::vector<Instruction> body;
    for (Instruction& in : r.body) {
      for (ValueId& v : in.operands) v = replacement_[static_cast<size_t>(v)];
      for (Region& inner : in.regions) drop_identities(inner);
      if (in.op == Op::convert_layout &&
          layouts_[static_cast<size_t>(in.operands[0])] == layouts_[static_cast<size_t>(in.results[0])]) {
        replacement_[static_cast<size_t>(in.results[0])] = in.operands[0];
        continue;
      }
      body.push_back(std::move(in));
    }
    r.body = std::move(body);
  }

  Kernel k_;
  ScalarInfo info_;
  std::vector<Type> types_;
  std::vector<ValueId> parent_, converted_from_, converted_to_, reshaped_from_, replacement_;
  std::map<int32_t, ValueId> stores_;  ///< a value of each
  std::vector<std::optional<LinearLayout>> class_layout_;
  std::vector<LinearLayout> layouts_;
  std::vector<const Instruction*> users_;
  std::vector<bool> read_;    ///< is it an operand of the logical form
  std::vector<Folds> folds_;  ///< by root
};

}  // namespace

LaidOutKernel assign_layouts(Kernel kernel) {
  expand_grid_reduces(kernel);
  store_unrounded(kernel);
  return Assigner(std::move(kernel)).run();
}

BlockedLayout last_dim_first(const TileShape& shape) {
  BlockedLayout blocked;
  blocked.shape = shape;
  for (int d = 0; d < shape.rank; ++d) blocked.order[static_cast<size_t>(d)] = shape.rank - 1 - d;
  return blocked;
}

LinearLayout default_layout(const TileShape& shape, int threads) {
  BlockedLayout blocked = last_dim_first(shape);
  spread_threads(blocked, threads);
  return make_layout(blocked);
}

}  // namespace sinter::tile_ir
