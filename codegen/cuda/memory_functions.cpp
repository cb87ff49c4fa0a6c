// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/memory_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sinter::cuda {
namespace {

struct Access {
  bool store = false, read_only = false, conditional = false;
  int bytes = 0;
};

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<Access> parse(std::string_view name) {
  Access a;
  if (!take(name, "sn_load")) {
    if (!take(name, "sn_store")) return std::nullopt;
    a.store = true;
  }
  a.read_only = !a.store && take(name, "_nc");
  a.conditional = !a.store && take(name, "_if");
  for (int bytes : {1, 2, 4, 8, 16})
    if (name == fmt::format("_{}", bytes)) a.bytes = bytes;
  return a.bytes > 0 ? std::optional(a) : std::nullopt;
}

/// PTX type of an access: one or two bytes travel in the low part of a 32-bit register.
std::string ptx_type(int bytes) {
  if (bytes < 4) return fmt::format("u{}", 8 * bytes);
  return bytes == 4 ? "u32" : fmt::format("v{}.u32", bytes / 4);
}

/// "%0" or "{%0, %1}", starting with operand `first`.
std::string operands(int first, int words) {
  std::string s;
  for (int i = 0; i < words; ++i) s += fmt::format("{}%{}", i > 0 ? ", " : "", first + i);
  return words > 1 ? "{" + s + "}" : s;
}

std::string load(std::string_view name, const Access& a) {
  const int words = std::max(1, a.bytes / 4);
  // Read-write memory may be stored to by asm statements between: "memory" keeps the order.
  const std::string type = fmt::format("ld.global{}.{}", a.read_only ? ".nc" : "", ptx_type(a.bytes));
  std::string outputs;
  for (int i = 0; i < words; ++i) outputs += fmt::format("{}\"+r\"(r.w[{}])", i > 0 ? ", " : "", i);
  const std::string_view clobber = a.read_only ? "" : " : \"memory\"";
  std::string s = fmt::format("__device__ __forceinline__ sn_words<{}> {}(const void* p", a.bytes, name);
  if (a.conditional) s += ", bool inside, unsigned even, unsigned odd";
  s += fmt::format(") {{\n  sn_words<{}> r = {{", a.bytes);
  if (a.conditional)
    for (int i = 0; i < words; ++i) s += i % 2 == 0 ? (i > 0 ? ", even" : "even") : ", odd";
  s += "};\n#ifdef SINTER_HOST\n  ";
  if (a.conditional) s += "if (inside) ";
  s += fmt::format("sinter_host_load{}(&r, p, {});\n#else\n", a.read_only ? "" : "_rw", a.bytes);
  if (a.conditional)
    s += fmt::format(
        "  asm volatile(\"{{ .reg .pred q; setp.ne.u32 q, %{}, 0; @q {} {}, [%{}]; }}\"\n               : {} : "
        "\"l\"(p), "
        "\"r\"((unsigned)inside){});\n",
        words + 1, type, operands(0, words), words, outputs, clobber);
  else
    s += fmt::format("  asm volatile(\"{} {}, [%{}];\" : {} : \"l\"(p){});\n", type, operands(0, words), words, outputs,
                     clobber);
  return s + "#endif\n  return r;\n}\n";
}

std::string store(std::string_view name, const Access& a) {
  const int words = std::max(1, a.bytes / 4);
  std::string inputs;
  for (int i = 0; i < words; ++i) inputs += fmt::format(", \"r\"(v.w[{}])", i);
  return fmt::format(
      "__device__ __forceinline__ void {0}(void* p, sn_words<{1}> v) {{\n#ifdef SINTER_HOST\n"
      "  sinter_host_store(p, &v, {1});\n#else\n"
      "  asm volatile(\"st.global.{2} [%0], {3};\" : : \"l\"(p){4} : \"memory\");\n#endif\n}}\n",
      name, a.bytes, ptx_type(a.bytes), operands(1, words), inputs);
}

}  // namespace

std::string memory_function(std::string_view name) {
  const std::optional<Access> a = parse(name);
  if (!a) return {};
  return "\n" + (a->store ? store(name, *a) : load(name, *a));
}

}  // namespace sinter::cuda
