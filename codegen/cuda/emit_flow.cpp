// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>

#include "codegen/cuda/emit.h"
#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/prelude.h"

namespace sinter::cuda {

Emitter::Emitter(const tile_ir::LaidOutKernel& kernel, bool exchanges_wait)
    : k_(kernel), exchanges_wait_(exchanges_wait), info_(kernel.kernel) {
  const auto n = static_cast<size_t>(k_.kernel.value_count);
  names_.resize(n);
  definitions_.resize(n);
  users_.resize(n);
  for (size_t v = 0; v < n; ++v) names_[v] = fmt::format("v{}", v);
  collect_uses(k_.kernel.body);
  collect_stores(k_.kernel.body);
  collect_tables(k_.kernel.body);
  collect_storage();
}

namespace {

bool is_small_integer(DType t) { return t == u8 || t == i8 || t == u16 || t == i16; }

}  // namespace

/// What can stay in its storage type on the way from memory to its use.
void Emitter::collect_storage() {
  wire_.resize(definitions_.size());
  reads_as_float_.resize(definitions_.size());
  raw_.resize(definitions_.size());
  for (size_t v = 0; v < definitions_.size(); ++v) {
    const Instruction* d = definitions_[v];
    if (d == nullptr || d->op != Op::convert_layout) continue;
    const auto from = static_cast<size_t>(d->operands[0]);
    const Instruction* load = definitions_[from];
    if (load != nullptr && load->op == Op::block_load && users_[from].size() == 1 && pointer(*load).dtype.bits() < 32 &&
        fill_words(*load))
      wire_[v] = pointer(*load).dtype;
  }
  for (size_t v = 0; v < definitions_.size(); ++v) {
    const std::optional<DType> storage = storage_of(static_cast<ValueId>(v));
    if (!storage || users_[v].empty()) continue;
    raw_[v] = storage->bits() < 32 && stays_raw(static_cast<ValueId>(v), *storage);
    const Op op = definitions_[v]->op;
    reads_as_float_[v] =
        is_small_integer(*storage) && op != Op::reshape && op != Op::trans &&
        std::ranges::all_of(users_[v], [](const Instruction* u) {
          return u->op == Op::scalar && u->scalar == ScalarOp::convert && scalar::compute_type(u->dtype) == f32;
        });
  }
}

/// The storage type whose elements a value consists of, because they come from memory as they are.
std::optional<DType> Emitter::storage_of(ValueId v) const {
  const Instruction* d = definitions_[static_cast<size_t>(v)];
  if (d == nullptr || !type(v).is_tile) return std::nullopt;
  if (d->op == Op::convert_layout) return wire_[static_cast<size_t>(v)];
  if (d->op == Op::reshape || d->op == Op::trans) return storage_of(d->operands[0]);
  if (d->op == Op::recall) return d->dtype;
  if (d->op == Op::gather || (d->op == Op::block_load && fill_words(*d))) return pointer(*d).dtype;
  return std::nullopt;
}

/// Is a value of a storage type only stored to memory of that type?
bool Emitter::stays_raw(ValueId v, DType storage) const {
  const Instruction& d = *definitions_[static_cast<size_t>(v)];
  if (d.op == Op::gather && !fill_words(d)) return false;
  return std::ranges::all_of(users_[static_cast<size_t>(v)], [&](const Instruction* u) {
    if (u->op == Op::reshape || u->op == Op::trans) return stays_raw(u->results[0], storage);
    if (u->op == Op::keep) return u->dtype == storage;
    return u->op == Op::block_store && pointer(*u).dtype == storage;
  });
}

/// Does a region move anything through shared memory?
bool Emitter::exchanges(const Region& r) const {
  return std::ranges::any_of(r.body, [&](const Instruction& in) {
    if ((in.op == Op::reduce || in.op == Op::scan) && in.dim != tile_ir::parts_dim) {
      // Through shared memory where warps hold different elements along the dim.
      const LinearLayout& l = layout(in.operands[0]);
      for (int b = 0; b < l.bits(tile_ir::BitGroup::warp); ++b)
        if (l.basis(tile_ir::BitGroup::warp, b)[static_cast<size_t>(in.dim)] != 0) return true;
    }
    if (in.op == Op::convert_layout && !is_inlined(in.operands[0]) &&
        conversion(in).kind == tile_ir::ConvertKind::shared)
      return true;
    return std::ranges::any_of(in.regions, [&](const Region& inner) { return exchanges(inner); });
  });
}

void Emitter::collect_uses(const Region& r) {
  for (const Instruction& in : r.body) {
    if (in.results.size() == 1) definitions_[static_cast<size_t>(in.results[0])] = &in;
    for (ValueId v : in.operands) users_[static_cast<size_t>(v)].push_back(&in);
    for (const Region& inner : in.regions) collect_uses(inner);
  }
}

void Emitter::declare(ValueId v, const std::string& n) {
  if (type(v).is_tile)
    line("{} {}[{}];",
         raw_[static_cast<size_t>(v)]              ? "unsigned"
         : reads_as_float_[static_cast<size_t>(v)] ? "float"
                                                   : compute_name(type(v).dtype),
         n, layout(v).registers());
  else
    line("{} {};", compute_name(type(v).dtype), n);
}

void Emitter::scalar_instruction(const Instruction& in) {
  const ValueId v = in.results[0];
  const char* c = compute_name(in.type.dtype);
  switch (in.op) {
    case Op::constant:
      names_[static_cast<size_t>(v)] = literal(in.type.dtype, in.bits);
      return;
    case Op::program_id:
      line("const long long {} = blockIdx.x;", name(v));
      return;
    case Op::arrive:
      line("const bool {} = sn_arrive(p{} + {}, (unsigned){});", name(v), in.index, name(in.operands[0]),
           name(in.operands[1]));
      shared_dirty_ = false;  // it has barriers
      return;
    case Op::ticket:
      use_shared(16);
      line("const long long {} = sn_ticket(p{}, (unsigned){}, shared);", name(v), in.index, name(in.operands[0]));
      return;
    case Op::parameter: {
      const std::string slot = fmt::format("s{}", in.index);
      if (in.type.dtype.bits() == 64)
        line("const {0} {1} = sn_bitcast<{0}>({2});", c, name(v), slot);
      else if (in.type.dtype == boolean)
        line("const bool {} = {} != 0;", name(v), slot);
      else
        line("const {0} {1} = sn_bitcast<{0}>((unsigned){2});", c, name(v), slot);
      return;
    }
    default: {
      std::vector<std::string> operands;
      for (ValueId o : in.operands) operands.push_back(name(o));
      line("const {} {} = {};", c, name(v), expression(in, operands));
    }
  }
}

void Emitter::copy_value(const std::string& to, ValueId from) {
  if (!type(from).is_tile) {
    line("{} = {};", to, name(from));
    return;
  }
  ready(from);
  const RegisterText at = open_loops(layout(from));
  line("{}[{}] = {};", to, at.r, reference(from, layout(from), at));
  close_loops(layout(from));
}

/// Ends a region: what it yields goes to the targets, through copies, since a target may itself be yielded elsewhere.
void Emitter::assign_yields(const Region& r, const std::vector<ValueId>& targets) {
  const Instruction& yield = r.body.back();
  std::vector<std::string> copies(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    const ValueId v = yield.operands[i];
    const bool is_target = std::ranges::any_of(targets, [&](ValueId t) { return name(t) == name(v); });
    if (!is_target || name(v) == name(targets[i])) continue;
    copies[i] = fresh("y");
    declare(v, copies[i]);
    copy_value(copies[i], v);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const ValueId v = yield.operands[i];
    if (name(v) == name(targets[i])) continue;
    if (copies[i].empty()) {
      copy_value(name(targets[i]), v);
    } else {
      const std::string kept = std::exchange(names_[static_cast<size_t>(v)], copies[i]);
      copy_value(name(targets[i]), v);
      names_[static_cast<size_t>(v)] = kept;
    }
  }
}

void Emitter::for_loop(const Instruction& in) {
  flush_all();
  const Region& body = in.regions[0];
  std::vector<ValueId> carried(body.arguments.begin() + 1, body.arguments.end());
  for (size_t i = 0; i < carried.size(); ++i) {
    declare(carried[i], name(carried[i]));
    copy_value(name(carried[i]), in.operands[3 + i]);
    names_[static_cast<size_t>(in.results[i])] = name(carried[i]);
  }
  auto outer = std::exchange(loaded_, {});
  if (exchanges(body)) shared_dirty_ = true;  // by the iteration before
  const std::string& i = name(body.arguments[0]);
  line("#pragma unroll 1");
  line("for (long long {0} = {1}; {0} < {2}; {0} += {3}) {{", i, name(in.operands[0]), name(in.operands[1]),
       name(in.operands[2]));
  ++indent_;
  region(body);
  assign_yields(body, carried);
  pending_.clear();  // nobody reads it
  close();
  loaded_ = std::move(outer);
}

void Emitter::if_then(const Instruction& in) {
  flush_all();
  for (ValueId v : in.results) declare(v, name(v));
  line("if ({}) {{", name(in.operands[0]));
  const auto outer = std::exchange(loaded_, {});
  const bool dirty_before = shared_dirty_;
  bool dirty_after = false;
  for (size_t branch = 0; branch < 2; ++branch) {
    ++indent_;
    shared_dirty_ = dirty_before;
    region(in.regions[branch]);
    assign_yields(in.regions[branch], in.results);
    pending_.clear();
    loaded_.clear();
    dirty_after = dirty_after || shared_dirty_;
    --indent_;
    if (branch == 0) line("}} else {{");
  }
  shared_dirty_ = dirty_after;
  loaded_ = outer;
  line("}}");
}

void Emitter::instruction(const Instruction& in) {
  if (in.results.size() == 1 && !in.type.is_tile && in.regions.empty()) {
    scalar_instruction(in);
    return;
  }
  if (in.op == Op::scalar) {
    add_to_group(in);
    return;
  }
  if (in.op == Op::constant || in.op == Op::iota || in.op == Op::broadcast || in.op == Op::yield) return;
  flush_for(in);
  switch (in.op) {
    case Op::block_load:
      block_load(in);
      break;
    case Op::block_store:
      block_store(in);
      break;
    case Op::gather:
      gather(in);
      break;
    case Op::scatter:
      scatter(in);
      break;
    case Op::keep:
    case Op::recall:
    case Op::stage:
      program_memory(in);
      break;
    case Op::cluster_reduce:
      cluster_reduce(in);
      break;
    case Op::status_check:
      status_check(in);
      break;
    case Op::scan:
      scan(in);
      break;
    case Op::grid_scan:
      grid_scan(in);
      break;
    case Op::convert_layout:
      convert(in);
      break;
    case Op::reshape:
    case Op::trans:
      rename(in);
      break;
    case Op::for_loop:
      for_loop(in);
      break;
    case Op::if_then:
      if_then(in);
      break;
    default:
      throw CompileError("internal: no CUDA text for a tile op");
  }
}

/// The layout says who holds what; registers stay where they are.
void Emitter::rename(const Instruction& in) {
  const ValueId from = in.operands[0], to = in.results[0];
  if (is_inlined(from)) {
    names_[static_cast<size_t>(to)] = materialized(from);
    return;
  }
  names_[static_cast<size_t>(to)] = name(from);
  alias_[to] = from;
}

/// How many reduces stand one behind the other from `first` on, none of them of another's result.
size_t Emitter::reduces_from(const Region& r, size_t first) {
  std::set<ValueId> made;
  size_t end = first;
  for (; end < r.body.size() && r.body[end].op == Op::reduce && !made.contains(r.body[end].operands[0]); ++end)
    made.insert(r.body[end].results[0]);
  return end - first;
}

/// Prints a region up to its yield; what it yields may still be pending.
void Emitter::region(const Region& r) {
  for (size_t i = 0; i < r.body.size();) {
    const size_t n = reduces_from(r, i);
    if (n > 0)
      reduce({&r.body[i], n});
    else
      instruction(r.body[i]);
    i += std::max<size_t>(n, 1);
  }
}

std::string Emitter::body_text() {
  for (size_t i = 0; i < k_.kernel.parameters.size(); ++i) {
    const tile_ir::Parameter& p = k_.kernel.parameters[i];
    parameters_.push_back(p.is_pointer
                              ? fmt::format("{}{}*{} p{} /* {} {} */", p.written ? "" : "const ", storage_name(p.dtype),
                                            p.no_alias ? " __restrict__" : "", i, p.name, p.dtype.name())
                              : fmt::format("unsigned long long s{} /* {} {} */", i, p.name, p.dtype.name()));
  }
  meetings_left_ = static_cast<int>(std::ranges::count(k_.kernel.body.body, Op::cluster_reduce, &Instruction::op));
  clear_tables();
  region(k_.kernel.body);
  flush_all();
  add_tables();
  if (meeting_bytes_ > 0) line("sn_cluster_wait();");  // others may still read what this block left for them
  return prologue_ + out_;
}

namespace {

/// lane and warp, as far as the body speaks of them.
std::string thread_position(const std::string& body) {
  std::string s;
  if (body.find("lane") != std::string::npos) s += "  const unsigned lane = threadIdx.x & 31u;\n";
  if (body.find("warp") != std::string::npos) s += "  const unsigned warp = threadIdx.x >> 5;\n";
  return s;
}

}  // namespace

CudaText emit(const tile_ir::LaidOutKernel& kernel, bool exchanges_wait) {
  Emitter emitter(kernel, exchanges_wait);
  const std::string body = emitter.body_text();
  CudaText text;
  text.entry = kernel.kernel.name;
  text.threads = 32 * kernel.kernel.num_warps;
  text.shared_bytes = emitter.shared_bytes();
  const int meeting = (text.shared_bytes + 15) / 16 * 16;
  const int kept_begin = meeting + (emitter.meeting_bytes() + 15) / 16 * 16;
  const int whole = kept_begin + emitter.kept_bytes();
  if (text.shared_bytes > static_shared_limit || whole > most_shared_bytes)
    throw CompileError(fmt::format("kernel {} needs {} bytes of shared memory", text.entry, whole));
  if (whole > text.shared_bytes) {
    text.shared_bytes = 0;
    text.dynamic_shared_bytes = whole;
  }
  std::string head;
  for (const std::string& c : kernel.kernel.comments) head += "// " + c + "\n";
  std::string s;
  s += fmt::format("extern \"C\" __global__ void {}__launch_bounds__({}) {}(",
                   kernel.kernel.cluster == 1 ? "" : fmt::format("__cluster_dims__({}) ", kernel.kernel.cluster),
                   text.threads, text.entry);
  for (size_t i = 0; i < emitter.parameters().size(); ++i)
    s += (i > 0 ? ",\n    " : "\n    ") + emitter.parameters()[i];
  s += ") {\n";
  if (text.shared_bytes > 0)
    s += fmt::format("  alignas(16) __shared__ unsigned char shared[{}];\n", text.shared_bytes);
  if (text.dynamic_shared_bytes > 0) {
    s += fmt::format(
        "#ifdef SINTER_HOST\n  alignas(16) __shared__ unsigned char shared[{}];\n#else\n"
        "  extern __shared__ __align__(16) unsigned char shared[];\n#endif\n",
        whole);
    if (emitter.meeting_bytes() > 0) s += fmt::format("  unsigned char* const meeting = shared + {};\n", meeting);
    if (emitter.kept_bytes() > 0) s += fmt::format("  unsigned char* const kept = shared + {};\n", kept_begin);
  }
  s += thread_position(body);
  s += body + "}\n";
  text.text = head + prelude_for(s) + "\n" + s;
  return text;
}

}  // namespace sinter::cuda
