// SPDX-License-Identifier: Apache-2.0
#include "src/graph/text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace sinter::graph {
namespace {

std::string floating_text(int64_t bits) {
  const auto v = std::bit_cast<double>(bits);
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  if (std::isnan(v)) return fmt::format("nan({:#x})", static_cast<uint64_t>(bits));
  std::string s = fmt::format("{}", v);  // the shortest that reads back to the same double
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

std::string parameter_text(const Param& p, AttributeReader& r) {
  switch (p.kind) {
    case ParamKind::flag:
      return r.flag() ? "true" : "false";
    case ParamKind::integer:
      return fmt::format("{}", r.integer());
    case ParamKind::integers:
      return r.integers().text();
    case ParamKind::dtype:
      return std::string(r.dtype().name());
    case ParamKind::enumeration: {
      const auto v = static_cast<size_t>(r.integer());
      if (v >= p.names.size()) throw CompileError(fmt::format("internal: {} has no name for {}", p.name, v));
      return std::string(p.names[v]);
    }
    case ParamKind::device:
      return r.device().text();
    case ParamKind::number:
      return text(r.number());
    case ParamKind::optional_number:
      return r.flag() ? text(r.number()) : "none";
    case ParamKind::extent:
      return r.extent().text();
    case ParamKind::extents:
      return text(r.extents());
  }
  throw CompileError("internal: unknown kind of parameter");
}

}  // namespace

std::string text(std::span<const Expr> list) {
  std::string s = "[";
  for (size_t i = 0; i < list.size(); ++i) s += (i ? "," : "") + list[i].text();
  return s + "]";
}

std::string text(const ValueType& type) { return fmt::format("{} {}", type.dtype.name(), text(type.shape)); }

std::string text(const Scalar& number) {
  const Number& n = number.literal;
  if (number.symbol >= 0) return fmt::format("{} s{}", number_kind_names[static_cast<size_t>(n.kind)], number.symbol);
  if (n.kind == Number::Kind::boolean) return n.bits != 0 ? "true" : "false";
  return n.kind == Number::Kind::integer ? fmt::format("{}", n.bits) : floating_text(n.bits);
}

std::string text(const OpDef& op, const Attributes& attributes) {
  std::string s;
  AttributeReader reader(attributes);
  for (const Param& p : op.params)
    s += fmt::format("{}{}={}", s.empty() ? "" : ", ", p.name, parameter_text(p, reader));
  return s;
}

std::string text(const Graph& graph, Value value) {
  return graph.node(value.node).results.size() > 1 ? fmt::format("%{}.{}", value.node, value.result)
                                                   : fmt::format("%{}", value.node);
}

std::string quoted(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    s += c == '\n' ? "\\n" : std::string(1, c);
  }
  return s + "\"";
}

Layout contiguous_layout(std::span<const Expr> shape) {
  Layout layout{std::vector<Expr>(shape.size(), Expr(1)), 0};
  for (size_t d = shape.size(); d-- > 1;) layout.strides[d - 1] = layout.strides[d] * shape[d];
  return layout;
}

bool is_contiguous(const Layout& layout, std::span<const Expr> shape) {
  return layout.offset.is_constant(0) && layout.strides == contiguous_layout(shape).strides;
}

}  // namespace sinter::graph
