// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/registry.h"
#include "src/ops/ops.h"
#include "tools/docs/pages.h"

namespace sinter::docs {
namespace {

using graph::OpClass;
using graph::OpDef;
using graph::Param;
using graph::ParamKind;

constexpr const char* head =
    "# Ops\n\n"
    "Made by `./bootstrap docs` from the registry; do not edit. PyTorch eager is the meaning of every op; the headers\n"
    "have the signatures and the errors, [semantics.md](semantics.md) what holds for all of them, and\n"
    "[accuracy.md](accuracy.md) the errors of the transcendental functions.\n\n"
    "Takes: the dtypes of each operand; \"numbers\" may stand for operands too. Gives: the dtypes of the result.\n"
    "\"floating\" is f16, bf16, f32 and f64, \"integers\" are i8 to i64 and u8 to u64. Parameters in *italics* become\n"
    "run-time arguments of a compiled function when they change; a change of any other one compiles again.\n";

struct Section {
  OpClass op_class;
  const char* title;
  const char* text;
};
constexpr std::array sections = {
    Section{OpClass::pointwise, "Pointwise", "Shapes broadcast, dtypes promote."},
    Section{OpClass::reduction, "Reductions", "Folds over dims, in one order whatever is fused."},
    Section{OpClass::scan, "Scans",
            "Each element combines those before it along a dim, in one order whatever is fused."},
    Section{OpClass::view, "Views", "Index arithmetic of the reader: nothing is computed or copied."},
    Section{OpClass::indexed, "Indexed", "The result reads its operands at computed places."},
    Section{OpClass::accumulation, "Accumulations", "Integers folded into places that are data."},
    Section{OpClass::call, "Calls", "A library's or a built-in routine's result: opaque to fusion."},
    Section{OpClass::creation, "Creation", "Tensors without operands; readers compute the elements."},
};

bool promotable(ParamKind kind) {
  return kind == ParamKind::number || kind == ParamKind::extent || kind == ParamKind::extents;
}

std::string text(const Param& p) {
  static const std::map<ParamKind, const char*> kinds = {
      {ParamKind::flag, "flag"},     {ParamKind::integer, "integer"}, {ParamKind::integers, "integers"},
      {ParamKind::dtype, "dtype"},   {ParamKind::device, "device"},   {ParamKind::number, "number"},
      {ParamKind::extent, "extent"}, {ParamKind::extents, "extents"}};
  std::string kind;
  for (const std::string_view name : p.names) kind += (kind.empty() ? "" : " / ") + std::string(name);
  if (kind.empty()) kind = kinds.at(p.kind);
  return promotable(p.kind) ? fmt::format("*{}*: {}", p.name, kind) : fmt::format("{}: {}", p.name, kind);
}

std::string text(const std::set<std::string>& dtypes) {
  static const std::vector<std::pair<std::string, std::set<std::string>>> groups = {
      {"all", {"boolean", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}},
      {"all but boolean", {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}},
      {"integers", {"u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"}},
      {"floating", {"f16", "bf16", "f32", "f64"}}};
  std::set<std::string> rest = dtypes;
  std::string result;
  for (const auto& [name, members] : groups) {
    if (!std::ranges::includes(rest, members)) continue;
    result += (result.empty() ? "" : ", ") + name;
    for (const std::string& m : members) rest.erase(m);
  }
  for (const std::string& name : rest) result += (result.empty() ? "" : ", ") + name;
  return result;
}

/// The dtypes of legal calls, by operand and as results.
struct Dtypes {
  std::vector<std::set<std::string>> operands;
  std::set<std::string> results;
};

/// Notes the dtypes of a call if it is legal.
void add_if_legal(Dtypes& d, const OpDef& op, const std::vector<graph::ValueType>& operands,
                  const graph::Attributes& attributes) {
  try {
    graph::InferContext context(op, operands, attributes, {});
    for (const graph::ValueType& t : op.infer(context)) d.results.insert(std::string(t.dtype.name()));
  } catch (const UserError&) {
    return;
  }
  d.operands.resize(std::max(d.operands.size(), operands.size()));
  for (size_t i = 0; i < operands.size(); ++i) d.operands[i].insert(std::string(operands[i].dtype.name()));
}

/// Those of the op's samples, and of samples with one operand of another dtype.
Dtypes dtypes_of(const OpDef& op) {
  constexpr DType all[] = {boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64};
  constexpr int most_variants = 100;
  Dtypes d;
  for (int variant = 0; variant < most_variants; ++variant) {
    const std::optional<graph::SampleCall> call = op.sample(variant);
    if (!call) break;
    add_if_legal(d, op, call->operands, call->attributes);
    for (size_t i = 0; i < call->operands.size(); ++i)
      for (const DType t : all) {
        if (d.operands.size() > i && d.operands[i].contains(std::string(t.name()))) continue;
        std::vector<graph::ValueType> operands = call->operands;
        operands[i].dtype = t;
        add_if_legal(d, op, operands, call->attributes);
      }
  }
  return d;
}

/// Equal neighbours are written once: a list of tensors has one kind of operand.
std::string operands_text(const Dtypes& d) {
  std::string result, previous;
  for (const std::set<std::string>& operand : d.operands) {
    const std::string now = text(operand);
    if (now == previous) continue;
    result += (result.empty() ? "" : "; ") + now;
    previous = now;
  }
  return result;
}

/// Public headers, as text by name.
std::map<std::string, std::string> headers(const std::filesystem::path& root) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(root / "include/sinter")) {
    std::ifstream in(entry.path());
    texts[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return texts;
}

/// The header that declares the op's function; ops of image.h carry its name as a prefix.
std::string header_of(const OpDef& op, const std::map<std::string, std::string>& headers) {
  std::string function(op.name);
  if (function.starts_with("image_")) function.erase(0, 6);
  const std::regex declaration("Tensor>? " + function + "\\(");
  for (const auto& [name, text] : headers)
    if (std::regex_search(text, declaration)) return fmt::format("[{0}](../include/sinter/{0})", name);
  return "by other ops";
}

}  // namespace

std::string ops_page(const std::filesystem::path& root) {
  ops::register_all_ops();
  const auto texts = headers(root);
  std::string page = head;
  for (const Section& section : sections) {
    std::vector<const OpDef*> ops;
    for (const OpDef* op : graph::all_ops())
      if (op->op_class == section.op_class) ops.push_back(op);
    std::ranges::sort(ops, {}, &OpDef::name);
    page += fmt::format(
        "\n## {}\n\n{}\n\n| op | meaning | takes | gives | parameters | declared in |\n"
        "|---|---|---|---|---|---|\n",
        section.title, section.text);
    for (const OpDef* op : ops) {
      std::string parameters;
      bool numbers = false;
      for (const Param& p : op->params)
        if (p.kind == ParamKind::optional_number)
          numbers = true;
        else
          parameters += (parameters.empty() ? "" : ", ") + text(p);
      const Dtypes d = dtypes_of(*op);
      const std::string takes = operands_text(d) + (numbers ? "; numbers" : "");
      std::string doc(op->doc);
      for (size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2) doc.insert(at, "\\");
      page += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", op->name, doc, takes, text(d.results), parameters,
                          header_of(*op, texts));
    }
  }
  return page;
}

}  // namespace sinter::docs
