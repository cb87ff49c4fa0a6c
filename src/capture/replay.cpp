// SPDX-License-Identifier: Apache-2.0
// SINTER_CHECK=replay: what the skipped host code would do today, compared with what was captured.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/device/log.h"
#include "src/capture/capture_state.h"

namespace sinter::capture {
namespace {

std::string op_text(const TraceNode& n) { return fmt::format("[{}] {}", n.op->name, n.line.text()); }

class Comparison {
 public:
  Comparison(const Function& function, const Frozen& captured, const FrozenRegion& now)
      : function_(function), captured_(captured), now_(now) {}

  void ops() {
    const auto was = path_to(captured_.region.last), is = path_to(now_.last);
    const size_t common = std::min(was.size(), is.size());
    for (size_t i = 0; i < common; ++i)
      if (was[i] != is[i]) return report(fmt::format("op {} was {}, now {}", i, op_text(*was[i]), op_text(*is[i])));
    if (was.size() > common) return report(fmt::format("op {} was {}, now none", common, op_text(*was[common])));
    if (is.size() > common) return report(fmt::format("op {} was none, now {}", common, op_text(*is[common])));
    numbers(is);
    for (size_t i = 0; i < now_.inputs.size(); ++i) input(i, is);
  }

  void results(std::span<const CapturedResult> results, std::span<const int32_t> slots) {
    const auto& sources = captured_.call.results;
    const std::vector<int32_t>& wanted = captured_.region.wanted;
    if (!wanted.empty() && !std::ranges::equal(wanted, slots))
      return report(fmt::format("the results were values {} of the trace, now {}", fmt::join(wanted, " "),
                                fmt::join(slots, " ")));
    for (size_t i = 0; i < std::min(results.size(), sources.size()); ++i)
      if (results[i].kind != sources[i].kind || !same_place(results[i], sources[i].index, slots))
        report(fmt::format("result {} comes from elsewhere", i));
      else if (results[i].kind == saved::TensorSource::Kind::constant)
        constant(fmt::format("result {}", i), captured_.constants[static_cast<size_t>(sources[i].index)],
                 results[i].constant);
  }

  void words(std::span<const int64_t> was, std::span<const int64_t> is) {
    if (!std::ranges::equal(was, is)) report("the result's numbers or lengths are others");
  }

 private:
  /// `index` counts all outputs of the entry, that of the result those that the function returned.
  bool same_place(const CapturedResult& result, int32_t index, std::span<const int32_t> slots) const {
    using Kind = saved::TensorSource::Kind;
    if (result.kind == Kind::output)
      return slots[static_cast<size_t>(result.index)] == captured_.region.set->outputs[static_cast<size_t>(index)];
    return result.kind == Kind::constant || result.index == index;
  }
  void report(const std::string& what) const {
    device::warn(fmt::format("replay of \"{}\" ({}): {}; Host::skip keeps what was captured", function_.options.name,
                             function_.line.text(), what));
  }

  void numbers(std::span<const TraceNode* const> path) const {
    const auto& was = captured_.call.symbols;
    const size_t first = layout_of(now_.key, now_.inputs.size()).numbers;
    size_t at = first;
    for (const TraceNode* n : path)
      for (size_t i = 0; i < n->kinds.size(); ++i) {
        const graph::Number::Kind kind = n->kinds[i];
        const int64_t before = was[was.size() - (now_.key.size() - at)], now = now_.key[at];
        ++at;
        const bool varies = (n->varying_mask >> i & 1) != 0;  // the place of a draw
        if (before != now && !varies)
          report(fmt::format("a number of {} was {}, now {}", op_text(*n), number_text(kind, before),
                             number_text(kind, now)));
      }
  }

  /// The first op that reads an input names it.
  static std::string reader(std::span<const TraceNode* const> path, size_t input) {
    for (const TraceNode* n : path)
      if (std::ranges::find(n->operands, ~static_cast<OperandCode>(input)) != n->operands.end()) return op_text(*n);
    return "no op";
  }

  void input(size_t i, std::span<const TraceNode* const> path) const {
    const std::string name = fmt::format("an operand of {}", reader(path, i));
    const bool drawn = captured_.region.generator[i];
    if (now_.arguments[i] != captured_.region.arguments[i] || now_.generator[i] != drawn)
      return report(name + " comes from elsewhere");
    if (drawn || now_.arguments[i] >= 0 || i >= captured_.call.inputs.size()) return;
    constant(name, captured_.constants[static_cast<size_t>(captured_.call.inputs[i].index)], now_.inputs[i]);
  }

  void constant(const std::string& name, const Tensor& was, const Tensor& is) const {
    if (was.impl() == is.impl()) return;
    if (was.dtype() != is.dtype() || !(was.shape() == is.shape()))
      return report(
          fmt::format("{}, a captured tensor, was {}, now {}", name, tensor::describe(was), tensor::describe(is)));
    const auto bytes = static_cast<size_t>(was.numel() * was.dtype().bytes());
    std::vector<char> a(bytes), b(bytes);
    tensor::read_elements(tensor::computed(was, "replay"), a.data());
    tensor::read_elements(tensor::computed(is, "replay"), b.data());
    if (a != b) report(fmt::format("{}, a captured tensor, has other elements", name));
  }

  const Function& function_;
  const Frozen& captured_;
  const FrozenRegion& now_;
};

}  // namespace

void Capture::compare(const Frozen& call, std::span<Tensor* const> results, std::span<const int64_t> words,
                      std::span<const int64_t> captured_words) {
  CaptureState& s = *state_;
  s.read_results(results);
  const FrozenRegion now = s.end(false, false);
  Comparison comparison(s.function, call, now);
  comparison.ops();
  comparison.results(s.results, s.wanted);
  comparison.words(captured_words, words);
}

}  // namespace sinter::capture
