// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "src/graph/registry.h"

// The pieces of the canonical text that the printer, the parser and Graphviz share.
namespace sinter::graph {

/// "[s0,224]"
std::string text(std::span<const Expr> list);
/// "f32 [s0,224]"
std::string text(const ValueType& type);
/// "true", "3", "0.5", "nan(0x7ff8000000000001)"; promoted: "floating s2". Every bit is kept.
std::string text(const Scalar& number);
/// "dims=[-1], keepdim=false": the op's parameters by name.
std::string text(const OpDef& op, const Attributes& attributes);
/// "%3", or "%3.1" if the node has several results.
std::string text(const Graph& graph, Value value);
/// In double quotes, with \" \\ and \n escaped.
std::string quoted(std::string_view text);

inline constexpr std::string_view number_kind_names[] = {"boolean", "integer", "floating"};

/// Row-major, without offset.
bool is_contiguous(const Layout& layout, std::span<const Expr> shape);
Layout contiguous_layout(std::span<const Expr> shape);

}  // namespace sinter::graph
