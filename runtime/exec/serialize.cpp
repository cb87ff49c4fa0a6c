// SPDX-License-Identifier: Apache-2.0
#include <sinter/error.h>

#include <cstring>
#include <type_traits>

#include <sinter/dims.h>

#include "runtime/exec/plan.h"

namespace sinter::exec {
namespace {

constexpr uint64_t magic = 0x316e616c70746e73;  // "sntplan1"

class Writer {
 public:
  std::string out;
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void field(const T& v) {
    out.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void field(const std::string& s) {
    field(static_cast<uint64_t>(s.size()));
    out += s;
  }
  template <class T>
  void list(const std::vector<T>& v) {
    field(static_cast<uint64_t>(v.size()));
    for (const T& e : v) visit(*this, e);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void field(T& v) {
    std::memcpy(&v, take(sizeof v).data(), sizeof v);
  }
  void field(bool& v) {
    uint8_t byte = 0;
    field(byte);
    if (byte > 1) throw CompileError("plan: a truth value is neither 0 nor 1");
    v = byte != 0;
  }
  void field(std::string& s) { s = take(count(1)); }
  template <class T>
  void list(std::vector<T>& v) {
    v.resize(count(1));
    for (T& e : v) visit(*this, e);
  }
  bool done() const { return in_.empty(); }

 private:
  size_t count(size_t smallest) {
    uint64_t n = 0;
    field(n);
    if (n > in_.size() / smallest) throw CompileError("plan: a length exceeds the file");
    return static_cast<size_t>(n);
  }
  std::string_view take(size_t n) {
    if (n > in_.size()) throw CompileError("plan: the file ends early");
    const std::string_view r = in_.substr(0, n);
    in_.remove_prefix(n);
    return r;
  }
  std::string_view in_;
};

/// One visitor per struct serves writing and reading. `A` is Writer (const structs) or Reader.
void visit(Writer& a, const DType& t) {
  a.field(static_cast<uint8_t>(t.kind()));
  a.field(static_cast<uint8_t>(t.bits()));
}
void visit(Reader& a, DType& t) {
  uint8_t kind = 0, bits = 0;
  a.field(kind);
  a.field(bits);
  t = DType(static_cast<DType::Kind>(kind), bits);
  if (t.name() == "?") throw CompileError("plan: unknown dtype");
}
void visit(Writer& a, const std::string& s) { a.field(s); }
void visit(Reader& a, std::string& s) { a.field(s); }

template <class A, class T, class U>
concept visits = std::is_same_v<std::remove_const_t<T>, U>;

template <class A, class T>
  requires visits<A, T, HostExpr>
void visit(A& a, T& e) {
  a.field(e.begin);
  a.field(e.length);
  a.field(e.literal);
}
template <class A, class T>
  requires visits<A, T, HostInstruction>
void visit(A& a, T& i) {
  a.field(i.op);
  a.field(i.operand);
}
template <class A, class T>
  requires visits<A, T, SlotSource>
void visit(A& a, T& s) {
  a.field(s.kind);
  a.field(s.index);
  visit(a, s.dtype);
  visit(a, s.expr);
  a.field(s.bits);
}
template <class A, class T>
  requires visits<A, T, KernelRef>
void visit(A& a, T& k) {
  a.field(k.key);
  a.field(k.entry);
  a.field(k.threads);
  a.field(k.shared_bytes);
}
template <class A, class T>
  requires visits<A, T, Step>
void visit(A& a, T& s) {
  a.field(s.kernel);
  visit(a, s.grid);
  a.list(s.slots);
}
template <class A, class T>
  requires visits<A, T, TensorSpec>
void visit(A& a, T& t) {
  visit(a, t.dtype);
  a.field(t.alias_input);
  a.field(t.alias_output);
  visit(a, t.alias_offset);
  a.list(t.shape);
  a.list(t.strides);
}
template <class A, class T>
  requires visits<A, T, Plan>
void visit(A& a, T& p) {
  a.field(p.name);
  a.field(p.device.kind);
  a.field(p.device.index);
  a.field(p.input_count);
  a.field(p.symbol_count);
  a.list(p.outputs);
  visit(a, p.arena_bytes);
  a.list(p.kernels);
  a.list(p.steps);
  a.list(p.code);
  a.field(p.uses_status);
  a.field(p.uses_arrivals);
  a.list(p.status_messages);
}

void require(bool ok, const char* what) {
  if (!ok) throw CompileError(std::string("plan: ") + what);
}

void check_expr(const Plan& p, const HostExpr& e) {
  require(
      e.begin >= 0 && e.length >= 0 && static_cast<size_t>(e.begin) + static_cast<size_t>(e.length) <= p.code.size(),
      "an expression lies outside the code");
}

/// Indices in a plan from a file are never trusted.
void check(const Plan& p) {
  constexpr int32_t most = 1 << 20;  // words in a key: thousands of ops with a few numbers each
  require(p.input_count >= 0 && p.input_count <= most && p.symbol_count >= 0 && p.symbol_count <= most,
          "an impossible count");
  require(p.device.kind == DeviceKind::cpu || p.device.kind == DeviceKind::cuda, "unknown device");
  check_expr(p, p.arena_bytes);
  for (const HostInstruction& i : p.code) {
    require(i.op <= HostOp::doubled, "unknown host op");
    if (i.op == HostOp::symbol) require(i.operand >= 0 && i.operand < p.symbol_count, "unknown symbol");
  }
  for (size_t i = 0; i < p.outputs.size(); ++i) {
    const TensorSpec& t = p.outputs[i];
    require(t.shape.size() == t.strides.size() && t.shape.size() <= Dims::max_size, "bad output shape");
    require(t.alias_input < p.input_count && t.alias_output < static_cast<int32_t>(i), "bad alias");
    for (const HostExpr& e : t.shape) check_expr(p, e);
    for (const HostExpr& e : t.strides) check_expr(p, e);
    check_expr(p, t.alias_offset);
  }
  for (const Step& s : p.steps) {
    require(s.kernel >= 0 && static_cast<size_t>(s.kernel) < p.kernels.size(), "unknown kernel");
    check_expr(p, s.grid);
    for (const SlotSource& slot : s.slots) {
      check_expr(p, slot.expr);
      require(slot.kind <= SlotSource::Kind::arrivals, "unknown slot");
      if (slot.kind == SlotSource::Kind::input) require(slot.index >= 0 && slot.index < p.input_count, "bad input");
      if (slot.kind == SlotSource::Kind::number)
        require(slot.index >= 0 && slot.index < p.symbol_count, "unknown number");
      if (slot.kind == SlotSource::Kind::arrivals) require(p.uses_arrivals, "arrivals that nobody asked for");
      if (slot.kind == SlotSource::Kind::output)
        require(slot.index >= 0 && static_cast<size_t>(slot.index) < p.outputs.size(), "bad output");
    }
  }
}

}  // namespace

std::string serialize(const Plan& plan) {
  Writer w;
  w.field(magic);
  w.field(Plan::version);
  visit(w, plan);
  return std::move(w.out);
}

Plan deserialize(std::string_view bytes) {
  Reader r(bytes);
  uint64_t found = 0;
  uint32_t version = 0;
  r.field(found);
  r.field(version);
  require(found == magic && version == Plan::version, "another format version");
  Plan plan;
  visit(r, plan);
  require(r.done(), "bytes left over");
  check(plan);
  return plan;
}

}  // namespace sinter::exec
