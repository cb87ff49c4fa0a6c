// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/names.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace sinter::cuda {
namespace {

std::string with_point(const std::string& s) { return s.find_first_of(".e") == std::string::npos ? s + ".0" : s; }

}  // namespace

const char* compute_name(DType t) {
  if (t == boolean) return "bool";
  if (t == i32) return "int";
  if (t == u32) return "unsigned";
  if (t == i64) return "long long";
  if (t == u64) return "unsigned long long";
  return t == f64 ? "double" : "float";
}

const char* storage_name(DType t) {
  if (t == boolean || t == u8) return "unsigned char";
  if (t == i8) return "signed char";
  if (t == i16) return "short";
  if (t == u16 || t == f16 || t == bf16) return "unsigned short";
  return compute_name(t);
}

namespace {

std::string bare_literal(DType t, uint64_t bits) {
  if (t == boolean) return bits != 0 ? "true" : "false";
  if (t == i32) {
    const auto v = static_cast<int32_t>(bits);
    return v == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("{}", v);
  }
  if (t == u32) return fmt::format("{}u", static_cast<uint32_t>(bits));
  if (t == i64) {
    const auto v = static_cast<int64_t>(bits);
    return v == INT64_MIN ? "(-9223372036854775807ll - 1)" : fmt::format("{}ll", v);
  }
  if (t == u64) return fmt::format("{}ull", bits);
  if (t == f64) {
    const auto v = std::bit_cast<double>(bits);
    return std::isfinite(v) ? with_point(fmt::format("{}", v)) : fmt::format("sn_bitcast<double>({}ull)", bits);
  }
  const auto v = std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::isfinite(v) ? with_point(fmt::format("{}", v)) + "f"
                          : fmt::format("sn_bitcast<float>({:#x}u)", static_cast<uint32_t>(bits));
}

}  // namespace

std::string literal(DType t, uint64_t bits) {
  std::string s = bare_literal(t, bits);
  return s[0] == '-' ? "(" + s + ")" : s;
}

}  // namespace sinter::cuda
