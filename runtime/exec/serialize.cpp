// SPDX-License-Identifier: Apache-2.0
#include <sinter/dims.h>
#include <sinter/error.h>

#include <utility>

#include "runtime/exec/fields.h"
#include "runtime/exec/plan.h"

namespace sinter::exec {

/// One visitor per struct serves writing and reading. `A` is Writer (const structs) or Reader.
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
  requires visits<A, T, CallTensorSource>
void visit(A& a, T& t) {
  visit(a, t.address);
  visit(a, t.dtype);
  a.list(t.shape);
  a.list(t.strides);
}
template <class A, class T>
  requires visits<A, T, CallNumberSource>
void visit(A& a, T& n) {
  a.field(n.floating);
  a.field(n.symbol);
  visit(a, n.value);
}
template <class A, class T>
  requires visits<A, T, CallRef>
void visit(A& a, T& c) {
  a.field(c.op);
  a.field(c.provider);
  a.list(c.words);
  a.list(c.numbers);
  a.list(c.operands);
  a.list(c.results);
}
template <class A, class T>
  requires visits<A, T, Step>
void visit(A& a, T& s) {
  a.field(s.kernel);
  visit(a, s.grid);
  a.list(s.slots);
  a.field(s.call);
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
  a.list(p.calls);
  a.list(p.steps);
  a.list(p.code);
  a.field(p.uses_status);
  a.field(p.uses_arrivals);
  a.list(p.status_messages);
}

namespace {

constexpr uint64_t magic = 0x316e616c70746e73;  // "sntplan1"

void require(bool ok, const char* what) {
  if (!ok) throw CompileError(std::string("plan: ") + what);
}

void check_expr(const Plan& p, const HostExpr& e) { exec::check_expr(p.code, e); }

void check_slot(const Plan& p, const SlotSource& slot) {
  check_expr(p, slot.expr);
  require(slot.kind <= SlotSource::Kind::arrivals, "unknown slot");
  if (slot.kind == SlotSource::Kind::input) require(slot.index >= 0 && slot.index < p.input_count, "bad input");
  if (slot.kind == SlotSource::Kind::number) require(slot.index >= 0 && slot.index < p.symbol_count, "unknown number");
  if (slot.kind == SlotSource::Kind::arrivals) require(p.uses_arrivals, "arrivals that nobody asked for");
  if (slot.kind == SlotSource::Kind::output)
    require(slot.index >= 0 && static_cast<size_t>(slot.index) < p.outputs.size(), "bad output");
}

void check_tensor(const Plan& p, const CallTensorSource& t) {
  using Kind = SlotSource::Kind;
  require(t.shape.size() == t.strides.size() && t.shape.size() <= Dims::max_size, "bad shape of a call's tensor");
  require(t.address.kind == Kind::input || t.address.kind == Kind::output || t.address.kind == Kind::temporary,
          "a call's tensor is no memory");
  check_slot(p, t.address);
  for (const HostExpr& e : t.shape) check_expr(p, e);
  for (const HostExpr& e : t.strides) check_expr(p, e);
}

void check_call(const Plan& p, const CallRef& c) {
  require(!c.results.empty(), "a call without results");
  for (const CallNumberSource& n : c.numbers) {
    require(n.symbol < p.symbol_count, "unknown number");
    check_expr(p, n.value);
  }
  for (const CallTensorSource& t : c.operands) check_tensor(p, t);
  for (const CallTensorSource& t : c.results) check_tensor(p, t);
}

void check_step(const Plan& p, const Step& s) {
  const bool kernel = s.kernel >= 0 && static_cast<size_t>(s.kernel) < p.kernels.size();
  const bool call = s.call >= 0 && static_cast<size_t>(s.call) < p.calls.size();
  require(kernel ? s.call == -1 : call && s.kernel == -1, "a step is a known kernel or a known call");
  check_expr(p, s.grid);
  for (const SlotSource& slot : s.slots) check_slot(p, slot);
}

/// Indices in a plan from a file are never trusted.
void check(const Plan& p) {
  constexpr int32_t most = 1 << 20;  // words in a key: thousands of ops with a few numbers each
  require(p.input_count >= 0 && p.input_count <= most && p.symbol_count >= 0 && p.symbol_count <= most,
          "an impossible count");
  require(p.device.kind == DeviceKind::cpu || p.device.kind == DeviceKind::cuda, "unknown device");
  check_expr(p, p.arena_bytes);
  check_code(p.code, p.symbol_count);
  for (size_t i = 0; i < p.outputs.size(); ++i) {
    const TensorSpec& t = p.outputs[i];
    require(t.shape.size() == t.strides.size() && t.shape.size() <= Dims::max_size, "bad output shape");
    require(t.alias_input < p.input_count && t.alias_output < static_cast<int32_t>(i), "bad alias");
    for (const HostExpr& e : t.shape) check_expr(p, e);
    for (const HostExpr& e : t.strides) check_expr(p, e);
    check_expr(p, t.alias_offset);
  }
  for (const CallRef& c : p.calls) check_call(p, c);
  for (const Step& s : p.steps) check_step(p, s);
}

}  // namespace

void check_code(const std::vector<HostInstruction>& code, int32_t symbols) {
  for (const HostInstruction& i : code) {
    require(i.op <= HostOp::doubled, "unknown host op");
    if (i.op == HostOp::symbol) require(i.operand >= 0 && i.operand < symbols, "unknown symbol");
  }
}

void check_expr(const std::vector<HostInstruction>& code, const HostExpr& e) {
  require(e.begin >= 0 && e.length >= 0 && static_cast<size_t>(e.begin) + static_cast<size_t>(e.length) <= code.size(),
          "an expression lies outside the code");
}

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
