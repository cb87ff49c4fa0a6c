// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/names.h"
#include "codegen/tile/layout/redundant.h"

namespace sinter::cuda {
namespace {

bool is_half(DType t) { return t == f16 || t == bf16; }

/// What one element of the fill words is.
uint32_t low_bits(uint32_t word, int bits) { return bits < 32 ? word & ((1u << bits) - 1) : word; }

/// Registers of consecutive elements, when each has exactly one register and they ascend by one: a loop can do them.
bool consecutive(const tile_ir::VectorAccess& v) {
  for (size_t i = 0; i < v.registers.size(); ++i)
    if (v.registers[i].size() != 1 || v.registers[i][0] != v.registers[0][0] + static_cast<int>(i)) return false;
  return true;
}

bool reads_run(const Instruction& in) { return in.op == Op::block_load && in.access->run >= 0; }

}  // namespace

std::string Emitter::index(const tile_ir::IndexOperand& o) const {
  return o.is_literal() ? literal(i64, static_cast<uint64_t>(o.literal)) : name(o.value);
}

std::string Emitter::load_name(const Instruction& in, bool conditional, int bytes) const {
  if (reads_run(in)) return fmt::format("sn_staged{}<{}>", conditional ? "_if" : "", bytes);
  const tile_ir::Parameter& p = pointer(in);
  return fmt::format("sn_load{}{}_{}", p.written || !p.no_alias ? "" : "_nc", conditional ? "_if" : "", bytes);
}

/// Prints the thread's address of its register 0: a block-uniform 64-bit part, then the thread's part.
std::string Emitter::block_pointer(const Instruction& in, const LinearLayout& l, const Type& tile) {
  if (reads_run(in)) return run_pointer(in, l);
  const tile_ir::Access& a = *in.access;
  std::string uniform, thread;
  auto add = [](std::string& to, const std::string& term) { to += to.empty() ? term : " + " + term; };
  auto dim = [&](const tile_ir::AccessDim& d, int extent, const std::string& coordinate) {
    const auto origin = info_.literal(d.origin), stride = info_.literal(d.stride);
    if (origin != 0 && stride != 0)
      add(uniform, stride == 1 ? index(d.origin) : fmt::format("{} * {}", index(d.origin), index(d.stride)));
    if (coordinate == "0" || stride == 0 || extent == 1) return;
    const bool small = stride && std::abs(*stride) * extent < (int64_t{1} << 31);
    add(thread, stride == 1 ? coordinate
                : small     ? fmt::format("{} * {}", coordinate, *stride)
                            : fmt::format("(long long){} * {}", coordinate, index(d.stride)));
  };
  if (info_.literal(a.base) != 0) uniform = index(a.base);
  dim(a.parts, tile.parts, "0");
  for (size_t d = 0; d < a.dims.size(); ++d) dim(a.dims[d], tile.dims[d], thread_coordinate(l, static_cast<int>(d)));
  const std::string p = fresh("a");
  line("{}{}* const {} = p{}{}{};", in.op == Op::block_store ? "" : "const ", storage_name(pointer(in).dtype), p,
       in.index, uniform.empty() ? "" : fmt::format(" + ({})", uniform),
       thread.empty() ? "" : fmt::format(" + ({})", thread));
  return p;
}

/// Where a register's element lies from the thread's address: a number and multiples of run-time strides.
std::string Emitter::offset_text(const Instruction& in, const LinearLayout& l, int r) const {
  const tile_ir::Access& a = *in.access;
  const tile_ir::TileCoords c = l.coords(static_cast<uint32_t>(r % l.registers_per_part()), 0);
  std::string s;
  int64_t fixed = 0;
  const auto add = [&](const tile_ir::AccessDim& d, int64_t times) {
    if (times == 0) return;
    if (const auto stride = info_.literal(d.stride))
      fixed += times * *stride;
    else
      s += fmt::format(" + {} * {}", times, index(d.stride));
  };
  add(a.parts, l.part_of(r));
  for (size_t d = 0; d < a.dims.size(); ++d) add(a.dims[d], c[d]);
  return fixed == 0 ? s : s + fmt::format(" {} {}", fixed < 0 ? '-' : '+', std::abs(fixed));
}

/// Prints the uniform numbers that the masked dims are compared with.
void Emitter::add_masks(BlockAccess& b, const Instruction& in, const LinearLayout& l) {
  const tile_ir::Access& a = *in.access;
  auto dim = [&](const tile_ir::AccessDim& d, int which) {
    if (!d.masked) return;
    Mask m{.dim = which, .position = which < 0 ? "0" : thread_coordinate(l, which), .room = fresh("room")};
    const int size = which < 0 ? l.parts() : l.shape().dims[static_cast<size_t>(which)];
    m.divisor = std::gcd(info_.divisor(d.origin), info_.divisor(d.extent));
    if (info_.non_negative(d.origin)) {
      line("const unsigned {} = sn_clamp({} - {});", m.room, index(d.extent), index(d.origin));
      m.whole = fmt::format("{} >= {}", m.room, size);
    } else {
      const std::string first = fresh("first");
      line("const int {} = sn_clamp(-{});", first, index(d.origin));
      line("const unsigned {} = sn_span({}, {});", m.room, index(d.origin), index(d.extent));
      m.position = fmt::format("{} - {}", m.position, first);
      m.may_begin_before = true;
      m.whole = fmt::format("{} == 0 && {} >= {}", first, m.room, size);
    }
    b.masks.push_back(std::move(m));
  };
  dim(a.parts, tile_ir::parts_dim);
  for (size_t d = 0; d < a.dims.size(); ++d) dim(a.dims[d], static_cast<int>(d));
  if (!a.row_masked) return;
  const int length = l.shape().dims[a.dims.size() - 1];
  const int last = static_cast<int>(a.dims.size()) - 1;
  Mask m{.dim = last, .row = length, .position = thread_coordinate(l, last), .room = fresh("room")};
  m.divisor = std::gcd(std::gcd(info_.divisor(a.row_extent), info_.divisor(a.dims.back().origin)), int64_t{length});
  line("const unsigned {} = sn_clamp({} - ({} * {} + {}));", m.room, index(a.row_extent), index(a.parts.origin), length,
       index(a.dims.back().origin));
  m.whole = fmt::format("{} >= {}", m.room, int64_t{length} * l.parts());
  b.masks.push_back(std::move(m));
}

namespace {

/// What a register adds to the thread's coordinate that a mask looks at.
int64_t register_coordinate(const LinearLayout& l, const Emitter::Mask& m, int r) {
  if (m.dim < 0) return l.part_of(r);
  const auto c = l.coords(static_cast<uint32_t>(r % l.registers_per_part()), 0)[static_cast<size_t>(m.dim)];
  return m.row > 0 ? int64_t{l.part_of(r)} * m.row + c : c;
}

/// Multiples of what the threads' coordinates along a dim are.
int64_t thread_granularity(const LinearLayout& l, int dim) {
  int64_t g = 0;
  for (tile_ir::BitGroup group : {tile_ir::BitGroup::lane, tile_ir::BitGroup::warp})
    for (int bit = 0; bit < l.bits(group); ++bit)
      g = std::gcd(g, int64_t{l.basis(group, bit)[static_cast<size_t>(dim)]});
  return g;
}

/// Does the mask hold for all elements of a vector or for none?
bool same_for_all(const LinearLayout& l, const Emitter::Mask& m, const tile_ir::VectorAccess& v) {
  std::vector<int64_t> c;
  for (const auto& registers : v.registers) c.push_back(register_coordinate(l, m, registers[0]));
  const auto [low, high] = std::ranges::minmax(c);
  if (low == high) return true;
  // The aligned block of coordinates that they lie in is inside or outside as a whole if bounds and threads respect it.
  int64_t block = 1;
  while (low / block != high / block) block *= 2;
  return m.divisor % block == 0 && (m.dim < 0 || thread_granularity(l, m.dim) % block == 0);
}

}  // namespace

namespace {

/// Registers that share an address (a stride of zero, overlapping windows) may still be in and out by themselves.
bool masked_alike(const LinearLayout& l, const std::vector<Emitter::Mask>& masks, const tile_ir::VectorAccess& v) {
  for (const auto& registers : v.registers)
    for (int r : registers)
      for (const Emitter::Mask& m : masks)
        if (register_coordinate(l, m, r) != register_coordinate(l, m, registers[0])) return false;
  return true;
}

/// Accesses of single registers where a vector's do not go together.
std::vector<tile_ir::VectorAccess> split(std::vector<tile_ir::VectorAccess> vectors, const LinearLayout& l,
                                         const std::vector<Emitter::Mask>& masks) {
  std::vector<tile_ir::VectorAccess> result;
  for (tile_ir::VectorAccess& v : vectors) {
    if (masked_alike(l, masks, v)) {
      result.push_back(std::move(v));
      continue;
    }
    for (int j = 0; j < v.count; ++j)
      for (int r : v.registers[static_cast<size_t>(j)]) result.push_back({v.offset + j, 1, {{r}}});
  }
  return result;
}

}  // namespace

Emitter::BlockAccess Emitter::block_access(const Instruction& in, const LinearLayout& l, const Type& tile) {
  const tile_ir::AccessPattern p = tile_ir::access_pattern(in, tile, pointer(in), info_);
  BlockAccess b;
  b.pointer = block_pointer(in, l, tile);
  add_masks(b, in, l);
  b.vectors = split(tile_ir::vectorize(l, p.strides, p.origin, pointer(in).dtype.bytes()), l, b.masks);
  for (const tile_ir::VectorAccess& v : b.vectors)
    for (const Mask& m : b.masks) b.vector_masks = b.vector_masks && same_for_all(l, m, v);
  return b;
}

std::string Emitter::inside(const Mask& m, const LinearLayout& l, int r) {
  const int64_t c = register_coordinate(l, m, r);
  const std::string position = c == 0              ? m.position
                               : m.position == "0" ? fmt::format("{}", c)
                                                   : fmt::format("{} + {}", m.position, c);
  return fmt::format("(unsigned)({}) < {}", position, m.room);
}

/// Is the element of a register inside?
std::string Emitter::inside(const BlockAccess& b, const LinearLayout& l, int r) {
  std::string s;
  for (const Mask& m : b.masks) s += (s.empty() ? "" : " && ") + inside(m, l, r);
  return s;
}

/// Are all elements of a vector inside? Where coordinates rise or fall along it, its ends tell: the far one, if no tile
/// begins before the bounds. Nothing where they do neither.
std::optional<std::string> Emitter::inside(const BlockAccess& b, const LinearLayout& l,
                                           const tile_ir::VectorAccess& v) {
  std::string s;
  for (const Mask& m : b.masks) {
    const auto at = [&](size_t j) { return register_coordinate(l, m, v.registers[j][0]); };
    bool rises = true, falls = true;
    for (size_t j = 1; j < v.registers.size(); ++j) {
      rises = rises && at(j - 1) <= at(j);
      falls = falls && at(j - 1) >= at(j);
    }
    if (!rises && !falls) return std::nullopt;
    const auto test = [&](const std::vector<int>& registers) {
      s += (s.empty() ? "" : " && ") + inside(m, l, registers[0]);
    };
    if (m.may_begin_before && !(rises && falls)) test(rises ? v.registers.front() : v.registers.back());
    test(rises ? v.registers.back() : v.registers.front());
  }
  return s;
}

std::string Emitter::whole(const BlockAccess& b) {
  std::string s;
  for (const Mask& m : b.masks) s += (s.empty() ? "" : " && ") + m.whole;
  return s;
}

/// The 32-bit words, first and second in turn, that hold nothing but the fill; nullopt if the storage type cannot hold
/// it or it is known at run time only.
std::optional<std::array<uint32_t, 2>> Emitter::fill_words(const Instruction& in) const {
  if (in.op == Op::gather ? !in.masked : in.operands.empty()) return std::array<uint32_t, 2>{0, 0};
  const Instruction* fill = definitions_[static_cast<size_t>(in.operands.back())];
  if (fill != nullptr && fill->op == Op::broadcast) fill = definitions_[static_cast<size_t>(fill->operands[0])];
  if (fill == nullptr || fill->op != Op::constant) return std::nullopt;
  const DType t = pointer(in).dtype;
  const scalar::Constant value{in.type.dtype, fill->bits};
  std::array<unsigned char, 8> bytes{};
  const scalar::Constant stored = scalar::evaluate(ScalarOp::round_to, {&value, 1}, t);
  if (stored != value) return std::nullopt;
  for (int i = 0; i < 8; i += t.bytes()) scalar::store_element(bytes.data() + i, t, value);
  return std::bit_cast<std::array<uint32_t, 2>>(bytes);
}

/// Prints the loads only; elements are taken out of the words where they are first needed, so that everything the
/// program reads is on its way by then.
void Emitter::block_load(const Instruction& in) {
  const ValueId v = in.results[0];
  const LinearLayout& l = layout(v);
  Loaded loaded{.access = block_access(in, l, type(v))};
  const BlockAccess& b = loaded.access;
  const int element = pointer(in).dtype.bytes();
  const auto fill = fill_words(in);
  loaded.fill_apart = !fill;
  const std::array<uint32_t, 2> f = fill.value_or(std::array<uint32_t, 2>{0, 0});
  for (const tile_ir::VectorAccess& a : b.vectors) {
    loaded.words.push_back(fresh("w"));
    const int bytes = a.count * element;
    const std::string at = b.pointer + offset_text(in, l, a.registers[0][0]);
    if (b.masks.empty())
      line("const sn_words<{}> {} = {}({});", bytes, loaded.words.back(), load_name(in, false, bytes), at);
    else if (b.vector_masks)
      line("const sn_words<{}> {} = {}({}, {}, {:#x}u, {:#x}u);", bytes, loaded.words.back(),
           load_name(in, true, bytes), at, inside(b, l, a.registers[0][0]), f[0], f[1]);
    else
      line("sn_words<{}> {} = {{}};", bytes, loaded.words.back());
  }
  if (!b.masks.empty() && !b.vector_masks) load_whole_or_parts(in, loaded, f);
  loaded_.emplace(v, std::move(loaded));
}

/// A masked tile whose bounds may cut vectors: one uniform branch, and in the other half of it single elements of the
/// vectors that are cut.
void Emitter::load_whole_or_parts(const Instruction& in, const Loaded& loaded, const std::array<uint32_t, 2>& fill) {
  const BlockAccess& b = loaded.access;
  const LinearLayout& l = layout(in.results[0]);
  const DType t = pointer(in).dtype;
  line("if ({}) {{", whole(b));
  ++indent_;
  for (size_t i = 0; i < b.vectors.size(); ++i)
    line("{} = {}({}{});", loaded.words[i], load_name(in, false, b.vectors[i].count * t.bytes()), b.pointer,
         offset_text(in, l, b.vectors[i].registers[0][0]));
  --indent_;
  line("}} else {{");
  ++indent_;
  for (size_t i = 0; i < b.vectors.size(); ++i) {
    const auto whole_vector = b.vectors[i].count > 1 ? inside(b, l, b.vectors[i]) : std::nullopt;
    if (whole_vector) {
      line("if ({}) {{", *whole_vector);
      ++indent_;
      line("{} = {}({}{});", loaded.words[i], load_name(in, false, b.vectors[i].count * t.bytes()), b.pointer,
           offset_text(in, l, b.vectors[i].registers[0][0]));
      --indent_;
      line("}} else {{");
      ++indent_;
    }
    for (int j = 0; j < b.vectors[i].count; ++j) {
      const std::string element = fmt::format("{}({}{}, {}, {:#x}u, {:#x}u)", load_name(in, true, t.bytes()), b.pointer,
                                              offset_text(in, l, b.vectors[i].registers[static_cast<size_t>(j)][0]),
                                              inside(b, l, b.vectors[i].registers[static_cast<size_t>(j)][0]),
                                              low_bits(fill[0], t.bits()), fill[1]);
      line("sn_put_raw_{}({}.w, {}, {});", t.bytes(), loaded.words[i], j, element);
    }
    if (whole_vector) close();
  }
  close();
}

/// How element j of words of a storage type is taken out: as a float where only conversions to f32 read it, as its bits
/// where it is only stored again.
std::string Emitter::element_text(ValueId v, DType storage, const std::string& words, const std::string& j) const {
  const auto i = static_cast<size_t>(v);
  if (raw_[i]) return fmt::format("sn_get_raw_{}({}, {}).w[0]", storage.bytes(), words, j);
  return fmt::format("sn_{}_{}({}, {})", reads_as_float_[i] ? "float" : "get", storage.name(), words, j);
}

/// The fill as an element that the words could have held.
std::string Emitter::fill_text(ValueId v, const std::string& fill) const {
  return reads_as_float_[static_cast<size_t>(v)] ? fmt::format("sn_convert<float>({})", fill) : fill;
}

/// Prints the elements of a loaded value as an array, unless that has been done.
void Emitter::unpack(ValueId v) {
  const auto it = loaded_.find(v);
  if (it == loaded_.end()) return;
  const Loaded loaded = std::move(it->second);
  loaded_.erase(it);
  const Instruction& in = *definitions_[static_cast<size_t>(v)];
  const DType t = storage_type(in);
  const LinearLayout& l = layout(v);
  declare(v, name(v));
  for (size_t i = 0; i < loaded.words.size(); ++i) {
    const tile_ir::VectorAccess& a = loaded.access.vectors[i];
    if (a.count > 2 && consecutive(a) && !loaded.fill_apart) {
      line("#pragma unroll");
      line("for (int j = 0; j < {}; ++j) {}[{} + j] = {};", a.count, name(v), a.registers[0][0],
           element_text(v, t, loaded.words[i] + ".w", "j"));
      continue;
    }
    for (size_t j = 0; j < a.registers.size(); ++j) {
      std::string targets;
      for (int r : a.registers[j]) targets += fmt::format("{}[{}] = ", name(v), r);
      const std::string element = element_text(v, t, loaded.words[i] + ".w", fmt::format("{}", j));
      if (loaded.fill_apart)
        line("{}{} ? {} : {};", targets, inside(loaded.access, l, a.registers[j][0]), element,
             fill_text(v, name(in.operands.back())));
      else
        line("{}{};", targets, element);
    }
  }
}

/// Threads that hold copies of others' elements do not store.
std::string Emitter::only_holders(const LinearLayout& l) const {
  const uint32_t lanes = tile_ir::redundant_bits(l, tile_ir::BitGroup::lane),
                 warps = tile_ir::redundant_bits(l, tile_ir::BitGroup::warp);
  std::string s;
  if (lanes != 0) s += fmt::format("(lane & {}u) == 0", lanes);
  if (warps != 0) s += fmt::format("{}(warp & {}u) == 0", s.empty() ? "" : " && ", warps);
  return s;
}

/// Prints the words of a vector store; gives their name.
std::string Emitter::packed(ValueId v, const LinearLayout& l, const tile_ir::VectorAccess& a, DType t) {
  const std::string w = fresh("w");
  line("sn_words<{}> {} = {{}};", a.count * t.bytes(), w);
  const bool raw = raw_[static_cast<size_t>(v)];
  const int step = is_half(t) && !raw && a.count > 1 ? 2 : 1;
  const auto put = [&](const std::string& j, const std::string& first, const std::string& second) {
    if (raw) return fmt::format("sn_put_raw_{}({}.w, {}, {{{}}});", t.bytes(), w, j, first);
    return step == 2 ? fmt::format("sn_put2_{}({}.w, {}, {}, {});", t.name(), w, j, first, second)
                     : fmt::format("sn_put_{}({}.w, {}, {});", t.name(), w, j, first);
  };
  if (a.count > 2 && consecutive(a) && !is_inlined(v)) {
    const int r = a.registers[0][0];
    line("#pragma unroll");
    line("for (int j = 0; j < {}; j += {}) {}", a.count, step,
         put("j", fmt::format("{}[{} + j]", name(v), r), fmt::format("{}[{} + j]", name(v), r + 1)));
    return w;
  }
  for (int j = 0; j < a.count; j += step)
    line("{}", put(fmt::format("{}", j), register_text(v, l, a.registers[static_cast<size_t>(j)][0]),
                   step == 2 ? register_text(v, l, a.registers[static_cast<size_t>(j) + 1][0]) : ""));
  return w;
}

void Emitter::block_store(const Instruction& in) {
  const ValueId v = in.operands.back();
  const DType t = pointer(in).dtype;
  const LinearLayout& l = layout(v);
  const std::string holders = only_holders(l);
  if (!holders.empty()) {
    line("if ({}) {{", holders);
    ++indent_;
  }
  const BlockAccess b = block_access(in, l, type(v));
  const auto at = [&](const tile_ir::VectorAccess& a, int j) {
    return b.pointer + offset_text(in, l, a.registers[static_cast<size_t>(j)][0]);
  };
  const bool branch = !b.masks.empty() && !b.vector_masks;
  std::vector<std::string> words;
  for (const tile_ir::VectorAccess& a : b.vectors) {
    words.push_back(packed(v, l, a, t));
    const std::string condition = b.masks.empty() ? "" : fmt::format("if ({}) ", inside(b, l, a.registers[0][0]));
    if (!branch) line("{}sn_store_{}({}, {});", condition, a.count * t.bytes(), at(a, 0), words.back());
  }
  if (branch) {
    line("if ({}) {{", whole(b));
    ++indent_;
    for (size_t i = 0; i < words.size(); ++i)
      line("sn_store_{}({}, {});", b.vectors[i].count * t.bytes(), at(b.vectors[i], 0), words[i]);
    --indent_;
    line("}} else {{");
    ++indent_;
    for (size_t i = 0; i < words.size(); ++i) {
      const auto whole_vector = b.vectors[i].count > 1 ? inside(b, l, b.vectors[i]) : std::nullopt;
      if (whole_vector) {
        line("if ({}) {{", *whole_vector);
        ++indent_;
        line("sn_store_{}({}, {});", b.vectors[i].count * t.bytes(), at(b.vectors[i], 0), words[i]);
        --indent_;
        line("}} else {{");
        ++indent_;
      }
      for (int j = 0; j < b.vectors[i].count; ++j)
        line("if ({}) sn_store_{}({}, sn_get_raw_{}({}.w, {}));",
             inside(b, l, b.vectors[i].registers[static_cast<size_t>(j)][0]), t.bytes(), at(b.vectors[i], j), t.bytes(),
             words[i], j);
      if (whole_vector) close();
    }
    close();
  }
  if (!holders.empty()) close();
}

/// Registers that one access of a gather fills: the first ones of each group run along a dim whose neighbours lie side
/// by side in memory.
int Emitter::gathered_vector(const Instruction& in) {
  const LinearLayout& l = layout(in.results[0]);
  const tile_ir::Parameter& p = pointer(in);
  if (!axes_) axes_.emplace(k_.kernel, k_.types);
  int best = 1;
  for (int dim = 0; l.registers_separate() && dim < l.rank(); ++dim) {
    int along = 1;
    for (int bit = 0; bit < l.bits(tile_ir::BitGroup::reg); ++bit) {
      const uint32_t column = l.columns(tile_ir::BitGroup::reg)[static_cast<size_t>(bit)];
      if (column != static_cast<uint32_t>(along) << l.shape().shift_of(dim) ||
          along == l.shape().dims[static_cast<size_t>(dim)])
        break;
      along *= 2;
    }
    const int most = std::min(along, std::min(16, p.alignment) / p.dtype.bytes());
    best = std::max(best, static_cast<int>(tile_ir::gathered_together(*axes_, in, dim, std::max(1, most))));
  }
  return best;
}

void Emitter::gather(const Instruction& in) {
  const ValueId v = in.results[0];
  const LinearLayout& l = layout(v);
  const DType t = pointer(in).dtype;
  declare(v, name(v));
  const auto fill = fill_words(in);
  const int vector = gathered_vector(in), bytes = vector * t.bytes();
  const RegisterText at = open_loops(l, vector);
  const std::string from = fmt::format("p{} + {}", in.index, reference(in.operands[0], l, at));
  const std::string mask = in.masked ? reference(in.operands[1], l, at) : "";
  if (in.masked) {
    const std::array<uint32_t, 2> f = fill.value_or(std::array<uint32_t, 2>{0, 0});
    line("const sn_words<{}> w = {}({}, {}, {:#x}u, {:#x}u);", bytes, load_name(in, true, bytes), from, mask,
         low_bits(f[0], 8 * bytes), f[1]);
  } else {
    line("const sn_words<{}> w = {}({});", bytes, load_name(in, false, bytes), from);
  }
  const auto take = [&](const std::string& target, const std::string& j) {
    const std::string element = element_text(v, t, "w.w", j);
    return in.masked && !fill ? fmt::format("{} = {} ? {} : {};", target, mask, element,
                                            fill_text(v, reference(in.operands[2], l, at)))
                              : fmt::format("{} = {};", target, element);
  };
  if (vector == 1) {
    line("{}", take(fmt::format("{}[{}]", name(v), at.r), "0"));
  } else {
    line("#pragma unroll");
    line("for (int j = 0; j < {}; ++j) {}", vector, take(fmt::format("{}[{} + j]", name(v), at.r), "j"));
  }
  close_loops(l);
}

namespace {

constexpr std::string_view accumulate_names[] = {"sum", "", "max", "min"};  // by ReduceKind

}  // namespace

void Emitter::scatter(const Instruction& in) {
  const LinearLayout& l = layout(in.operands[0]);
  const DType t = pointer(in).dtype;
  const std::string holders = only_holders(l);
  if (!holders.empty()) {
    line("if ({}) {{", holders);
    ++indent_;
  }
  const RegisterText at = open_loops(l);
  const std::string value = reference(in.operands[1], l, at);
  const std::string place = fmt::format("p{} + {}", in.index, reference(in.operands[0], l, at));
  const std::string store =
      in.table > 0 ? fmt::format("sn_table_sum(kept + {}, {}u, (unsigned)({}), {});", tables_.at(in.index).begin,
                                 in.table, reference(in.operands[0], l, at), value)
      : in.fold
          ? fmt::format("sn_accumulate_{}({}, {});", accumulate_names[static_cast<size_t>(*in.fold)], place, value)
          : fmt::format("{{ sn_words<{0}> w = {{}}; sn_put_{1}(w.w, 0, {2}); sn_store_{0}({3}, w); }}", t.bytes(),
                        t.name(), value, place);
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
