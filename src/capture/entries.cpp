// SPDX-License-Identifier: Apache-2.0
#include "src/capture/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/capture/explain_region.h"
#include "src/capture/promotion.h"
#include "src/capture/region_graph.h"
#include "src/capture/scope_pool.h"
#include "src/compiler/backends.h"
#include "src/compiler/compile.h"
#include "src/lower/aliases.h"

namespace sinter::capture {
namespace {

constexpr const char* first_call = "first call";

struct Choice {
  Promotion promotion;
  std::string reason = first_call;
  const Entry* before = nullptr;  ///< whose promotions are taken over, or whose key the call differs from
};

/// "stores %3 %5 as well: used after the break": how this set differs from the one before.
std::string growth(const RegionCall& r, const OutputSet& before) {
  std::string values;
  for (int32_t slot : r.set.outputs)
    if (std::ranges::find(before.outputs, slot) == before.outputs.end())
      values += fmt::format("%{} ", static_cast<int64_t>(r.inputs.size()) + slot);
  if (values.empty()) return "stores other values of the region";
  return fmt::format("stores {}as well: used after the break", values);
}

/// A break that stores more than it did keeps the promotions that were learned with less.
std::optional<Choice> choose_as_before(const RegionCall& r) {
  for (const OutputSet* s = r.end.sets.load(std::memory_order_acquire); s != nullptr;
       s = s->next.load(std::memory_order_acquire)) {
    const Entry* e = s == &r.set ? nullptr : s->entries.find(r.key);
    if (e == nullptr) continue;
    return Choice{{e->symbols, e->equal}, s->outputs.empty() ? first_call : growth(r, *s), e};
  }
  return {};
}

/// The key with the words of `was` where values differ in every call: they are no reason for anything.
std::vector<int64_t> without_varying(std::span<const int64_t> key, std::span<const int64_t> was,
                                     const std::vector<ValueKind>& values) {
  std::vector<int64_t> words(key.begin(), key.end());
  const size_t first = key.size() - values.size();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] == ValueKind::varying) words[first + i] = was[first + i];
  return words;
}

/// What kept the call from an entry of its structure: a value that is a run-time argument there is no reason, unless
/// there is no other.
std::string reason_against(const Entry& entry, const RegionCall& r, std::span<const TraceNode* const> path) {
  const auto kinds = number_kinds(path);
  const auto names = input_names(r.inputs.size());
  const std::vector<int64_t> key = without_varying(r.key, entry.expected, value_kinds(path));
  std::vector<int64_t> assumed = entry.expected;
  for (size_t i = 0; i < assumed.size(); ++i)
    if (entry.mask[i] == 0) assumed[i] = key[i];
  std::string reason = difference(assumed, key, r.inputs.size(), kinds, names);
  return reason.empty() ? difference(entry.expected, key, r.inputs.size(), kinds, names) : reason;
}

/// The region has as many entries as it may: from here on other calls run in another way than the user may think.
void warn_if_full(const RegionCall& r, int entries, const std::string& reason) {
  const CompileOptions& options = r.function.options;
  if (entries != options.max_entries || !computes(r)) return;
  const std::string line = r.function.line.text();
  r.function.warn(fmt::format("\"{}\"{}: compiled {} times, as often as max_entries allows, now for {}; {}",
                              options.name, line.empty() ? "" : fmt::format(" (compiled at {})", line), entries, reason,
                              options.dynamic == Dynamic::never
                                  ? "with Dynamic::never every other call like this compiles again"
                                  : "from here on all shapes and numbers are run-time values of one more entry"));
}

Choice choose(const RegionCall& r, std::span<const TraceNode* const> path) {
  const std::vector<ValueKind> values = value_kinds(path);
  const CompileOptions& options = r.function.options;
  const bool always = options.dynamic == Dynamic::always;
  const bool literal = compiler::takes_literal_graphs(options.backend);
  Choice choice{always && !literal ? promote_all(r.key, r.inputs.size(), values) : promote_none(r.key.size(), values)};
  const std::vector<Entry*> entries = r.set.entries.all();
  if (entries.empty())
    if (auto known = choose_as_before(r)) return *known;
  const Entry* last = nullptr;
  int dynamic_entries = 0;
  for (const Entry* e : entries)
    if (same_structure(e->expected, r.key, r.inputs.size())) {
      last = e;
      dynamic_entries += e->promoted;
    }
  if (last == nullptr) {
    if (!entries.empty()) {
      const auto names = input_names(r.inputs.size());
      choice.reason = difference(entries.back()->expected, r.key, r.inputs.size(), number_kinds(path), names);
    }
    return choice;
  }
  choice.reason = reason_against(*last, r, path);
  if (always && !literal) return choice;
  const bool never = options.dynamic == Dynamic::never;
  if (never || !literal) warn_if_full(r, static_cast<int>(entries.size()), choice.reason);
  if (never) return choice;
  const bool full = static_cast<int>(entries.size()) >= options.max_entries;
  if (literal && !full) return choice;
  choice.before = last;
  const bool everything = full || dynamic_entries >= 2;
  choice.promotion = everything ? promote_all(r.key, r.inputs.size(), values)
                                : promote_changes(last->expected, last->mask, r.key, r.inputs.size(), values);
  return choice;
}

/// Symbols that the type rules assumed equal become one symbol, guarded; the graph is then built once more.
bool unify_assumed(Promotion& p, const graph::Graph& g) {
  bool changed = false;
  for (const auto& [a, b] : g.assumptions()) {
    if (a.kind() != graph::Expr::Kind::symbol || b.kind() != graph::Expr::Kind::symbol || a == b) continue;
    const int32_t keep = std::min(a.id(), b.id());
    const int32_t drop = std::max(a.id(), b.id());
    for (int32_t& s : p.symbols)
      if (s == drop) s = keep;
    p.equal.emplace_back(keep, drop);
    changed = true;
  }
  return changed;
}

bool assumptions_hold(const graph::Graph& g, std::span<const int64_t> key) {
  const auto value = [&](graph::Expr leaf) { return key[static_cast<size_t>(leaf.id())]; };
  return std::ranges::all_of(g.assumptions(), [&](const auto& a) {
    return graph::evaluate(a.first, value) == graph::evaluate(a.second, value);
  });
}

/// Do both graphs give the same views of the same memory?
bool same_aliases(const graph::Graph& a, const graph::Graph& b) {
  const auto same = [](const loop::Alias& x, const loop::Alias& y) {
    return x.output == y.output && x.base == y.base && x.of_output == y.of_output;
  };
  return std::ranges::equal(lower::find_aliases(a), lower::find_aliases(b), same);
}

std::vector<Entry::Change> changes_of(const RegionCall& r, const Choice& choice) {
  std::vector<Entry::Change> changes;
  if (choice.before == nullptr) return changes;
  const Entry& before = *choice.before;
  for (size_t i = 0; i < r.key.size(); ++i) {
    if (choice.promotion.symbols[i] < 0) continue;
    const auto position = static_cast<int32_t>(i);
    const auto known = std::ranges::find(before.changes, position, &Entry::Change::position);
    if (known != before.changes.end())
      changes.push_back(*known);
    else if (before.mask[i] != 0 && before.expected[i] != r.key[i])
      changes.push_back({position, before.expected[i], r.key[i], r.function.counters.calls.load()});
  }
  return changes;
}

std::unique_ptr<Entry> make_entry(const RegionCall& r, std::span<const TraceNode* const> path, Choice choice) {
  // With symbols the type rules assume what they cannot decide; the literal graph says whether this call's shapes fit.
  const std::vector<ValueKind> values = value_kinds(path);
  const Promotion nothing = promote_none(r.key.size(), values);
  const auto graph_with = [&](const SymbolMap& symbols) {
    return region_graph(path, r.key, r.inputs.size(), r.set.outputs, r.end.writes, symbols);
  };
  const graph::Graph literal = graph_with(nothing.symbols);
  auto build = [&] {
    graph::Graph g = graph_with(choice.promotion.symbols);
    for (const auto& [a, b] : compiler::layout_assumptions(g)) g.assume(a, b);
    return g;
  };
  graph::Graph g = build();
  while (unify_assumed(choice.promotion, g)) g = build();
  // Some extent is 0 or 1 here, or strides show only as numbers that a result is a view: a graph of its own.
  if (!assumptions_hold(g, r.key) || !same_aliases(g, literal)) {
    choice.promotion = nothing;
    g = build();
  }
  g.name = r.function.options.name;
  g.device = r.device;
  auto entry = std::make_unique<Entry>();
  entry->expected.assign(r.key.begin(), r.key.end());
  entry->changes = changes_of(r, choice);
  entry->reason = std::move(choice.reason);
  entry->backend = r.function.options.backend;
  const KeyLayout layout = layout_of(r.key, r.inputs.size());
  for (size_t i = 0; i < r.key.size(); ++i) {
    const bool symbolic = choice.promotion.symbols[i] >= 0;
    entry->mask.push_back(symbolic ? 0 : -1);
    if (!symbolic) continue;
    const bool is_value = i >= layout.numbers;
    const bool extent = is_value ? values[i - layout.numbers] == ValueKind::extent : is_extent_word(layout, r.key, i);
    (is_value && !extent ? entry->has_number_symbols : entry->has_symbols) = true;
    entry->promoted = entry->promoted || nothing.symbols[i] < 0;
    if (extent) entry->extent_symbols.push_back(static_cast<int32_t>(i));
  }
  entry->equal = choice.promotion.equal;
  entry->symbols = choice.promotion.symbols;
  for (const auto& [a, b] : g.assumptions()) entry->assumptions.emplace_back(a, b);
  entry->graph = std::make_shared<const graph::Graph>(std::move(g));
  if (entry->is_dynamic() && compiler::takes_literal_graphs(entry->backend)) {
    r.function.warn(
        fmt::format("{}: backend \"{}\" takes {} graphs of a trace and none with run-time values; others run op by op",
                    r.function.options.name, entry->backend, r.function.options.max_entries));
    entry->backend = "eager";
  }
  entry->by_alignment = compiler::generates_code(entry->backend);
  if (!entry->matches(r.key)) throw CompileError("internal: an entry does not match the call that it was made for");
  return entry;
}

/// "call 2 ([item] gate.cpp:18): input 0: dim 0 was 50, now 37"; regions at the end of the function have no line.
void note_recompile(const RegionCall& r, const std::string& reason) {
  const std::string line = r.line.text();
  const std::string where = line.empty() ? "" : fmt::format(" ([{}] {})", r.why, line);
  r.function.note_recompile(fmt::format("call {}{}: {}", r.function.counters.calls.load(), where, reason));
}

}  // namespace

Entry& compile_entry(const RegionCall& r) {
  std::scoped_lock lock(r.function.grow);
  const Compiling compiling(r.function);
  if (Entry* e = r.set.entries.find(r.key)) return *e;
  const auto path = path_to(r.last);
  auto entry = make_entry(r, path, choose(r, path));
  if (computes(r) && r.compiles) variant_for(r, *entry);
  if (computes(r) && entry->reason != first_call) note_recompile(r, entry->reason);
  Entry* raw = entry.get();
  r.set.entries.append(std::move(entry));
  if (computes(r)) r.function.counters.compilations.fetch_add(1, std::memory_order_relaxed);
  return *raw;
}

namespace {

std::vector<bool> frozen_inputs(const RegionCall& r) {
  std::vector<bool> frozen;
  for (const KeyLayout::Input& in : layout_of(r.key, r.inputs.size()).inputs)
    frozen.push_back(meta_frozen(static_cast<uint64_t>(r.key[in.meta])));
  return frozen;
}

}  // namespace

bool are_aligned(std::span<const Tensor> inputs) {
  uintptr_t low_bits = 0;
  for (const Tensor& t : inputs) low_bits |= reinterpret_cast<uintptr_t>(t.impl()->data());
  return (low_bits & 15) == 0;
}

size_t variant_of(const RegionCall& r, const Entry& entry) {
  return entry.by_alignment && !are_aligned(r.inputs) ? 1 : 0;
}

const exec::Executable& variant_for(const RegionCall& r, Entry& entry) {
  const size_t variant = variant_of(r, entry);
  if (const exec::Executable* e = entry.variants[variant].load(std::memory_order_acquire)) return *e;
  const Compiling compiling(r.function);
  std::scoped_lock lock(entry.variant_mutex);
  if (const exec::Executable* e = entry.variants[variant].load(std::memory_order_acquire)) return *e;
  const CompileOptions& o = r.function.options;
  compiler::Result result = compiler::compile(*entry.graph, {o.fusion, o.rounding, o.math, entry.backend, variant == 0,
                                                             r.function.line.text(), o.libraries, frozen_inputs(r)});
  entry.compiled[variant] = {result.milliseconds, result.from_disk, result.from_memory, result.kernel_notes,
                             result.library_notes};
  r.function.add(result.times);
  if (result.from_disk) r.function.counters.disk_hits.fetch_add(1, std::memory_order_relaxed);
  entry.owned[variant] = result.executable;
  entry.variants[variant].store(result.executable.get(), std::memory_order_release);
  return *entry.owned[variant];
}

}  // namespace sinter::capture
