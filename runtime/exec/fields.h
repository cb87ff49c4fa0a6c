// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>
#include <sinter/error.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runtime/exec/plan.h"

namespace sinter::exec {

/// Writes plain data, field by field. One visit() per struct serves writing and reading (Reader).
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

/// Reads what a Writer wrote. Nothing in the bytes is trusted: CompileError for anything that exceeds them.
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
  void field(std::string& s) { s = take(count()); }
  template <class T>
  void list(std::vector<T>& v) {
    const size_t n = count();
    v.clear();
    for (size_t i = 0; i < n; ++i) visit(*this, v.emplace_back());  // grows as bytes are found
  }
  bool done() const { return in_.empty(); }

 private:
  size_t count() {
    uint64_t n = 0;
    field(n);
    if (n > in_.size()) throw CompileError("plan: a length exceeds the file");
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

template <class A, class T, class U>
concept visits = std::is_same_v<std::remove_const_t<T>, U>;

inline void visit(Writer& a, const DType& t) {
  a.field(static_cast<uint8_t>(t.kind()));
  a.field(static_cast<uint8_t>(t.bits()));
}
inline void visit(Reader& a, DType& t) {
  uint8_t kind = 0, bits = 0;
  a.field(kind);
  a.field(bits);
  t = DType(static_cast<DType::Kind>(kind), bits);
  if (t.name() == "?") throw CompileError("plan: unknown dtype");
}
inline void visit(Writer& a, const std::string& s) { a.field(s); }
inline void visit(Reader& a, std::string& s) { a.field(s); }
template <class T>
  requires std::is_arithmetic_v<T>
void visit(Writer& a, const T& v) {
  a.field(v);
}
template <class T>
  requires std::is_arithmetic_v<T>
void visit(Reader& a, T& v) {
  a.field(v);
}
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

/// CompileError unless `code` holds the expression and every symbol is one of the first `symbols`.
void check_code(const std::vector<HostInstruction>& code, int32_t symbols);
void check_expr(const std::vector<HostInstruction>& code, const HostExpr& e);

}  // namespace sinter::exec
