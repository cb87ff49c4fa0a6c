// SPDX-License-Identifier: Apache-2.0
#include "codegen/tile/ir.h"

#include <fmt/format.h>
#include <sinter/error.h>

#include <algorithm>
#include <iterator>

namespace sinter::tile_ir {

namespace {

constexpr std::string_view op_names[] = {
    "constant", "parameter",  "program_id",   "iota",        "broadcast", "reshape",        "trans",
    "scalar",   "block_load", "block_store",  "gather",      "scatter",   "keep",           "recall",
    "stage",    "reduce",     "scan",         "grid_reduce", "grid_scan", "cluster_reduce", "for",
    "if",       "yield",      "status_check", "arrive",      "ticket",    "convert_layout"};
static_assert(std::size(op_names) == static_cast<size_t>(Op::convert_layout) + 1);

}  // namespace

std::string_view op_name(Op op) { return op_names[static_cast<size_t>(op)]; }

std::optional<Op> find_op(std::string_view name) {
  const auto* it = std::find(std::begin(op_names), std::end(op_names), name);
  if (it == std::end(op_names) || name == op_name(Op::scalar)) return std::nullopt;
  return static_cast<Op>(it - std::begin(op_names));
}

Type Type::tile(DType t, std::vector<int32_t> dims, int32_t parts) {
  Type r;
  if (dims.size() > r.dims.size()) throw CompileError(fmt::format("internal: a tile of {} dims", dims.size()));
  r.dtype = t;
  r.parts = parts;
  r.rank = static_cast<int8_t>(dims.size());
  r.is_tile = true;
  std::copy(dims.begin(), dims.end(), r.dims.begin());
  return r;
}

int64_t Type::part_elements() const {
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= dims[static_cast<size_t>(d)];
  return n;
}

int64_t Type::elements() const { return parts * part_elements(); }

std::string Type::text() const {
  std::string s(dtype.name());
  if (!is_tile) return s;
  s += '[';
  if (parts != 1) s += fmt::format("{}*", parts);
  for (int d = 0; d < rank; ++d) s += fmt::format("{}{}", d ? "x" : "", dims[static_cast<size_t>(d)]);
  return s + ']';
}

bool Access::is_masked() const {
  return row_masked || parts.masked ||
         std::any_of(dims.begin(), dims.end(), [](const AccessDim& d) { return d.masked; });
}

namespace {

void collect_types(const Region& r, std::vector<Type>& types) {
  for (size_t k = 0; k < r.arguments.size(); ++k) types[static_cast<size_t>(r.arguments[k])] = r.argument_types[k];
  for (const Instruction& i : r.body) {
    const std::vector<Type> of_results = result_types(i);
    for (size_t k = 0; k < of_results.size(); ++k) types[static_cast<size_t>(i.results[k])] = of_results[k];
    for (const Region& inner : i.regions) collect_types(inner, types);
  }
}

}  // namespace

std::vector<Type> value_types(const Kernel& kernel) {
  std::vector<Type> types(static_cast<size_t>(kernel.value_count));
  collect_types(kernel.body, types);
  return types;
}

std::vector<Type> result_types(const Instruction& instruction) {
  const Op op = instruction.op;
  if (op == Op::for_loop || op == Op::if_then || op == Op::grid_reduce || op == Op::scan || op == Op::grid_scan)
    return instruction.result_types;
  return std::vector<Type>(instruction.results.size(), instruction.type);
}

}  // namespace sinter::tile_ir
