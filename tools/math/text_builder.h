// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sinter/dtype.h>

#include <bit>
#include <cstdint>
#include <string>

namespace sinter::scalar::math {

struct TextValue {
  std::string name;
  DType type;
};

/// Writes an expansion as CUDA C statements, one a primitive op.
class TextBuilder {
 public:
  using Value = TextValue;

  /// With `main_path` a rare case is a trap.
  explicit TextBuilder(bool main_path = false) : main_path_(main_path) {}

  static const char* prelude() {
    return "#define OP static __device__ __forceinline__\n"
           "OP float sn_min(float a, float b) { float r; asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), "
           "\"f\"(b)); return r; }\n"
           "OP float sn_max(float a, float b) { float r; asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), "
           "\"f\"(b)); return r; }\n"
           "OP float sn_ex2(float a) { float r; asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a)); return r; "
           "}\n"
           "OP float sn_lg2(float a) { float r; asm(\"lg2.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a)); return r; }\n"
           "OP float sn_rcp(float a) { float r; asm(\"rcp.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a)); return r; }\n"
           "OP float sn_rsqrt(float a) { float r; asm(\"rsqrt.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a)); return r; "
           "}\n"
           "OP float sn_tanh(float a) { float r; asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a)); return r; }\n"
           "OP unsigned sn_shl(unsigned a, unsigned n) { return n > 31u ? 0u : a << n; }\n"
           "OP unsigned sn_shr(unsigned a, unsigned n) { return n > 31u ? 0u : a >> n; }\n"
           "OP int sn_min(int a, int b) { return a < b ? a : b; }\n"
           "OP int sn_max(int a, int b) { return a > b ? a : b; }\n";
  }
  const std::string& text() const { return text_; }

  Value f32(float v) { return f32_bits(std::bit_cast<uint32_t>(v)); }
  Value i32(int32_t v) { return {"(int)" + std::to_string(static_cast<uint32_t>(v)) + "u", sinter::i32}; }
  Value u32(uint32_t v) { return {std::to_string(v) + "u", sinter::u32}; }
  Value f32_bits(uint32_t v) { return {"__uint_as_float(" + std::to_string(v) + "u)", sinter::f32}; }

  Value add(Value a, Value b) { return infix(a, "+", b); }
  Value sub(Value a, Value b) { return infix(a, "-", b); }
  Value mul(Value a, Value b) { return infix(a, "*", b); }
  Value div(Value a, Value b) { return infix(a, "/", b); }
  Value fma(Value a, Value b, Value c) { return call("__fmaf_rn", a.type, {a.name, b.name, c.name}); }
  Value mul_hi(Value a, Value b) { return call("__umulhi", a.type, {a.name, b.name}); }
  Value neg(Value a) { return emit(a.type, "-" + a.name); }
  Value abs(Value a) { return call(a.type == sinter::f32 ? "fabsf" : "abs", a.type, {a.name}); }
  Value sqrt(Value a) { return call("__fsqrt_rn", a.type, {a.name}); }
  Value ex2_approx(Value a) { return call("sn_ex2", a.type, {a.name}); }
  Value lg2_approx(Value a) { return call("sn_lg2", a.type, {a.name}); }
  Value rcp_approx(Value a) { return call("sn_rcp", a.type, {a.name}); }
  Value rsqrt_approx(Value a) { return call("sn_rsqrt", a.type, {a.name}); }
  Value tanh_approx(Value a) { return call("sn_tanh", a.type, {a.name}); }
  Value floor(Value a) { return call("floorf", a.type, {a.name}); }
  Value ceil(Value a) { return call("ceilf", a.type, {a.name}); }
  Value trunc(Value a) { return call("truncf", a.type, {a.name}); }
  Value round_even(Value a) { return call("rintf", a.type, {a.name}); }
  Value min(Value a, Value b) { return call("sn_min", a.type, {a.name, b.name}); }
  Value max(Value a, Value b) { return call("sn_max", a.type, {a.name, b.name}); }
  Value bit_and(Value a, Value b) { return infix(a, "&", b); }
  Value bit_or(Value a, Value b) { return infix(a, "|", b); }
  Value bit_xor(Value a, Value b) { return infix(a, "^", b); }
  Value bit_not(Value a) { return emit(a.type, (a.type == sinter::boolean ? "!" : "~") + a.name); }
  Value shl(Value a, Value b) {
    return constant_count(b) ? emit(a.type, "(unsigned)" + a.name + " << " + b.name)
                             : call("sn_shl", a.type, {a.name, b.name});
  }
  Value shr(Value a, Value b) {
    return constant_count(b) ? infix(a, ">>", b) : call("sn_shr", a.type, {a.name, b.name});
  }
  Value lt(Value a, Value b) { return compare(a, "<", b); }
  Value le(Value a, Value b) { return compare(a, "<=", b); }
  Value eq(Value a, Value b) { return compare(a, "==", b); }
  Value ne(Value a, Value b) { return compare(a, "!=", b); }
  Value gt(Value a, Value b) { return compare(a, ">", b); }
  Value ge(Value a, Value b) { return compare(a, ">=", b); }
  Value select(Value c, Value a, Value b) { return emit(a.type, c.name + " ? " + a.name + " : " + b.name); }
  template <class Slow>
  Value rare(Value condition, Value fast, Slow slow) {
    if (main_path_) {
      text_ += "  if (" + condition.name + ") __trap();\n";
      return fast;
    }
    const Value result = emit(fast.type, fast.name);
    text_ += "  if (" + condition.name + ") {\n";
    const Value value = slow();
    text_ += "  " + result.name + " = " + value.name + ";\n  }\n";
    return result;
  }
  Value convert(Value a, DType to) { return emit(to, "(" + spelling(to) + ")" + a.name); }
  Value bitcast(Value a, DType to) {
    if (to == sinter::f32) return emit(to, "__int_as_float((int)" + a.name + ")");
    return emit(to, "(" + spelling(to) + ")" + (a.type == sinter::f32 ? "__float_as_int(" + a.name + ")" : a.name));
  }

 private:
  /// Counts in expansions are constants below 32, or values that may be 32.
  static bool constant_count(const Value& n) { return n.name[0] != 'v'; }
  static std::string spelling(DType t) {
    return t == sinter::f32 ? "float" : t == sinter::i32 ? "int" : t == sinter::u32 ? "unsigned" : "bool";
  }
  Value emit(DType type, const std::string& expression) {
    const std::string name = "v" + std::to_string(count_++);
    text_ += "  " + spelling(type) + " " + name + " = " + expression + ";\n";
    return {name, type};
  }
  Value infix(const Value& a, const char* op, const Value& b) { return emit(a.type, a.name + " " + op + " " + b.name); }
  Value compare(const Value& a, const char* op, const Value& b) {
    return emit(sinter::boolean, a.name + " " + op + " " + b.name);
  }
  Value call(const char* function, DType type, std::initializer_list<std::string> operands) {
    std::string list;
    for (const auto& o : operands) list += (list.empty() ? "" : ", ") + o;
    return emit(type, std::string(function) + "(" + list + ")");
  }

  bool main_path_;
  std::string text_;
  int count_ = 0;
};

}  // namespace sinter::scalar::math
