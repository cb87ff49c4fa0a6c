// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "codegen/tile/ir.h"

namespace sinter::tile_ir {

namespace {

constexpr int64_t max_tile_elements = int64_t{1} << 20;
constexpr int32_t max_pieces = 1 << 16;
constexpr int32_t max_cluster = 16;
constexpr int32_t max_stores = 64;
constexpr int64_t max_run_pieces = 64;
constexpr int32_t max_table = 1 << 14;
constexpr int64_t max_meeting = 1024;  ///< elements of a cluster

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), types_(static_cast<size_t>(kernel.value_count)) {}

  void run() {
    std::set<std::string> names;
    for (const Parameter& p : kernel_.parameters) {
      need(!p.name.empty() && names.insert(p.name).second, "parameter names must be distinct");
      need(p.is_pointer || scalar::is_compute_type(p.dtype), "scalar parameters have a compute type");
      need(p.alignment > 0 && std::has_single_bit(static_cast<uint32_t>(p.alignment)),
           "an alignment is a power of two");
      need(p.divisibility > 0, "a divisibility is positive");
    }
    need(kernel_.num_warps > 0, "a kernel has at least one warp");
    need(kernel_.cluster > 0 && kernel_.cluster <= max_cluster,
         fmt::format("a cluster has 1 to {} programs", max_cluster));
    region(kernel_.body, nullptr);
  }

 private:
  void need(bool condition, const std::string& what) const {
    if (condition) return;
    const std::string at = current_ ? fmt::format("`{}`: ", print(kernel_, *current_)) : "";
    throw CompileError(fmt::format("internal: tile kernel {}: {}{}", kernel_.name, at, what));
  }

  const Type& use(ValueId v) const {
    need(v >= 0 && v < kernel_.value_count && types_[static_cast<size_t>(v)].has_value(),
         fmt::format("%{} is not defined here", v));
    return *types_[static_cast<size_t>(v)];
  }
  const Type& operand(size_t k) const { return use(current_->operands.at(k)); }

  void define(ValueId v, const Type& t) {
    need(v >= 0 && v < kernel_.value_count, fmt::format("%{} is out of range", v));
    need(seen_.insert(v).second, fmt::format("%{} is defined twice", v));
    well_formed(t);
    types_[static_cast<size_t>(v)] = t;
    defined_.push_back(v);
  }

  void well_formed(const Type& t) const {
    need(scalar::is_compute_type(t.dtype), fmt::format("{} is no compute type", t.dtype.name()));
    need(t.is_tile || (t.rank == 0 && t.parts == 1), "a scalar has no dims");
    need(t.rank >= 0 && t.rank <= 4 && t.parts >= 1, "a tile has 0 to 4 dims and at least one part");
    for (size_t d = 0; d < t.dims.size(); ++d) {
      const int32_t n = t.dims[d];
      need(n > 0 && std::has_single_bit(static_cast<uint32_t>(n)),
           fmt::format("dim {} of {} is no power of two", d, t.text()));
      need(static_cast<int>(d) < t.rank || n == 1, "dims past the rank are 1");
    }
    need(t.elements() <= max_tile_elements, fmt::format("{} has more than {} elements", t.text(), max_tile_elements));
  }

  void is_index(const IndexOperand& x) const {
    if (!x.is_literal()) need(use(x.value) == Type::scalar(i64), fmt::format("%{} must be an i64 scalar", x.value));
  }

  void access(const Type& tile) const {
    need(current_->access != nullptr, "an access is missing");
    const Access& a = *current_->access;
    need(tile.is_tile && a.dims.size() == static_cast<size_t>(tile.rank),
         fmt::format("the access has {} dims, the tile is {}", a.dims.size(), tile.text()));
    is_index(a.base);
    const auto along = [&](const AccessDim& d) {
      is_index(d.origin);
      is_index(d.stride);
      if (d.masked) is_index(d.extent);
    };
    along(a.parts);
    for (const AccessDim& d : a.dims) along(d);
    need(a.alignment > 0 && std::has_single_bit(static_cast<uint32_t>(a.alignment)),
         "an alignment must be a power of two");
    if (a.row_masked) {
      need(!a.dims.empty() && !a.parts.masked && !a.dims.back().masked,
           "a masked row excludes masks of parts and last dim");
      is_index(a.row_extent);
    }
    if (a.run >= 0) of_run(tile, a);
  }

  void of_run(const Type& tile, const Access& a) const {
    const auto run = runs_.find(a.run);
    need(current_->op == Op::block_load && run != runs_.end() && run->second == current_->index,
         "no such run of the pointer was staged");
    need(tile.rank == 1 && tile.parts == 1 && a.parts == AccessDim{} && a.dims[0].stride == IndexOperand{-1, 1},
         "what is read of a run is a tile of one dim, whose elements lie side by side");
  }

  DType pointee(bool written) const {
    const int p = current_->index;
    need(p >= 0 && static_cast<size_t>(p) < kernel_.parameters.size(), "no such parameter");
    const Parameter& parameter = kernel_.parameters[static_cast<size_t>(p)];
    need(parameter.is_pointer, fmt::format("@{} is no pointer", parameter.name));
    need(!written || parameter.written, fmt::format("@{} is not declared written", parameter.name));
    return scalar::compute_type(parameter.dtype);
  }

  void count(size_t n) const {
    need(current_->operands.size() == n, fmt::format("{} operands, expected {}", current_->operands.size(), n));
  }
  void one_result(size_t n = 1) const {
    need(current_->results.size() == n, fmt::format("{} results, expected {}", current_->results.size(), n));
  }

  void fill(const Type& t, const Type& tile) const {
    need(t == Type::scalar(tile.dtype) || (current_->op == Op::gather && t == tile),
         fmt::format("the fill is {}, the tile {}", t.text(), tile.text()));
  }

  void memory(const Instruction& i) {
    const bool stores = i.op == Op::block_store || i.op == Op::scatter;
    const DType element = pointee(stores);
    one_result(stores ? 0 : 1);
    if (i.op == Op::block_load) {
      access(i.type);
      need(i.type.dtype == element, fmt::format("@{} gives {}", parameter_name(i), element.name()));
      count(i.access->is_masked() ? 1 : 0);
      if (!i.operands.empty()) fill(operand(0), i.type);
      return;
    }
    if (i.op == Op::block_store) {
      count(1);
      access(operand(0));
      need(operand(0).dtype == element, fmt::format("@{} takes {}", parameter_name(i), element.name()));
      return;
    }
    count((stores ? 2u : 1u) + (i.masked ? (stores ? 1u : 2u) : 0u));
    const Type& offsets = operand(0);
    need(offsets.is_tile && (offsets.dtype == i32 || offsets.dtype == i64), "offsets are an i32 or i64 tile");
    const Type& value = stores ? operand(1) : i.type;
    need(value == offsets.with(element),
         fmt::format("expected {}, got {}", offsets.with(element).text(), value.text()));
    if (i.fold) {
      const DType t = storage(i);
      need(i.op == Op::scatter && *i.fold != ReduceKind::prod, "only a scatter folds, and no products");
      need(t == i32 || t == u32 || t == i64 || t == u64, "only integers of 32 and 64 bits accumulate");
    }
    need(i.table <= max_table, fmt::format("at most {} places in a table", max_table));
    need(i.table == 0 || (i.table > 0 && i.fold == ReduceKind::sum), "only sums meet in a table");
    if (i.table > 0) need(tables_.try_emplace(i.index, i.table).first->second == i.table, "a pointer has one table");
    if (i.masked)
      need(operand(stores ? 2 : 1) == offsets.with(boolean), "the mask is a boolean tile of the offsets' shape");
    if (i.masked && !stores) fill(operand(2), i.type);
  }

  DType storage(const Instruction& i) const { return kernel_.parameters[static_cast<size_t>(i.index)].dtype; }
  std::string parameter_name(const Instruction& i) const {
    return kernel_.parameters[static_cast<size_t>(i.index)].name;
  }

  void broadcast(const Instruction& i) const {
    count(1);
    const Type& from = operand(0);
    bool fits = from.dtype == i.type.dtype && i.type.is_tile && (!from.is_tile || from.rank == i.type.rank);
    if (from.is_tile) {
      fits = fits && (from.parts == i.type.parts || from.parts == 1);
      for (size_t d = 0; d < from.dims.size(); ++d)
        fits = fits && (from.dims[d] == i.type.dims[d] || from.dims[d] == 1);
    }
    need(fits, fmt::format("{} does not stretch to {}", from.text(), i.type.text()));
  }

  void trans(const Instruction& i) const {
    count(1);
    Type to = operand(0);
    unsigned seen = 0;
    for (int d = 0; d < to.rank; ++d) {
      const int from = i.perm[static_cast<size_t>(d)];
      need(from >= 0 && from < to.rank, "a permutation of the dims");
      seen |= 1u << from;
      to.dims[static_cast<size_t>(d)] = operand(0).dims[static_cast<size_t>(from)];
    }
    need(seen == (1u << to.rank) - 1 && to == i.type, fmt::format("the permuted type is {}", to.text()));
  }

  void scalar_op(const Instruction& i) const {
    const scalar::ScalarOpInfo& row = scalar::info(i.scalar);
    count(static_cast<size_t>(row.arity));
    std::vector<DType> dtypes;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      need(operand(k).with(f32) == i.type.with(f32), fmt::format("operand {} is {}", k, operand(k).text()));
      dtypes.push_back(operand(k).dtype);
    }
    const std::optional<DType> result = scalar::result_type(i.scalar, dtypes, i.dtype);
    need(result.has_value(), "operand types or attribute do not fit the op");
    need(*result == i.type.dtype, fmt::format("the result is {}", result->name()));
  }

  void reduce(const Instruction& i) const {
    count(1);
    Type to = operand(0);
    need(i.index >= 0 && i.index < static_cast<int>(std::size(reduce_kind_names)), "no such kind of reduction");
    need(to.is_tile && i.dim >= parts_dim && i.dim < to.rank, "no such dim");
    const bool boolean_order = to.dtype.is_boolean() && i.index < static_cast<int>(ReduceKind::amax);
    need(!boolean_order, "a boolean has no sum or product");
    (i.dim == parts_dim ? to.parts : to.dims[static_cast<size_t>(i.dim)]) = 1;
    need(to == i.type, fmt::format("the folded type is {}", to.text()));
  }

  void store(const Instruction& i) {
    const bool keeps = i.op == Op::keep;
    count(keeps ? 2 : 1);
    one_result(keeps ? 0 : 1);
    need(operand(0) == Type::scalar(i64), "a slot is an i64 scalar");
    const Type& tile = keeps ? operand(1) : i.type;
    need(tile.is_tile && tile.dtype == scalar::compute_type(i.dtype),
         fmt::format("a tile of {} is kept as {}", scalar::compute_type(i.dtype).name(), i.dtype.name()));
    need(i.index >= 0 && i.index < max_stores, fmt::format("at most {} stores", max_stores));
    need(i.bits > 0 && i.bits * static_cast<uint64_t>(tile.elements()) <= max_tile_elements, "slots");
    const auto [at, added] = stores_.try_emplace(i.index, StoreShape{tile, i.dtype, i.bits});
    need(!added || keeps, "nothing was kept there");
    need(at->second == StoreShape{tile, i.dtype, i.bits}, "the store has another tile, dtype or number of slots");
  }

  void stage(const Instruction& i) {
    need(i.run != nullptr, "a stage without its run");
    pointee(false);
    need(!kernel_.parameters[static_cast<size_t>(i.index)].written &&
             kernel_.parameters[static_cast<size_t>(i.index)].no_alias,
         "what is staged is not written");
    count(2);
    one_result(0);
    for (size_t k = 0; k < 2; ++k) need(operand(k) == Type::scalar(i64), "base and count are i64 scalars");
    need(!in_loop_ && !in_branch_, "a run is staged outside of loops and branches");
    need(i.run->most > 0 && i.run->most <= max_tile_elements, fmt::format("1 to {} elements", max_tile_elements));
    need(i.run->piece > 0 && i.run->piece % 16 == 0, "pieces are of a multiple of 16 elements");
    need(i.run->pieces() <= max_run_pieces, fmt::format("at most {} pieces", max_run_pieces));
    need(runs_.try_emplace(i.run->number, i.index).second, "a run is staged once");
  }

  /// Programs of a cluster meet where all of them come.
  void cluster_reduce(const Instruction& i) const {
    need(!i.operands.empty(), "nothing to fold");
    need(!in_loop_ && !in_branch_, "a cluster meets outside of loops and branches");
    need(i.index >= 0 && i.index < static_cast<int>(std::size(reduce_kind_names)), "no such kind of reduction");
    need(i.type.is_tile && i.type.elements() == 1, "the result is a tile of one element");
    int64_t elements = 0;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Type& t = operand(k);
      need(t.is_tile && t.parts == 1 && t.dtype == i.type.dtype, "values are tiles of the result's type, of one part");
      elements += t.elements();
    }
    need(i.bits > 0 && static_cast<int64_t>(i.bits) <= elements,
         fmt::format("a program has {} elements, of which {} are folded", elements, i.bits));
    need(static_cast<int64_t>(i.bits) * kernel_.cluster <= max_meeting,
         fmt::format("at most {} elements meet", max_meeting));
    need(!i.type.dtype.is_boolean() || i.index >= static_cast<int>(ReduceKind::amax),
         "a boolean has no sum or product");
  }

  void scan(const Instruction& i) {
    const size_t n = i.operands.size();
    need(n > 0 && i.result_types.size() == 2 * n, "two results for each value");
    one_result(2 * n);
    for (size_t k = 0; k < n; ++k) {
      const Type& t = operand(k);
      need(t.is_tile && t.parts == 1 && i.dim >= 0 && i.dim < t.rank, "no such dim of a tile of one part");
      need(t.with(f32) == operand(0).with(f32), "values have one shape");
      Type end = t;
      end.dims[static_cast<size_t>(i.dim)] = 1;
      need(i.result_types[k] == t && i.result_types[n + k] == end, fmt::format("{} and {}", t.text(), end.text()));
    }
    combine(i, 0);
  }

  /// The region of a scan, whose values are the operands from `first` on.
  void combine(const Instruction& i, size_t first) {
    const size_t n = i.operands.size() - first;
    need(i.regions.size() == 1, "a scan has a region");
    const Region& r = i.regions[0];
    need(r.arguments.size() == 2 * n && r.argument_types.size() == 2 * n, "the region has two arguments a value");
    for (size_t k = 0; k < n; ++k) {
      const Type t = Type::scalar(operand(first + k).dtype);
      need(r.argument_types[k] == t && r.argument_types[n + k] == t, "arguments are scalars of the values' types");
    }
    std::set<ValueId> own(r.arguments.begin(), r.arguments.end());
    for (const Instruction& in : r.body) {
      need(in.op == Op::constant || in.op == Op::scalar || in.op == Op::yield, "a combine is of scalar ops");
      need(!in.type.is_tile, "a combine is of scalars");
      for (const ValueId v : in.operands) need(own.contains(v), "a combine reads its arguments alone");
      own.insert(in.results.begin(), in.results.end());
    }
    region(r, &i);
  }

  /// Memory that other programs of the kernel write.
  void shared_pointer(int p, DType compute) const {
    need(p >= 0 && static_cast<size_t>(p) < kernel_.parameters.size(), "no such parameter");
    const Parameter& parameter = kernel_.parameters[static_cast<size_t>(p)];
    need(parameter.is_pointer && parameter.written && !parameter.no_alias && parameter.dtype == compute,
         fmt::format("@{} must be {}* written may_alias", parameter.name, compute.name()));
  }

  void grid_scan(const Instruction& i) {
    need(i.operands.size() > 3 && i.result_types.size() == i.operands.size() - 3, "a result for each value");
    one_result(i.operands.size() - 3);
    for (size_t k = 0; k < 3; ++k) need(operand(k) == Type::scalar(i64), "number, piece and count are i64 scalars");
    need(i.bits > 0 && i.bits <= max_pieces, fmt::format("1 to {} places", max_pieces));
    shared_pointer(i.index, u32);
    for (size_t k = 3; k < i.operands.size(); ++k)
      need(operand(k).is_tile && operand(k).elements() == 1 && operand(k) == i.result_types[k - 3],
           "values are tiles of one element");
    combine(i, 3);
  }

  void grid_reduce(const Instruction& i) const {
    need(i.grid != nullptr, "a grid_reduce without its fold");
    const GridFold& g = *i.grid;
    const size_t n = g.kinds.size();
    need(n > 0 && g.partials.size() == n, "a pointer for each value");
    count(n + 3);
    for (size_t k = 0; k < 3; ++k) need(operand(k) == Type::scalar(i64), "group, piece and pieces are i64 scalars");
    need(g.most > 0 && g.most <= max_pieces, fmt::format("1 to {} pieces", max_pieces));
    shared_pointer(g.arrivals, u32);
    one_result(n + 1);
    need(i.result_types.size() == n + 1 && i.result_types[0] == Type::scalar(boolean),
         "whether the program came last, and its values");
    for (size_t k = 0; k < n; ++k) {
      const Type& t = operand(k + 3);
      need(t.is_tile && t.parts == 1 && t == i.result_types[k + 1], "values are tiles of one part");
      need(!t.dtype.is_boolean() || g.kinds[k] >= ReduceKind::amax, "a boolean has no sum or product");
      shared_pointer(g.partials[k], t.dtype);
    }
  }

  /// A program that left one meeting must not come to another in the same words before all left the first. Those that
  /// came last may meet again, in other words.
  void only_meeting() {
    need(!in_loop_, "programs meet in a loop");
    need(!meets_, "programs meet twice");
    meets_ = true;
  }

  void arrive(const Instruction& i) const {
    count(2);
    for (size_t k = 0; k < 2; ++k) need(operand(k) == Type::scalar(i64), "group and count are i64 scalars");
    shared_pointer(i.index, u32);
    need(i.type == Type::scalar(boolean), "whether the program came last");
    one_result();
  }

  void loop(const Instruction& i) {
    need(i.operands.size() >= 3 && i.regions.size() == 1, "a for has lo, hi, step and one region");
    for (size_t k = 0; k < 3; ++k) need(operand(k) == Type::scalar(i64), "lo, hi and step are i64 scalars");
    const Region& r = i.regions[0];
    const size_t carried = i.operands.size() - 3;
    one_result(carried);
    need(
        r.arguments.size() == carried + 1 && r.argument_types.size() == carried + 1 && i.result_types.size() == carried,
        fmt::format("{} carried values, but {} results", carried, i.result_types.size()));
    need(r.argument_types[0] == Type::scalar(i64), "the induction variable is i64");
    for (size_t k = 0; k < carried; ++k)
      need(operand(k + 3) == r.argument_types[k + 1] && operand(k + 3) == i.result_types[k],
           fmt::format("carried value {} starts as {} and ends as {}", k, operand(k + 3).text(),
                       i.result_types[k].text()));
    const bool outer = std::exchange(in_loop_, true);
    region(r, &i);
    in_loop_ = outer;
  }

  void branch(const Instruction& i) {
    count(1);
    need(operand(0) == Type::scalar(boolean) && i.regions.size() == 2, "an if has a boolean scalar and two regions");
    one_result(i.result_types.size());
    if (i.operands[0] == last_) meets_ = false;
    const bool outer = std::exchange(in_branch_, true);
    region(i.regions[0], &i);
    meets_ = meets_ || i.operands[0] == last_;
    region(i.regions[1], &i);
    in_branch_ = outer;
  }

  /// Values of a region end with it; it ends with a yield of its owner's results.
  void region(const Region& r, const Instruction* owner) {
    const size_t before = defined_.size();
    for (size_t k = 0; k < r.arguments.size(); ++k) define(r.arguments[k], r.argument_types[k]);
    for (size_t k = 0; k < r.body.size(); ++k) {
      current_ = &r.body[k];
      const bool last = k + 1 == r.body.size();
      need((current_->op == Op::yield) == (owner && last),
           owner ? "a region ends with its only yield" : "yield outside a region");
      if (current_->op == Op::yield)
        yields(*owner);
      else
        instruction(r.body[k]);
    }
    current_ = owner;
    need(!owner || !r.body.empty(), "a region without yield");
    for (; defined_.size() > before; defined_.pop_back()) types_[static_cast<size_t>(defined_.back())].reset();
  }

  void yields(const Instruction& owner) const {
    std::vector<Type> types = owner.result_types;
    if (owner.op == Op::scan || owner.op == Op::grid_scan) {
      types.resize(owner.regions[0].arguments.size() / 2);
      for (Type& t : types) t = Type::scalar(t.dtype);
    }
    need(current_->operands.size() == types.size(),
         fmt::format("yields {} values, expected {}", current_->operands.size(), types.size()));
    for (size_t k = 0; k < current_->operands.size(); ++k)
      need(operand(k) == types[k], fmt::format("yields {}, expected {}", operand(k).text(), types[k].text()));
  }

  void plain(const Instruction& i) const {
    switch (i.op) {
      case Op::constant:
        count(0);
        break;
      case Op::parameter:
        count(0);
        need(i.index >= 0 && static_cast<size_t>(i.index) < kernel_.parameters.size(), "no such parameter");
        need(!kernel_.parameters[static_cast<size_t>(i.index)].is_pointer &&
                 i.type == Type::scalar(kernel_.parameters[static_cast<size_t>(i.index)].dtype),
             "a scalar parameter and its type");
        break;
      case Op::program_id:
        need(i.type == Type::scalar(i64), "program_id is i64");
        break;
      case Op::iota:
        need(i.type.is_tile && i.type.dtype == i32 && i.dim >= parts_dim && i.dim < i.type.rank,
             "an i32 tile and one of its dims");
        break;
      case Op::broadcast:
        broadcast(i);
        break;
      case Op::reshape:
        count(1);
        need(operand(0).is_tile && i.type.is_tile && operand(0).dtype == i.type.dtype &&
                 operand(0).parts == i.type.parts && operand(0).part_elements() == i.type.part_elements(),
             fmt::format("{} does not reshape", operand(0).text()));
        break;
      case Op::trans:
        trans(i);
        break;
      case Op::scalar:
        scalar_op(i);
        break;
      case Op::reduce:
        reduce(i);
        break;
      case Op::cluster_reduce:
        cluster_reduce(i);
        break;
      default:
        need(false, "not an operation of the logical form");
    }
    one_result();
  }

  void instruction(const Instruction& i) {
    switch (i.op) {
      case Op::block_load:
      case Op::block_store:
      case Op::gather:
      case Op::scatter:
        memory(i);
        break;
      case Op::keep:
      case Op::recall:
        store(i);
        break;
      case Op::stage:
        stage(i);
        break;
      case Op::status_check:
        count(1);
        one_result(0);
        pointee(true);
        need(storage(i) == u32 || storage(i) == u64, "the status word is u32 or u64");
        need(operand(0).dtype.is_boolean(), "checks a boolean");
        break;
      case Op::scan:
        scan(i);
        break;
      case Op::grid_scan:
        only_meeting();
        grid_scan(i);
        break;
      case Op::ticket:
        need(!in_loop_ && !std::exchange(has_ticket_, true), "a program takes one ticket");
        count(1);
        need(operand(0) == Type::scalar(i64) && i.type == Type::scalar(i64), "count and number are i64 scalars");
        shared_pointer(i.index, u32);
        one_result();
        break;
      case Op::grid_reduce:
        only_meeting();
        grid_reduce(i);
        break;
      case Op::arrive:
        only_meeting();
        arrive(i);
        if (!i.results.empty()) last_ = i.results[0];
        break;
      case Op::for_loop:
        loop(i);
        break;
      case Op::if_then:
        branch(i);
        break;
      default:
        plain(i);
    }
    current_ = &i;
    const std::vector<Type> types = result_types(i);
    for (size_t k = 0; k < i.results.size(); ++k) define(i.results[k], types[k]);
  }

  /// What all instructions of a store agree on.
  struct StoreShape {
    Type tile;
    DType dtype;
    uint64_t slots;
    friend bool operator==(const StoreShape&, const StoreShape&) = default;
  };

  const Kernel& kernel_;
  const Instruction* current_ = nullptr;
  std::map<int32_t, StoreShape> stores_;
  std::map<int32_t, int32_t> tables_;  ///< elements, by pointer
  std::map<int32_t, int32_t> runs_;    ///< pointer by number
  std::vector<std::optional<Type>> types_;
  std::vector<ValueId> defined_;
  std::set<ValueId> seen_;
  bool in_loop_ = false, in_branch_ = false, meets_ = false, has_ticket_ = false;
  ValueId last_ = -1;  ///< says who came last to the latest arrival
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace sinter::tile_ir
