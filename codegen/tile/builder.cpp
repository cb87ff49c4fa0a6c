// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/builder.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>

namespace sinter::tile_ir {

namespace {

[[noreturn]] void fail(const std::string& what) { throw CompileError("internal: tile kernel builder: " + what); }

/// The shape that both stretch to.
Type join_shapes(const Type& a, const Type& b) {
  if (!a.is_tile) return b;
  if (!b.is_tile) return a;
  Type r = a;
  bool fits = a.rank == b.rank;
  const auto join = [&](int32_t& x, int32_t y) {
    fits = fits && (x == y || x == 1 || y == 1);
    x = std::max(x, y);
  };
  join(r.parts, b.parts);
  for (size_t d = 0; d < r.dims.size(); ++d) join(r.dims[d], b.dims[d]);
  if (!fits) fail(fmt::format("{} and {} have no common shape", a.text(), b.text()));
  return r;
}

}  // namespace

KernelBuilder::KernelBuilder(std::string name) {
  kernel_.name = std::move(name);
  regions_ = {&kernel_.body};
}

KernelBuilder::KernelBuilder(std::vector<Parameter> parameters, std::vector<Type> values) : types_(std::move(values)) {
  kernel_.parameters = std::move(parameters);
  kernel_.value_count = static_cast<int32_t>(types_.size());
  regions_ = {&kernel_.body};
}

int KernelBuilder::add_pointer(std::string name, DType storage, PointerOptions options) {
  Parameter p;
  p.name = std::move(name);
  p.is_pointer = true;
  p.dtype = storage;
  p.written = options.written;
  p.no_alias = options.no_alias;
  p.alignment = options.alignment;
  kernel_.parameters.push_back(std::move(p));
  return static_cast<int>(kernel_.parameters.size()) - 1;
}

int KernelBuilder::add_scalar(std::string name, DType compute, int64_t divisibility) {
  Parameter p;
  p.name = std::move(name);
  p.dtype = compute;
  p.divisibility = divisibility;
  kernel_.parameters.push_back(std::move(p));
  return static_cast<int>(kernel_.parameters.size()) - 1;
}

const Type& KernelBuilder::type(Value v) const {
  if (v.id < 0 || static_cast<size_t>(v.id) >= types_.size()) fail(fmt::format("%{} is no value", v.id));
  return types_[static_cast<size_t>(v.id)];
}

Value KernelBuilder::new_value(const Type& type) {
  types_.push_back(type);
  return {kernel_.value_count++};
}

Value KernelBuilder::append(Instruction instruction) {
  const Value v = new_value(instruction.type);
  instruction.results = {v.id};
  regions_.back()->body.push_back(std::move(instruction));
  return v;
}

Value KernelBuilder::constant(Type type, uint64_t bits) {
  Instruction i{.op = Op::constant, .type = type, .bits = bits};
  return append(std::move(i));
}

Value KernelBuilder::constant(DType t, double v) { return constant(Type::scalar(t), scalar::constant_of(t, v).bits); }

Value KernelBuilder::literal(int64_t v) { return constant(Type::scalar(i64), static_cast<uint64_t>(v)); }

Value KernelBuilder::parameter(int index) {
  return append({.op = Op::parameter,
                 .type = Type::scalar(kernel_.parameters.at(static_cast<size_t>(index)).dtype),
                 .index = index});
}

Value KernelBuilder::program_id() { return append({.op = Op::program_id, .type = Type::scalar(i64)}); }

Value KernelBuilder::iota(int dim, Type shape) { return append({.op = Op::iota, .type = shape.with(i32), .dim = dim}); }

Value KernelBuilder::broadcast(Value v, Type shape) {
  const Type to = shape.with(type(v).dtype);
  if (type(v) == to) return v;
  return append({.op = Op::broadcast, .type = to, .operands = {v.id}});
}

Value KernelBuilder::reshape(Value v, std::vector<int32_t> dims) {
  const Type to = Type::tile(type(v).dtype, std::move(dims), type(v).parts);
  if (type(v) == to) return v;
  return append({.op = Op::reshape, .type = to, .operands = {v.id}});
}

Value KernelBuilder::trans(Value v, std::vector<int> perm) {
  Type to = type(v);
  if (perm.size() != static_cast<size_t>(to.rank) || perm.size() > to.dims.size())
    fail(fmt::format("trans of {} by {} dims", to.text(), perm.size()));
  Instruction i{.op = Op::trans, .operands = {v.id}};
  for (size_t d = 0; d < perm.size(); ++d) {
    i.perm.at(d) = static_cast<int8_t>(perm[d]);
    to.dims[d] = type(v).dims.at(static_cast<size_t>(perm[d]));
  }
  i.type = to;
  return append(std::move(i));
}

Value KernelBuilder::scalar(ScalarOp op, std::span<const Value> operands, DType attribute) {
  Type shape = type(operands[0]);
  std::vector<DType> dtypes;
  for (const Value v : operands) {
    shape = join_shapes(shape, type(v));
    dtypes.push_back(type(v).dtype);
  }
  const std::optional<DType> result = scalar::result_type(op, dtypes, attribute);
  if (!result) {
    std::string list;
    for (const DType t : dtypes) list += fmt::format("{}{}", list.empty() ? "" : ", ", t.name());
    fail(fmt::format("{} does not take ({})", scalar::info(op).name, list));
  }
  Instruction i{.op = Op::scalar, .scalar = op, .type = shape.with(*result), .dtype = attribute};
  for (const Value v : operands) i.operands.push_back(broadcast(v, shape).id);
  return append(std::move(i));
}

Value KernelBuilder::block_load(int pointer, Access access, std::vector<int32_t> dims, int32_t parts, Value fill) {
  const DType t = scalar::compute_type(kernel_.parameters.at(static_cast<size_t>(pointer)).dtype);
  Instruction i{.op = Op::block_load, .type = Type::tile(t, std::move(dims), parts), .index = pointer};
  if (access.is_masked()) i.operands = {fill.id};
  i.access = std::make_shared<Access>(std::move(access));
  return append(std::move(i));
}

void KernelBuilder::block_store(int pointer, Access access, Value value, CachePolicy policy) {
  Instruction i{.op = Op::block_store, .operands = {value.id}, .index = pointer, .policy = policy};
  i.access = std::make_shared<Access>(std::move(access));
  regions_.back()->body.push_back(std::move(i));
}

Value KernelBuilder::gather(int pointer, Value offsets, Value mask, Value fill) {
  const DType t = scalar::compute_type(kernel_.parameters.at(static_cast<size_t>(pointer)).dtype);
  Instruction i{.op = Op::gather, .type = type(offsets).with(t), .operands = {offsets.id}, .index = pointer};
  i.masked = mask.id >= 0;
  if (i.masked) i.operands.insert(i.operands.end(), {broadcast(mask, i.type).id, fill.id});
  return append(std::move(i));
}

void KernelBuilder::scatter(int pointer, Value offsets, Value value, Value mask, std::optional<ReduceKind> fold,
                            int32_t table) {
  const Type shape = type(offsets);  // broadcasts make new values
  Instruction i{.op = Op::scatter, .operands = {offsets.id, broadcast(value, shape).id}, .index = pointer};
  i.masked = mask.id >= 0;
  if (i.masked) i.operands.push_back(broadcast(mask, shape).id);
  i.fold = fold;
  i.table = table;
  regions_.back()->body.push_back(std::move(i));
}

void KernelBuilder::keep(const Store& store, Value slot, Value tile) {
  regions_.back()->body.push_back({.op = Op::keep,
                                   .dtype = store.dtype,
                                   .operands = {slot.id, tile.id},
                                   .bits = static_cast<uint64_t>(store.slots),
                                   .index = store.number});
}

Value KernelBuilder::recall(const Store& store, Value slot, const Type& tile) {
  return append({.op = Op::recall,
                 .type = tile,
                 .dtype = store.dtype,
                 .operands = {slot.id},
                 .bits = static_cast<uint64_t>(store.slots),
                 .index = store.number});
}

void KernelBuilder::stage(const Run& run, int pointer, Value base, Value count) {
  regions_.back()->body.push_back(
      {.op = Op::stage, .operands = {base.id, count.id}, .index = pointer, .run = std::make_shared<Run>(run)});
}

Value KernelBuilder::cluster_reduce(ReduceKind kind, std::span<const Value> tiles, int64_t elements) {
  Instruction in{.op = Op::cluster_reduce, .type = Type::tile(type(tiles[0]).dtype, {1})};
  for (Value v : tiles) in.operands.push_back(v.id);
  in.bits = static_cast<uint64_t>(elements);
  in.index = static_cast<int32_t>(kind);
  return append(std::move(in));
}

Value KernelBuilder::reduce(ReduceKind kind, int dim, Value v) {
  Type to = type(v);
  if (dim == parts_dim) {
    to.parts = 1;
  } else {
    to.dims.at(static_cast<size_t>(dim)) = 1;
  }
  return append({.op = Op::reduce, .type = to, .operands = {v.id}, .index = static_cast<int32_t>(kind), .dim = dim});
}

/// With the values of two elements as arguments.
Region KernelBuilder::combine_region(std::span<const Value> values, const Combine& combine) {
  std::vector<Value> arguments;
  for (int side = 0; side < 2; ++side)
    for (const Value v : values) arguments.push_back(new_value(Type::scalar(type(v).dtype)));
  std::vector<Type> yielded;
  const std::span<const Value> all = arguments;
  Region region = build_region([&] { return combine(all.first(values.size()), all.subspan(values.size())); }, yielded);
  for (const Value v : arguments) {
    region.arguments.push_back(v.id);
    region.argument_types.push_back(type(v));
  }
  return region;
}

std::vector<Value> KernelBuilder::append_several(Instruction i) {
  std::vector<Value> results;
  for (const Type& t : i.result_types) results.push_back(new_value(t));
  for (const Value v : results) i.results.push_back(v.id);
  regions_.back()->body.push_back(std::move(i));
  return results;
}

std::vector<Value> KernelBuilder::scan(int dim, std::span<const Value> values, const Combine& combine) {
  Instruction i{.op = Op::scan, .dim = dim};
  i.regions.push_back(combine_region(values, combine));
  for (const Value v : values) {
    i.operands.push_back(v.id);
    i.result_types.push_back(type(v));
  }
  for (const Value v : values) {
    i.result_types.push_back(type(v));
    i.result_types.back().dims.at(static_cast<size_t>(dim)) = 1;
  }
  return append_several(std::move(i));
}

Value KernelBuilder::ticket(int words, Value count) {
  return append({.op = Op::ticket, .type = Type::scalar(i64), .operands = {count.id}, .index = words});
}

std::vector<Value> KernelBuilder::grid_scan(int words, int64_t places, Value number, Value piece, Value count,
                                            std::span<const Value> values, const Combine& combine) {
  Instruction i{.op = Op::grid_scan, .operands = {number.id, piece.id, count.id}};
  i.bits = static_cast<uint64_t>(places);
  i.index = words;
  i.regions.push_back(combine_region(values, combine));
  for (const Value v : values) {
    i.operands.push_back(v.id);
    i.result_types.push_back(type(v));
  }
  return append_several(std::move(i));
}

std::vector<Value> KernelBuilder::grid_reduce(GridFold fold, Value group, Value piece, Value pieces,
                                              std::span<const Value> values) {
  Instruction i{.op = Op::grid_reduce, .operands = {group.id, piece.id, pieces.id}};
  i.result_types = {Type::scalar(boolean)};
  for (const Value v : values) {
    i.operands.push_back(v.id);
    i.result_types.push_back(type(v));
  }
  i.grid = std::make_shared<GridFold>(std::move(fold));
  std::vector<Value> results;
  for (const Type& t : i.result_types) results.push_back(new_value(t));
  for (const Value v : results) i.results.push_back(v.id);
  regions_.back()->body.push_back(std::move(i));
  return results;
}

Value KernelBuilder::arrive(int arrivals, Value group, Value count) {
  return append({.op = Op::arrive, .type = Type::scalar(boolean), .operands = {group.id, count.id}, .index = arrivals});
}

Region KernelBuilder::build_region(const std::function<std::vector<Value>()>& body, std::vector<Type>& yielded) {
  Region region;
  regions_.push_back(&region);
  Instruction yield{.op = Op::yield};
  yielded.clear();
  for (const Value v : body()) {
    yield.operands.push_back(v.id);
    yielded.push_back(type(v));
  }
  region.body.push_back(std::move(yield));
  regions_.pop_back();
  return region;
}

std::vector<Value> KernelBuilder::for_loop(Value lo, Value hi, Value step, const std::vector<Value>& initial,
                                           const LoopBody& body) {
  Instruction i{.op = Op::for_loop, .operands = {lo.id, hi.id, step.id}};
  const Value induction = new_value(Type::scalar(i64));
  std::vector<Value> carried;
  for (const Value v : initial) {
    i.operands.push_back(v.id);
    carried.push_back(new_value(type(v)));
  }
  std::vector<Type> yielded;
  Region region = build_region([&] { return body(induction, carried); }, yielded);
  region.arguments = {induction.id};
  region.argument_types = {Type::scalar(i64)};
  for (const Value v : carried) {
    region.arguments.push_back(v.id);
    region.argument_types.push_back(type(v));
  }
  i.regions.push_back(std::move(region));
  i.result_types = yielded;
  std::vector<Value> results;
  for (const Type& t : yielded) results.push_back(new_value(t));
  for (const Value v : results) i.results.push_back(v.id);
  regions_.back()->body.push_back(std::move(i));
  return results;
}

std::vector<Value> KernelBuilder::if_then(Value condition, const Branch& then, const Branch& otherwise) {
  Instruction i{.op = Op::if_then, .operands = {condition.id}};
  std::vector<Type> yielded, other;
  i.regions.push_back(build_region(then, yielded));
  i.regions.push_back(build_region(otherwise, other));
  if (yielded != other) fail("the two branches of an if yield different types");
  i.result_types = yielded;
  std::vector<Value> results;
  for (const Type& t : yielded) results.push_back(new_value(t));
  for (const Value v : results) i.results.push_back(v.id);
  regions_.back()->body.push_back(std::move(i));
  return results;
}

void KernelBuilder::status_check(int status_pointer, Value bad, uint64_t word) {
  regions_.back()->body.push_back(
      {.op = Op::status_check, .operands = {bad.id}, .bits = word, .index = status_pointer});
}

Kernel KernelBuilder::finish() {
  verify(kernel_);
  Kernel done = std::move(kernel_);
  kernel_ = {};
  types_.clear();
  return done;
}

}  // namespace sinter::tile_ir
