// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/tile/layout/redundant.h"

namespace sinter::cuda {
namespace {

bool is_half(DType t) { return t == f16 || t == bf16; }

/// Registers of consecutive elements, when each has exactly one register and they ascend by one: a loop can do them.
bool consecutive(const tile::VectorAccess& v) {
  for (size_t i = 0; i < v.registers.size(); ++i)
    if (v.registers[i].size() != 1 || v.registers[i][0] != v.registers[0][0] + static_cast<int>(i)) return false;
  return true;
}

}  // namespace

std::string Emitter::index(const tile::IndexOperand& o) const {
  return o.is_literal() ? fmt::format("{}ll", o.literal) : name(o.value);
}

std::string Emitter::load_text(const Instruction& in, int bytes) const {
  const tile::Parameter& p = pointer(in);
  return fmt::format("{}<{}>", p.written || !p.no_alias ? "sn_load_rw" : "sn_load", bytes);
}

/// The thread's address of its register 0 (a block-uniform 64-bit part, then the thread's part), and the uniform test
/// whether the whole tile lies inside the masked extents.
Emitter::BlockAddress Emitter::block_address(const Instruction& in, const LinearLayout& l, const Type& tile) {
  const tile::Access& a = *in.access;
  std::string uniform, thread;
  auto add = [](std::string& to, const std::string& term) { to += to.empty() ? term : " + " + term; };
  BlockAddress address;
  auto dim = [&](const tile::AccessDim& d, int extent, const std::string& coordinate) {
    const auto origin = info_.literal(d.origin), stride = info_.literal(d.stride);
    if (origin != 0 && stride != 0)
      add(uniform, stride == 1 ? index(d.origin) : fmt::format("{} * {}", index(d.origin), index(d.stride)));
    if (coordinate != "0" && stride != 0 && extent > 1) {
      const bool small = stride && std::abs(*stride) * extent < (int64_t{1} << 31);
      add(thread, stride == 1 ? coordinate
                  : small     ? fmt::format("{} * {}", coordinate, *stride)
                              : fmt::format("(long long){} * {}", coordinate, index(d.stride)));
    }
    if (!d.masked) return;
    if (!address.whole.empty()) address.whole += " && ";
    address.whole += fmt::format("{0} >= 0 && {0} + {1} <= {2}", index(d.origin), extent, index(d.extent));
  };
  if (info_.literal(a.base) != 0) uniform = index(a.base);
  dim(a.parts, tile.parts, "0");
  for (size_t d = 0; d < a.dims.size(); ++d)
    dim(a.dims[d], tile.dims[d], tile.dims[d] > 1 ? thread_coordinate(l, static_cast<int>(d)) : "0");
  const bool writes = in.op == Op::block_store;
  address.pointer = fresh("a");
  line("{}{}* const {} = p{}{}{};", writes ? "" : "const ", storage_name(pointer(in).dtype), address.pointer, in.index,
       uniform.empty() ? "" : fmt::format(" + ({})", uniform), thread.empty() ? "" : fmt::format(" + ({})", thread));
  return address;
}

/// Text of a constant register offset: stand-ins for run-time strides become multiples of those.
std::string Emitter::offset_text(const Instruction& in, int64_t offset) const {
  const tile::Access& a = *in.access;
  std::string s;
  for (int d = static_cast<int>(a.dims.size()); d-- > -1;) {
    const tile::AccessDim& ad = d < 0 ? a.parts : a.dims[static_cast<size_t>(d)];
    if (info_.literal(ad.stride)) continue;
    const int64_t unit = tile::stand_in_stride(d);
    const int64_t times = (offset + unit / 2) >> std::countr_zero(static_cast<uint64_t>(unit));
    if (times == 0) continue;
    offset -= times * unit;
    s += fmt::format(" + {}ll * {}", times, index(ad.stride));
  }
  return offset == 0 ? s : s + fmt::format(" + {}", offset);
}

/// Offset of a register in a loop over registers, as an expression of part and q.
std::string Emitter::register_offset(const Instruction& in, const LinearLayout& l, const Type& tile,
                                     const RegisterText& at) {
  const tile::Access& a = *in.access;
  std::string s = "0ll";
  if (tile.parts > 1 && info_.literal(a.parts.stride) != 0)
    s += fmt::format(" + {} * {}", at.part, index(a.parts.stride));
  for (size_t d = 0; d < a.dims.size(); ++d) {
    if (tile.dims[d] == 1 || info_.literal(a.dims[d].stride) == 0) continue;
    s += fmt::format(" + ({} - {}) * {}", coordinate(l, static_cast<int>(d), at),
                     thread_coordinate(l, static_cast<int>(d)), index(a.dims[d].stride));
  }
  return s;
}

std::string Emitter::inside(const Instruction& in, const LinearLayout& l, const RegisterText& at) {
  const tile::Access& a = *in.access;
  std::string s;
  auto test = [&](const tile::AccessDim& d, const std::string& c) {
    if (!d.masked) return;
    const std::string position = fmt::format("({} + {})", index(d.origin), c);
    s += fmt::format("{}{} >= 0 && {} < {}", s.empty() ? "" : " && ", position, position, index(d.extent));
  };
  test(a.parts, at.part);
  for (size_t d = 0; d < a.dims.size(); ++d)
    test(a.dims[d], l.shape().dims[d] > 1 ? coordinate(l, static_cast<int>(d), at) : "0");
  return s;
}

void Emitter::vector_loads(const Instruction& in, const LinearLayout& l, const std::string& address) {
  const ValueId v = in.results[0];
  const tile::AccessPattern p = tile::access_pattern(in, type(v), pointer(in), info_);
  const DType t = pointer(in).dtype;
  const auto accesses = tile::vectorize(l, p.strides, p.origin, t.bytes());
  std::vector<std::string> words;
  for (const tile::VectorAccess& a : accesses) {
    words.push_back(fresh("w"));
    const int bytes = a.count * t.bytes();
    line("const sn_words<{}> {} = {}({}{});", bytes, words.back(), load_text(in, bytes), address,
         offset_text(in, a.offset));
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    const tile::VectorAccess& a = accesses[i];
    if (a.count > 2 && consecutive(a)) {
      line("#pragma unroll");
      line("for (int j = 0; j < {}; ++j) {}[{} + j] = sn_get_{}({}.w, j);", a.count, name(v), a.registers[0][0],
           t.name(), words[i]);
      continue;
    }
    for (size_t j = 0; j < a.registers.size(); ++j) {
      std::string targets;
      for (int r : a.registers[j]) targets += fmt::format("{}[{}] = ", name(v), r);
      line("{}sn_get_{}({}.w, {});", targets, t.name(), words[i], j);
    }
  }
}

void Emitter::block_load(const Instruction& in) {
  const ValueId v = in.results[0];
  if (!type(v).is_tile) {
    const DType t = pointer(in).dtype;
    line("const {} {} = sn_get_{}({}(p{} + ({})).w, 0);", compute_name(type(v).dtype), name(v), t.name(),
         load_text(in, t.bytes()), in.index, index(in.access->base));
    return;
  }
  const LinearLayout& l = layout(v);
  declare(v, name(v));
  open();
  const BlockAddress address = block_address(in, l, type(v));
  if (!address.whole.empty()) {
    line("if ({}) {{", address.whole);
    ++indent_;
  }
  vector_loads(in, l, address.pointer);
  if (!address.whole.empty()) {
    --indent_;
    line("}} else {{");
    ++indent_;
    const RegisterText at = open_loops(l);
    const std::string fill = in.operands.empty() ? literal(type(v).dtype, 0) : reference(in.operands.back(), l, at);
    line("{}[{}] = {} ? sn_get_{}({}({} + ({})).w, 0) : {};", name(v), at.r, inside(in, l, at),
         pointer(in).dtype.name(), load_text(in, pointer(in).dtype.bytes()), address.pointer,
         register_offset(in, l, type(v), at), fill);
    close_loops(l);
    close();
  }
  close();
}

/// Threads that hold copies of others' elements do not store.
std::string Emitter::only_holders(const LinearLayout& l) const {
  const uint32_t lanes = tile::redundant_bits(l, tile::BitGroup::lane),
                 warps = tile::redundant_bits(l, tile::BitGroup::warp);
  std::string s;
  if (lanes != 0) s += fmt::format("(lane & {}u) == 0", lanes);
  if (warps != 0) s += fmt::format("{}(warp & {}u) == 0", s.empty() ? "" : " && ", warps);
  return s;
}

void Emitter::vector_stores(const Instruction& in, const LinearLayout& l, ValueId v, const std::string& address) {
  const tile::AccessPattern p = tile::access_pattern(in, type(v), pointer(in), info_);
  const DType t = pointer(in).dtype;
  for (const tile::VectorAccess& a : tile::vectorize(l, p.strides, p.origin, t.bytes())) {
    const std::string w = fresh("w");
    const int bytes = a.count * t.bytes();
    line("sn_words<{}> {} = {{}};", bytes, w);
    const int step = is_half(t) && a.count > 1 ? 2 : 1;
    const auto put = [&](const std::string& j, const std::string& first, const std::string& second) {
      return step == 2 ? fmt::format("sn_put2_{}({}.w, {}, {}, {});", t.name(), w, j, first, second)
                       : fmt::format("sn_put_{}({}.w, {}, {});", t.name(), w, j, first);
    };
    if (a.count > 2 && consecutive(a)) {
      const int r = a.registers[0][0];
      line("#pragma unroll");
      line("for (int j = 0; j < {}; j += {}) {}", a.count, step,
           put("j", fmt::format("{}[{} + j]", name(v), r), fmt::format("{}[{} + j]", name(v), r + 1)));
    } else {
      for (int j = 0; j < a.count; j += step)
        line("{}", put(fmt::format("{}", j), fmt::format("{}[{}]", name(v), a.registers[static_cast<size_t>(j)][0]),
                       step == 2 ? fmt::format("{}[{}]", name(v), a.registers[static_cast<size_t>(j) + 1][0]) : ""));
    }
    line("sn_store<{}>({}{}, {});", bytes, address, offset_text(in, a.offset), w);
  }
}

void Emitter::block_store(const Instruction& in) {
  const ValueId v = in.operands.back();
  const DType t = pointer(in).dtype;
  if (!type(v).is_tile) {
    line("if (threadIdx.x == 0) {{ sn_words<{0}> w = {{}}; sn_put_{1}(w.w, 0, {2}); sn_store<{0}>(p{3} + ({4}), w); }}",
         t.bytes(), t.name(), name(v), in.index, index(in.access->base));
    return;
  }
  const LinearLayout& l = layout(v);
  const std::string holders = only_holders(l);
  if (holders.empty())
    open();
  else {
    line("if ({}) {{", holders);
    ++indent_;
  }
  std::string stored = name(v);
  if (is_inlined(v)) {  // a constant, an iota or a broadcast is stored: give it registers
    stored = fresh("b");
    line("{} {}[{}];", compute_name(type(v).dtype), stored, l.registers());
    const RegisterText at = open_loops(l);
    line("{}[{}] = {};", stored, at.r, reference(v, l, at));
    close_loops(l);
    std::swap(names_[static_cast<size_t>(v)], stored);
  }
  const BlockAddress address = block_address(in, l, type(v));
  if (!address.whole.empty()) {
    line("if ({}) {{", address.whole);
    ++indent_;
  }
  vector_stores(in, l, v, address.pointer);
  if (!address.whole.empty()) {
    --indent_;
    line("}} else {{");
    ++indent_;
    const RegisterText at = open_loops(l);
    line("if ({0}) {{ sn_words<{1}> w = {{}}; sn_put_{2}(w.w, 0, {3}[{4}]); sn_store<{1}>({5} + ({6}), w); }}",
         inside(in, l, at), t.bytes(), t.name(), name(v), at.r, address.pointer, register_offset(in, l, type(v), at));
    close_loops(l);
    close();
  }
  if (is_inlined(v)) std::swap(names_[static_cast<size_t>(v)], stored);
  close();
}

void Emitter::gather(const Instruction& in) {
  const ValueId v = in.results[0];
  const LinearLayout& l = layout(v);
  const DType t = pointer(in).dtype;
  declare(v, name(v));
  const RegisterText at = open_loops(l);
  const std::string offset = reference(in.operands[0], l, at);
  const std::string load =
      fmt::format("sn_get_{}({}(p{} + {}).w, 0)", t.name(), load_text(in, t.bytes()), in.index, offset);
  if (in.masked) {
    const std::string fill = in.operands.size() > 2 ? reference(in.operands[2], l, at) : literal(type(v).dtype, 0);
    line("{}[{}] = {} ? {} : {};", name(v), at.r, reference(in.operands[1], l, at), load, fill);
  } else {
    line("{}[{}] = {};", name(v), at.r, load);
  }
  close_loops(l);
}

void Emitter::scatter(const Instruction& in) {
  const LinearLayout& l = layout(in.operands[0]);
  const DType t = pointer(in).dtype;
  const std::string holders = only_holders(l);
  if (!holders.empty()) {
    line("if ({}) {{", holders);
    ++indent_;
  }
  const RegisterText at = open_loops(l);
  const std::string store =
      fmt::format("{{ sn_words<{0}> w = {{}}; sn_put_{1}(w.w, 0, {2}); sn_store<{0}>(p{3} + {4}, w); }}", t.bytes(),
                  t.name(), reference(in.operands[1], l, at), in.index, reference(in.operands[0], l, at));
  if (in.masked)
    line("if ({}) {}", reference(in.operands[2], l, at), store);
  else
    line("{}", store);
  close_loops(l);
  if (!holders.empty()) close();
}

void Emitter::status_check(const Instruction& in) {
  const ValueId bad = in.operands[0];
  const std::string report = fmt::format("sn_report(p{}, {}ull);", in.index, in.bits);
  if (!type(bad).is_tile) {
    line("if ({}) {}", name(bad), report);
    return;
  }
  const RegisterText at = open_loops(layout(bad));
  line("if ({}) {}", reference(bad, layout(bad), at), report);
  close_loops(layout(bad));
}

}  // namespace sinter::cuda
