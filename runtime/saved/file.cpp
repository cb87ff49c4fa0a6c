// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved/file.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <utility>

#include "runtime/cache/hash.h"
#include "runtime/exec/fields.h"

namespace sinter::saved {

using exec::Reader;
using exec::visits;
using exec::Writer;

template <class A, class T>
  requires visits<A, T, Signature::Range>
void visit(A& a, T& r) {
  a.field(r.word);
  a.field(r.least);
  a.field(r.most);
}
template <class A, class T>
  requires visits<A, T, Signature::Equality>
void visit(A& a, T& e) {
  visit(a, e.left);
  visit(a, e.right);
  a.field(e.reason);
}
template <class A, class T>
  requires visits<A, T, Signature>
void visit(A& a, T& s) {
  a.field(s.arguments);
  a.list(s.expected);
  a.list(s.mask);
  a.list(s.ranges);
  a.list(s.equal);
  a.list(s.code);
}
template <class A, class T>
  requires visits<A, T, TensorSource>
void visit(A& a, T& s) {
  a.field(s.kind);
  a.field(s.index);
  a.field(s.dense);
}
template <class A, class T>
  requires visits<A, T, SymbolSource>
void visit(A& a, T& s) {
  a.field(s.argument_word);
  a.field(s.symbol);
}
template <class A, class T>
  requires visits<A, T, FrozenCall>
void visit(A& a, T& c) {
  visit(a, c.signature);
  a.list(c.inputs);
  a.list(c.results);
  a.list(c.symbols);
  a.list(c.varies);
  a.list(c.draws);
}
template <class A, class T>
  requires visits<A, T, Target>
void visit(A& a, T& t) {
  a.field(t.kind);
  a.field(t.architecture);
  a.field(t.source);
  a.field(t.made_with);
}
template <class A, class T>
  requires visits<A, T, Code>
void visit(A& a, T& c) {
  a.field(c.bytes);
}
template <class A, class T>
  requires visits<A, T, Constant>
void visit(A& a, T& c) {
  visit(a, c.dtype);
  a.list(c.shape);
  a.list(c.strides);
  a.field(c.offset);
  a.field(c.bytes);
}
void visit(Writer& a, const exec::Plan& plan) { a.field(exec::serialize(plan)); }
void visit(Reader& a, exec::Plan& plan) {
  std::string bytes;
  a.field(bytes);
  plan = exec::deserialize(bytes);
}
template <class A, class T>
  requires visits<A, T, Program>
void visit(A& a, T& p) {
  a.field(p.target);
  a.field(p.aligned);
  saved::visit(a, p.plan);
  a.list(p.code);
}
template <class A, class T>
  requires visits<A, T, SavedCall>
void visit(A& a, T& c) {
  visit(a, c.call);
  a.list(c.constants);
  a.list(c.programs);
}
template <class A, class T>
  requires visits<A, T, File>
void visit(A& a, T& f) {
  a.field(f.name);
  a.field(f.location);
  a.list(f.targets);
  a.list(f.code);
  a.list(f.constants);
  a.list(f.calls);
}

namespace {

constexpr std::string_view magic{"sinter\0f", 8};
/// The upper half is this file's layout; the lower that of plans, which it holds.
constexpr uint32_t format_version = uint32_t{2} << 16 | exec::Plan::version;
// magic 8, version 4, length of the payload 8, checksum 16
constexpr size_t checksum_at = 20, header_size = 36;

template <class T>
T read(std::string_view from, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof value; ++i) value |= static_cast<T>(static_cast<uint8_t>(from[at + i])) << (8 * i);
  return value;
}

std::string little_endian(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string checksum(std::string_view head, std::string_view payload) {
  const cache::Hash128 body = cache::hash128(payload);
  const cache::Hash128 all =
      cache::hash128(std::string(head) + little_endian(body.high, 8) + little_endian(body.low, 8));
  return little_endian(all.high, 8) + little_endian(all.low, 8);
}

[[noreturn]] void refuse(const std::string& path, std::string what, std::string fix) {
  throw UserError({"load", fmt::format("{} {}", path, what), {}, {}, std::move(fix)});
}

void require_in_file(bool ok, const char* what) {
  if (!ok) throw CompileError(what);
}

void check_constant(const Constant& c) {
  require_in_file(c.shape.size() == c.strides.size() && c.shape.size() <= Dims::max_size,
                  "a constant has too many dims");
  constexpr int64_t most = int64_t{1} << 40;
  __int128 low = c.offset, high = c.offset;
  bool empty = false;
  for (size_t d = 0; d < c.shape.size(); ++d) {
    require_in_file(c.shape[d] >= 0 && c.shape[d] <= most, "a constant has an impossible extent");
    empty = empty || c.shape[d] == 0;
    const __int128 step = static_cast<__int128>(c.shape[d] - 1) * c.strides[d];
    (step < 0 ? low : high) += step;
  }
  const auto elements = static_cast<__int128>(c.bytes.size() / static_cast<size_t>(c.dtype.bytes()));
  require_in_file(empty || (low >= 0 && high < elements), "a constant reaches beyond its bytes");
}

void check_program(const File& file, const SavedCall& call, const Program& p) {
  require_in_file(p.target >= 0 && static_cast<size_t>(p.target) < file.targets.size(), "a program for no target");
  require_in_file(p.plan.device.kind == file.targets[static_cast<size_t>(p.target)].kind, "a plan for another device");
  require_in_file(p.code.size() == p.plan.kernels.size(), "kernels without code");
  for (int32_t c : p.code) require_in_file(c >= 0 && static_cast<size_t>(c) < file.code.size(), "unknown code");
  check_plan(call.call, p.plan);
}

void check_file(const File& file) {
  for (const Target& t : file.targets)
    require_in_file(t.kind == DeviceKind::cpu || t.kind == DeviceKind::cuda, "unknown kind of device");
  for (const Constant& c : file.constants) check_constant(c);
  for (const SavedCall& c : file.calls) {
    for (int32_t k : c.constants)
      require_in_file(k >= 0 && static_cast<size_t>(k) < file.constants.size(), "unknown constant");
    check(c.call, c.constants.size());
    for (const TensorSource& s : c.call.results)
      require_in_file(s.kind != TensorSource::Kind::output || !c.programs.empty(), "an output that nothing computes");
    for (const Program& p : c.programs) check_program(file, c, p);
  }
}

}  // namespace

std::string pack(const File& file) {
  Writer w;
  visit(w, file);
  std::string head(magic);
  head += little_endian(format_version, 4) + little_endian(w.out.size(), 8);
  return head + checksum(head, w.out) + w.out;
}

File unpack(std::string_view bytes, const std::string& path) {
  const std::string again = "save it again with save()";
  if (bytes.size() < magic.size() ? !magic.starts_with(bytes) : !bytes.starts_with(magic))
    refuse(path, "is no saved function", "give a file that save() wrote");
  if (bytes.size() < header_size) refuse(path, fmt::format("is cut off after {} bytes", bytes.size()), again);
  if (const auto version = read<uint32_t>(bytes, 8); version != format_version)
    refuse(path,
           fmt::format("has format {}.{}; this library reads format {}.{}", version >> 16, version & 0xffff,
                       format_version >> 16, format_version & 0xffff),
           "save it with the library's version that loads it");
  const std::string_view payload = bytes.substr(header_size);
  if (const auto size = read<uint64_t>(bytes, 12); size != payload.size())
    refuse(path, fmt::format("has {} bytes instead of {}: it was cut off or changed", payload.size(), size), again);
  if (checksum(bytes.substr(0, checksum_at), payload) != bytes.substr(checksum_at, header_size - checksum_at))
    refuse(path, "is damaged: its checksum does not match", again);
  File file;
  try {
    Reader r(payload);
    visit(r, file);
    require_in_file(r.done(), "bytes left over");
    check_file(file);
  } catch (const CompileError& e) {
    refuse(path, fmt::format("cannot be understood: {}", e.parts().what), again);
  }
  return file;
}

}  // namespace sinter::saved
