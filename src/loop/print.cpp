// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "src/graph/registry.h"
#include "src/loop/program.h"
#include "src/loop/text.h"

namespace sinter::loop {
namespace {

std::string list(const std::vector<Expr>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + v[i].text();
  return s + "]";
}

std::string constant_text(DType t, uint64_t bits) {
  if (t == f32) {
    const float v = std::bit_cast<float>(static_cast<uint32_t>(bits));
    return std::isnan(v) ? fmt::format("0x{:x}", bits) : fmt::format("{}", v);
  }
  if (t == f64) {
    const double v = std::bit_cast<double>(bits);
    return std::isnan(v) ? fmt::format("0x{:x}", bits) : fmt::format("{}", v);
  }
  if (t == u64) return fmt::format("{}", bits);
  return fmt::format("{}", scalar::as_int({t, bits}));
}

std::string operands_text(const Instruction& in) {
  std::string s;
  for (ValueId v : in.operands)
    if (v >= 0) s += fmt::format("{}%{}", s.empty() ? "" : ", ", v);
  return s;
}

std::string instruction_text(const Instruction& in) {
  switch (in.kind) {
    case InstructionKind::constant:
      return fmt::format("constant {}", constant_text(in.type, in.bits));
    case InstructionKind::number:
      return fmt::format("number s{}", in.id);
    case InstructionKind::load: {
      const std::string mask =
          in.operands[0] < 0 ? "" : fmt::format(" if %{} else %{}", in.operands[0], in.operands[1]);
      return fmt::format("load b{}{}{}", in.id, list(in.index), mask);
    }
    case InstructionKind::index_value:
      return fmt::format("index {}", list(in.index));
    case InstructionKind::to_index:
      return fmt::format("to_index {} %{} {}{}", in.mode == IndexMode::clamp ? "clamp" : "check", in.operands[0],
                         list(in.index), in.mode == IndexMode::check ? fmt::format(" message {}", in.id) : "");
    case InstructionKind::reduce:
      return fmt::format("reduce {} %{}", reduce_kind_names[static_cast<size_t>(in.id)], in.operands[0]);
    case InstructionKind::scan:
      return fmt::format("scan {} %{}{} along {}", scalar::scan_kind_names[static_cast<size_t>(in.id)], in.operands[0],
                         in.operands[1] >= 0 ? fmt::format(", %{}", in.operands[1]) : "", list(in.index));
    case InstructionKind::scalar:
      break;
  }
  const bool attribute = has_attribute(in.op);
  return fmt::format("{}{} {}", scalar::info(in.op).name, attribute ? fmt::format("<{}>", in.attribute.name()) : "",
                     operands_text(in));
}

void print_nest(std::string& out, const Nest& nest) {
  out += "    nest [";
  for (size_t i = 0; i < nest.axes.size(); ++i)
    out += fmt::format("{}{}a{} < {}", i ? ", " : "", nest.axes[i].reduction ? "reduce " : "", i,
                       nest.axes[i].extent.text());
  out += "] {\n";
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const Instruction& in = nest.body[static_cast<ValueId>(i)];
    out += fmt::format("      %{} = {} : {}\n", i, instruction_text(in), in.type.name());
  }
  for (const Store& s : nest.stores)
    out +=
        fmt::format("      {}b{}{} = %{}\n",
                    s.fold ? fmt::format("accumulate {} ", reduce_kind_names[static_cast<size_t>(*s.fold)]) : "store ",
                    s.buffer, list(s.index), s.value);
  out += "    }\n";
}

std::string tensor_text(const char* what, const CallTensor& t) {
  return fmt::format("      {} b{} : {} strides {} offset [{}]\n", what, t.buffer, list(t.shape), list(t.strides),
                     t.offset.text());
}

void print_call(std::string& out, const Call& call) {
  out += fmt::format("    call {} by {} {{\n", call.op->name, call.provider.empty() ? "nobody" : call.provider);
  if (!call.attributes.words.empty()) out += fmt::format("      words {}\n", fmt::join(call.attributes.words, " "));
  for (const graph::Scalar& s : call.attributes.scalars) {
    if (s.is_extent)
      out += fmt::format("      extent [{}]\n", s.expr.text());
    else
      out += fmt::format("      number {} {}\n", static_cast<int>(s.literal.kind),
                         s.symbol >= 0 ? fmt::format("s{}", s.symbol) : fmt::format("{}", s.literal.bits));
  }
  for (const CallTensor& t : call.operands) out += tensor_text("operand", t);
  for (const CallTensor& t : call.results) out += tensor_text("result", t);
  out += "    }\n";
}

void print_group(std::string& out, const Group& g) {
  out += fmt::format("  group {} {{\n", g.name);
  if (!g.nodes.empty()) out += fmt::format("    nodes {}\n", fmt::join(g.nodes, " "));
  for (const std::string& n : g.notes) out += fmt::format("    note {}\n", n);
  for (const std::string& c : g.comments) out += fmt::format("    comment {}\n", c);
  for (const Nest& n : g.nests) print_nest(out, n);
  if (g.call) print_call(out, *g.call);
  out += "  }\n";
}

}  // namespace

bool has_attribute(ScalarOp op) {
  return op == ScalarOp::convert || op == ScalarOp::bitcast || op == ScalarOp::round_to;
}

std::string print(const Program& p) {
  std::string out = fmt::format("program {} {{\n", p.name);
  if (p.symbol_count > 0) out += fmt::format("  symbols {}\n", p.symbol_count);
  for (int i = 0; i < p.symbol_count; ++i) {
    const auto [lo, hi] = p.ranges.of(Expr::symbol(i));
    if (lo != std::numeric_limits<int64_t>::min() || hi != std::numeric_limits<int64_t>::max())
      out += fmt::format("  range s{} {} {}\n", i, lo, hi);
  }
  for (size_t i = 0; i < p.number_types.size(); ++i)
    if (!p.number_types[i].is_boolean()) out += fmt::format("  number s{} {}\n", i, p.number_types[i].name());
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer& b = p.buffers[i];
    out += fmt::format("  buffer b{} {} {}{} : {} {} strides {} offset [{}]\n", i,
                       role_names[static_cast<size_t>(b.role)], b.position, b.written ? " written" : "", b.dtype.name(),
                       list(b.shape), list(b.strides), b.offset.text());
  }
  if (p.uses_status) out += "  status\n";
  for (std::string m : p.messages) {
    for (size_t at = 0; (at = m.find('\n', at)) != std::string::npos;) m.replace(at, 1, "\\n");
    out += fmt::format("  message {}\n", m);
  }
  for (const Alias& a : p.aliases)
    out += fmt::format("  alias output {} {} {} strides {} offset [{}]\n", a.output, a.of_output ? "of" : "input",
                       a.base, list(a.strides), a.offset.text());
  for (const Group& g : p.groups) print_group(out, g);
  return out + "}\n";
}

}  // namespace sinter::loop
