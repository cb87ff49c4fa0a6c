// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <algorithm>

#include "codegen/cuda/emit.h"
#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/cuda/prelude.h"

namespace sinter::cuda {

Emitter::Emitter(const tile::LaidOutKernel& kernel) : k_(kernel), info_(kernel.kernel) {
  const auto n = static_cast<size_t>(k_.kernel.value_count);
  names_.resize(n);
  definitions_.resize(n);
  users_.resize(n);
  for (size_t v = 0; v < n; ++v) names_[v] = fmt::format("v{}", v);
  collect_uses(k_.kernel.body);
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
    line("{} {}[{}];", compute_name(type(v).dtype), n, layout(v).registers());
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
  const std::string& i = name(body.arguments[0]);
  line("#pragma unroll 1");
  line("for (long long {0} = {1}; {0} < {2}; {0} += {3}) {{", i, name(in.operands[0]), name(in.operands[1]),
       name(in.operands[2]));
  ++indent_;
  region(body);
  flush_all();
  assign_yields(body, carried);
  close();
}

void Emitter::if_then(const Instruction& in) {
  flush_all();
  for (ValueId v : in.results) declare(v, name(v));
  line("if ({}) {{", name(in.operands[0]));
  for (size_t branch = 0; branch < 2; ++branch) {
    ++indent_;
    region(in.regions[branch]);
    flush_all();
    assign_yields(in.regions[branch], in.results);
    --indent_;
    if (branch == 0) line("}} else {{");
  }
  line("}}");
}

void Emitter::instruction(const Instruction& in) {
  if (in.results.size() == 1 && !in.type.is_tile && in.op != Op::block_load && in.regions.empty()) {
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
    case Op::status_check:
      status_check(in);
      break;
    case Op::reduce:
      reduce(in);
      break;
    case Op::convert_layout:
      convert(in);
      break;
    case Op::reshape:
    case Op::trans:  // the layout says who holds what; registers stay where they are
      names_[static_cast<size_t>(in.results[0])] = name(in.operands[0]);
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

void Emitter::region(const Region& r) {
  for (const Instruction& in : r.body) instruction(in);
}

std::string Emitter::reference_inlined(ValueId from, ValueId to, const RegisterText& at) {
  const Instruction& d = *definitions_[static_cast<size_t>(from)];
  if (d.op == Op::constant) return literal(d.type.dtype, d.bits);
  if (d.op == Op::iota) return coordinate(layout(to), d.dim, at);
  if (!type(d.operands[0]).is_tile) return name(d.operands[0]);
  throw CompileError("internal: a broadcast tile is converted after it was spread");
}

std::string Emitter::body_text() {
  for (size_t i = 0; i < k_.kernel.parameters.size(); ++i) {
    const tile::Parameter& p = k_.kernel.parameters[i];
    parameters_.push_back(p.is_pointer
                              ? fmt::format("{}{}*{} p{} /* {} {} */", p.written ? "" : "const ", storage_name(p.dtype),
                                            p.no_alias ? " __restrict__" : "", i, p.name, p.dtype.name())
                              : fmt::format("unsigned long long s{} /* {} {} */", i, p.name, p.dtype.name()));
  }
  region(k_.kernel.body);
  flush_all();
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

CudaText emit(const tile::LaidOutKernel& kernel) {
  Emitter emitter(kernel);
  const std::string body = emitter.body_text();
  CudaText text;
  text.entry = kernel.kernel.name;
  text.threads = 32 * kernel.kernel.num_warps;
  text.shared_bytes = emitter.shared_bytes();
  if (text.shared_bytes > 48 << 10)
    throw CompileError(fmt::format("kernel {} needs {} bytes of shared memory", text.entry, text.shared_bytes));
  std::string head;
  for (const std::string& c : kernel.kernel.comments) head += "// " + c + "\n";
  std::string s;
  s += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(", text.threads, text.entry);
  for (size_t i = 0; i < emitter.parameters().size(); ++i)
    s += (i > 0 ? ",\n    " : "\n    ") + emitter.parameters()[i];
  s += ") {\n";
  if (text.shared_bytes > 0)
    s += fmt::format("  alignas(16) __shared__ unsigned char shared[{}];\n", text.shared_bytes);
  s += thread_position(body);
  s += body + "}\n";
  text.text = head + prelude_for(s) + "\n" + s;
  return text;
}

}  // namespace sinter::cuda
