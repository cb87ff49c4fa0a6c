// SPDX-License-Identifier: Apache-2.0
#include "src/capture/explain_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "src/capture/key.h"
#include "src/graph/needed_nodes.h"
#include "src/graph/registry.h"
#include "src/graph/text.h"

namespace sinter::capture {
namespace {

thread_local Explanation* current = nullptr;
thread_local Explanation collected;

std::string extents_text(std::span<const int64_t> key, const Entry& entry, size_t first, size_t n) {
  std::string s = "[";
  for (size_t d = 0; d < n; ++d) {
    const size_t p = first + d;
    s += d ? "," : "";
    s += entry.mask[p] == 0 ? fmt::format("s{}", p) : fmt::format("{}", key[p]);
  }
  return s + "]";
}

/// "s1 = 10 in this call; was 8, then 9 (call 2)" of a promoted word; `text` writes a value.
template <class Text>
std::string promoted_text(const RegionCall& r, const Entry& entry, size_t p, const Text& text) {
  std::string state = fmt::format("s{} = {} in this call", p, text(r.key[p]));
  for (const Entry::Change& c : entry.changes)
    if (c.position == static_cast<int32_t>(p))
      state += fmt::format("; was {}, then {} (call {})", text(c.was), text(c.then), c.call);
  return state;
}

const char* order_text(MemoryOrder order) {
  return order == MemoryOrder::row_major       ? "contiguous"
         : order == MemoryOrder::channels_last ? "channels-last"
                                               : "strides ";
}

std::vector<GuardExplanation> explain_guards(const RegionCall& r, const Entry& entry) {
  std::vector<GuardExplanation> guards;
  const auto size = [](int64_t v) { return fmt::format("{}", v); };
  const KeyLayout layout = layout_of(r.key, r.inputs.size());
  const auto names = input_names(r.inputs.size());
  for (size_t i = 0; i < r.inputs.size(); ++i) {
    const auto meta = static_cast<uint64_t>(r.key[layout.inputs[i].meta]);
    const auto rank = static_cast<size_t>(meta_rank(meta));
    std::string text =
        fmt::format("{} {} {} {}", meta_dtype(meta).name(), extents_text(r.key, entry, layout.inputs[i].extents, rank),
                    meta_device(meta).text(), order_text(meta_order(meta)));
    if (meta_has_strides(meta)) text += extents_text(r.key, entry, layout.inputs[i].strides, rank);
    if (meta_frozen(meta)) text += " frozen";
    std::string state;
    const size_t words = meta_has_strides(meta) ? 2 * rank : rank;  // the strides follow the extents
    for (size_t p = layout.inputs[i].extents; p < layout.inputs[i].extents + words; ++p)
      if (entry.mask[p] == 0) state += (state.empty() ? "" : ", ") + promoted_text(r, entry, p, size);
    guards.push_back({names[i], std::move(text), state.empty() ? "static" : std::move(state)});
  }
  const auto kinds = number_kinds(path_to(r.last));
  for (size_t p = layout.numbers; p < r.key.size(); ++p) {
    if (entry.mask[p] != 0) continue;
    const auto number = [&](int64_t bits) { return number_text(kinds[p - layout.numbers], bits); };
    guards.push_back(
        {fmt::format("number {}", p - layout.numbers), fmt::format("s{}", p), promoted_text(r, entry, p, number)});
  }
  return guards;
}

int64_t numel(const graph::ValueType& t, std::span<const int64_t> key) {
  int64_t n = 1;
  for (graph::Expr e : t.shape)
    n *= graph::evaluate(e, [&](graph::Expr leaf) { return key[static_cast<size_t>(leaf.id())]; });
  return n;
}

/// "%3 f32 [4,6]" of the live values that the region does not store.
std::vector<std::string> kept_values(const RegionCall& r, const graph::Graph& g) {
  std::vector<std::string> kept;
  if (r.later) return kept;
  for (int32_t slot : r.end.live) {
    if (std::ranges::binary_search(r.set.outputs, slot)) continue;
    const graph::NodeId id = static_cast<graph::NodeId>(r.inputs.size()) + slot;
    const graph::ValueType& type = g.type({id, 0});
    Dims shape;
    for (graph::Expr e : type.shape)
      shape.push_back(graph::evaluate(e, [&](graph::Expr leaf) { return r.key[static_cast<size_t>(leaf.id())]; }));
    kept.push_back(fmt::format("%{} {} {}", id, type.dtype.name(), shape.text()));
  }
  return kept;
}

/// Of what the outputs need: bytes that must move at least, distinct inputs once and outputs once, and what op by op
/// execution would move.
void count_bytes(const graph::Graph& g, std::span<const int64_t> key, RegionExplanation& to) {
  auto bytes = [&](graph::Value v) { return numel(g.type(v), key) * g.type(v).dtype.bytes(); };
  const std::vector<bool> needed = graph::needed_nodes(g);
  for (graph::Value v : g.inputs())
    if (needed[static_cast<size_t>(v.node)]) to.bytes += bytes(v);
  for (graph::Value v : g.outputs()) to.bytes += bytes(v);
  for (const graph::Write& w : g.writes()) to.bytes += bytes(w.value);
  for (graph::NodeId id = 0; id < g.size(); ++id) {
    const graph::Node& n = g.node(id);
    if (n.op == nullptr || !needed[static_cast<size_t>(id)]) continue;
    ++to.op_count;
    if (n.op->op_class == graph::OpClass::view) continue;
    for (graph::Value v : n.operands) to.unfused_bytes += bytes(v);
    for (size_t i = 0; i < n.results.size(); ++i) to.unfused_bytes += bytes({id, static_cast<int32_t>(i)});
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

/// Equal regions share their code and its names, whatever call they are part of; what is shown tells them apart.
std::string shown_name(const std::string& symbol, size_t region) {
  const size_t number = symbol.rfind('_');
  if (region == 0 || number == std::string::npos) return symbol;
  return fmt::format("{}.{}{}", symbol.substr(0, number), region, symbol.substr(number));
}

std::vector<KernelExplanation> explain_kernels(const RegionCall& r, const exec::Executable& executable,
                                               const std::vector<std::vector<std::string>>& notes, size_t region) {
  std::vector<KernelExplanation> kernels;
  const std::vector<exec::Step>& steps = executable.plan().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const exec::Step& step = steps[i];
    if (step.kernel < 0) continue;
    const auto& ref = executable.plan().kernels[static_cast<size_t>(step.kernel)];
    const exec::LoadedKernel& loaded = executable.kernels()[static_cast<size_t>(step.kernel)];
    KernelExplanation k;
    k.step = static_cast<int>(i);
    k.name = shown_name(ref.entry, region);
    k.symbol = ref.entry;
    k.blocks = exec::evaluate(executable.plan(), step.grid, r.key);
    k.threads = ref.threads;
    k.shared_bytes = ref.shared_bytes;
    if (loaded.function != nullptr) {
      const device::FunctionInfo info = loaded.function->info();
      k.registers = info.registers;
      k.spill_bytes = info.local_bytes;
      k.shared_bytes += info.static_shared_bytes;
    }
    k.source = loaded.source;
    if (static_cast<size_t>(step.kernel) < notes.size()) k.notes = notes[static_cast<size_t>(step.kernel)];
    kernels.push_back(std::move(k));
  }
  return kernels;
}

/// "bf16 [4096,1024] strides [1,4096]"; nothing about strides where it is dense and row-major.
std::string tensor_text(const exec::Plan& plan, const exec::CallTensorSource& t, std::span<const int64_t> key) {
  Dims shape, strides;
  for (const exec::HostExpr& e : t.shape) shape.push_back(exec::evaluate(plan, e, key));
  for (const exec::HostExpr& e : t.strides) strides.push_back(exec::evaluate(plan, e, key));
  bool dense = true;
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) dense = dense && (shape[d] == 1 || strides[d] == stride);
  return fmt::format("{} {}{}", t.dtype.name(), shape.text(), dense ? "" : " strides " + strides.text());
}

/// "epilogue=relu, dtype=bf16", as graphs are printed, with this call's numbers.
std::string attributes_text(const exec::Plan& plan, const exec::CallRef& ref, std::span<const int64_t> key) {
  const graph::OpDef* op = graph::find_op(ref.op);
  if (op == nullptr) return {};
  graph::Attributes attributes;
  attributes.words = ref.words;
  for (const exec::CallNumberSource& n : ref.numbers) {
    const int64_t bits = n.symbol >= 0 ? key[static_cast<size_t>(n.symbol)] : exec::evaluate(plan, n.value, key);
    graph::Scalar& s = attributes.scalars.emplace_back();
    s.literal = {n.floating ? graph::Number::Kind::floating : graph::Number::Kind::integer, bits};
    s.expr = bits;
  }
  return graph::text(*op, attributes);
}

std::vector<CallExplanation> explain_calls(const exec::Plan& plan, std::span<const int64_t> key) {
  std::vector<CallExplanation> calls;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].call < 0) continue;
    const exec::CallRef& ref = plan.calls[static_cast<size_t>(plan.steps[i].call)];
    CallExplanation& c = calls.emplace_back();
    c.step = static_cast<int>(i);
    c.op = ref.op;
    c.library = ref.provider;
    c.attributes = attributes_text(plan, ref, key);
    for (const exec::CallTensorSource& t : ref.operands) c.operands.push_back(tensor_text(plan, t, key));
    for (const exec::CallTensorSource& t : ref.results) c.results.push_back(tensor_text(plan, t, key));
  }
  return calls;
}

void explain_code(RegionExplanation& e, const RegionCall& r, const Entry& entry, size_t region) {
  const size_t variant = variant_of(r, entry);
  e.compiled_now = r.compiled_now;
  e.from_disk = entry.compiled[variant].from_disk;
  e.compile_ms = entry.compiled[variant].milliseconds;
  e.kernels = explain_kernels(r, *entry.variants[variant].load(), entry.compiled[variant].kernel_notes, region);
  e.calls = explain_calls(entry.variants[variant].load()->plan(), r.key);
  e.library_notes = entry.compiled[variant].library_notes;
}

}  // namespace

Explanation* listening() { return current; }
Explanation* exchange_listening(Explanation* to) { return std::exchange(current, to); }

void start_explanation(Function& function) {
  collected = {};
  collected.name = function.options.name;
  collected.location = function.line.text();
  current = &collected;
}

Explanation stop_explanation(Function& function) {
  current = nullptr;
  collected.recompiles = function.recompiles();
  return std::move(collected);
}

void explain_region(Explanation& to, const RegionCall& r, const Entry& entry) {
  RegionExplanation e;
  e.end = r.line.file != nullptr ? fmt::format("[{}] {}", r.why, r.line.text()) : r.why;
  e.at_break = r.at_break;
  e.later = r.later;
  e.stored = static_cast<int>(r.set.outputs.size());
  e.kept = kept_values(r, *entry.graph);
  e.backend = entry.backend;
  e.fast_math = r.function.options.math == Math::fast;
  e.entry = fmt::format("entry {} of {}", entry.number, r.set.entries.size());
  if (computes(r)) explain_code(e, r, entry, to.regions.size());
  count_bytes(*entry.graph, r.key, e);
  e.guards = explain_guards(r, entry);
  e.graph = lines_of(graph::print(*entry.graph, true));
  const device::Properties& p = device::backend(r.device).properties();
  to.device = fmt::format("{} {}", r.device.text(), p.name);
  to.copy_bytes_per_second = p.copy_bytes_per_second;
  if (p.copy_bytes_per_second > 0) to.floor_us += static_cast<double>(e.bytes) / p.copy_bytes_per_second * 1e6;
  to.regions.push_back(std::move(e));
}

}  // namespace sinter::capture
