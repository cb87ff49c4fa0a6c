// SPDX-License-Identifier: Apache-2.0
#include "src/capture/freeze_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "src/capture/key.h"
#include "src/compiler/host_expressions.h"

namespace sinter::capture {
namespace {

using saved::Signature;
using saved::TensorSource;

class SignatureBuilder {
 public:
  SignatureBuilder(const FrozenRegion& region, std::span<const Tensor* const> arguments)
      : region_(region), word_of_(region.key.size(), -1) {
    append_inputs(key_, arguments);
    signature_.arguments = static_cast<int32_t>(arguments.size());
    signature_.expected.assign(key_.begin(), key_.end());
    signature_.mask.assign(signature_.expected.size(), 0);
    layout_ = layout_of(signature_.expected, arguments.size());
    for (const KeyLayout::Input& in : layout_.inputs) signature_.mask[in.meta] = -1;
    map_words();
  }

  Signature build(std::span<const CapturedHandles::Read> reads) {
    take_entry();
    for (const CapturedHandles::Read& r : reads)
      if (r.slot < 0)
        fix_argument(static_cast<size_t>(~r.slot), r.dim);
      else
        fix_value(r);
    return std::move(signature_);
  }

  /// Which of the plan's symbols a call sets; after build().
  std::vector<saved::SymbolSource> varying(const Signature& signature) const {
    std::vector<saved::SymbolSource> sources;
    for (size_t p = 0; p < word_of_.size(); ++p)
      if (word_of_[p] >= 0 && signature.mask[static_cast<size_t>(word_of_[p])] == 0)
        sources.push_back({word_of_[p], static_cast<int32_t>(p)});
    return sources;
  }

 private:
  size_t rank_of(size_t argument) const {
    return static_cast<size_t>(meta_rank(static_cast<uint64_t>(signature_.expected[layout_.inputs[argument].meta])));
  }
  bool has_strides(size_t argument) const {
    return meta_has_strides(static_cast<uint64_t>(signature_.expected[layout_.inputs[argument].meta]));
  }

  /// The argument's word of each word of the region's key that comes from one.
  void map_words() {
    const KeyLayout region = layout_of(region_.key, region_.inputs.size());
    for (size_t i = 0; i < region_.inputs.size(); ++i) {
      if (region_.arguments[i] < 0) continue;
      const auto a = static_cast<size_t>(region_.arguments[i]);
      const KeyLayout::Input &from = layout_.inputs[a], &to = region.inputs[i];
      for (size_t d = 0; d < rank_of(a); ++d) {
        word_of_[to.extents + d] = static_cast<int32_t>(from.extents + d);
        if (has_strides(a) && !region_.moved[i]) word_of_[to.strides + d] = static_cast<int32_t>(from.strides + d);
      }
    }
  }

  /// What is static in the region's entry is fixed; its guards over symbols are ours.
  void take_entry() {
    const Entry* entry = region_.entry;
    for (size_t p = 0; p < word_of_.size(); ++p)
      if (word_of_[p] >= 0 && (entry == nullptr || entry->mask[p] != 0))
        signature_.mask[static_cast<size_t>(word_of_[p])] = -1;
    if (entry == nullptr) return;
    for (const int32_t p : entry->extent_symbols)
      if (const int32_t word = word_of_[static_cast<size_t>(p)]; word >= 0)
        signature_.ranges.push_back({word, 2, graph::max_extent});
    for (const auto& [a, b] : entry->equal)
      require_equal(graph::Expr::symbol(a), graph::Expr::symbol(b), "extents that were equal when they changed");
    for (const auto& [a, b] : entry->assumptions) require_equal(a, b, "extents that the ops need equal");
  }

  void require_equal(graph::Expr a, graph::Expr b, std::string reason) {
    const compiler::SymbolCode symbol = [&](int32_t p) {
      const int32_t word = word_of_[static_cast<size_t>(p)];
      return word >= 0 ? exec::HostInstruction{exec::HostOp::symbol, word}
                       : exec::HostInstruction{exec::HostOp::push, region_.key[static_cast<size_t>(p)]};
    };
    compiler::HostExpressions code(signature_.code, symbol);
    Signature::Equality e;
    e.left = code.expr(a);
    e.right = code.expr(b);
    e.reason = std::move(reason);
    signature_.equal.push_back(std::move(e));
  }

  void fix_argument(size_t argument, int32_t dim) {
    const KeyLayout::Input& in = layout_.inputs[argument];
    if (dim >= 0) {
      signature_.mask[in.extents + static_cast<size_t>(dim)] = -1;
      return;
    }
    const size_t words = has_strides(argument) ? 2 * rank_of(argument) : rank_of(argument);
    for (size_t w = 0; w < words; ++w) signature_.mask[in.extents + w] = -1;
  }

  /// Host code read an extent of a value: whatever it was computed from must give the same again.
  void fix_value(const CapturedHandles::Read& r) {
    if (region_.entry == nullptr) {  // no graph says what it was computed from
      for (size_t a = 0; a < layout_.inputs.size(); ++a) fix_argument(a, -1);
      return;
    }
    const graph::Graph& g = *region_.entry->graph;
    const graph::Value value{static_cast<graph::NodeId>(region_.inputs.size()) + r.slot, 0};
    const graph::Expr extent = g.type(value).shape[static_cast<size_t>(r.dim)];
    if (extent.constant()) return;
    const int64_t was =
        graph::evaluate(extent, [&](graph::Expr leaf) { return region_.key[static_cast<size_t>(leaf.id())]; });
    const graph::Node& node = g.node(value.node);
    require_equal(extent, graph::Expr(was),
                  fmt::format("dim {} of [{}] {}, which the host code read", r.dim, node.op->name, node.line.text()));
  }

  const FrozenRegion& region_;
  Key key_;
  KeyLayout layout_;
  Signature signature_;
  std::vector<int32_t> word_of_;
};

/// The numbers of the region that are places of draws.
std::vector<int32_t> draws_of(const FrozenRegion& region) {
  const std::vector<ValueKind> kinds = value_kinds(path_to(region.last));
  const size_t first = layout_of(region.key, region.inputs.size()).numbers;
  std::vector<int32_t> draws;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == ValueKind::varying) draws.push_back(static_cast<int32_t>(first + i));
  return draws;
}

int32_t constant_number(std::vector<Tensor>& constants, const Tensor& t) {
  const auto same = [&](const Tensor& c) { return c.impl() == t.impl(); };
  const auto found = std::ranges::find_if(constants, same);
  const auto number = static_cast<int32_t>(found - constants.begin());
  if (found == constants.end()) constants.push_back(t);
  return number;
}

/// Where a wanted value stands among the outputs of the entry.
int32_t output_number(const FrozenRegion& region, int32_t wanted) {
  const std::vector<int32_t>& outputs = region.set->outputs;
  return static_cast<int32_t>(std::ranges::lower_bound(outputs, region.wanted[static_cast<size_t>(wanted)]) -
                              outputs.begin());
}

}  // namespace

FrozenParts freeze_call(const FrozenRegion& region, std::span<const Tensor* const> arguments,
                        std::span<const CapturedResult> results, std::span<const CapturedHandles::Read> reads) {
  FrozenParts parts;
  SignatureBuilder builder(region, arguments);
  parts.call.signature = builder.build(reads);
  parts.call.varies = builder.varying(parts.call.signature);
  parts.call.symbols = region.key;
  parts.call.draws = draws_of(region);
  for (const int32_t d : parts.call.draws) parts.call.symbols[static_cast<size_t>(d)] = 0;  // a call fills them in
  const size_t inputs = region.entry != nullptr ? region.inputs.size() : 0;
  for (size_t i = 0; i < inputs; ++i)
    if (region.generator[i])
      parts.call.inputs.push_back({TensorSource::Kind::random_state, -1, false});
    else if (region.arguments[i] >= 0)
      parts.call.inputs.push_back({TensorSource::Kind::argument, region.arguments[i], region.moved[i]});
    else
      parts.call.inputs.push_back(
          {TensorSource::Kind::constant, constant_number(parts.constants, region.inputs[i]), false});
  for (const CapturedResult& r : results)
    if (r.kind == TensorSource::Kind::output)
      parts.call.results.push_back({r.kind, output_number(region, r.index), false});
    else if (r.kind == TensorSource::Kind::constant)
      parts.call.results.push_back({r.kind, constant_number(parts.constants, r.constant), false});
    else
      parts.call.results.push_back({r.kind, r.index, false});
  return parts;
}

}  // namespace sinter::capture
