// SPDX-License-Identifier: Apache-2.0
#include <sinter/compile.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/cache/files.h"
#include "runtime/saved/constants.h"
#include "src/capture/capture_state.h"
#include "src/capture/fold_saved.h"
#include "src/compiler/backends.h"
#include "src/compiler/saved_programs.h"

namespace sinter::capture {

struct SavedCalls::State {
  State(Function& f, SaveOptions o) : function(f), options(std::move(o)) {
    file.name = f.options.name;
    file.location = f.line.text();
  }

  Function& function;
  SaveOptions options;
  saved::File file;
  std::vector<Tensor> constants;            ///< of the file
  std::vector<std::vector<int64_t>> words;  ///< host values of each call

  int32_t constant_number(const Tensor& t) {
    const auto same = [&](const Tensor& c) { return c.impl() == t.impl(); };
    const auto found = std::ranges::find_if(constants, same);
    const auto number = static_cast<int32_t>(found - constants.begin());
    if (found == constants.end()) {
      constants.push_back(t);
      file.constants.push_back(saved::read_constant(t));
    }
    return number;
  }
  /// A file tells its calls apart by their tensors; nothing to do for one that is there already.
  bool is_new(const saved::Signature& signature, std::span<const int64_t> host_words) const {
    for (size_t i = 0; i < words.size(); ++i) {
      if (!(file.calls[i].call.signature == signature)) continue;
      if (std::ranges::equal(words[i], host_words)) return false;
      throw UserError(
          {"save",
           fmt::format("two calls take the same tensors ({}) and differ in numbers or structure", signature.text()),
           {},
           function.context(),
           "save them to two files: the numbers among the arguments are fixed in a saved call"});
    }
    return true;
  }
};

SavedCalls::SavedCalls(Function& function, SaveOptions options) : state_(new State(function, std::move(options))) {}
SavedCalls::~SavedCalls() = default;

void SavedCalls::write() {
  const std::string failed = cache::replace_file(state_->options.path, saved::pack(state_->file));
  if (!failed.empty())
    throw UserError(
        {"save", "cannot write " + failed, {}, state_->function.context(), "give a path that can be written"});
}

namespace {

/// The device-free form of a signature: a saved call runs wherever it has code.
void free_devices(saved::Signature& s) {
  size_t at = 0;
  for (int32_t i = 0; i < s.arguments; ++i) {
    const auto meta = static_cast<uint64_t>(s.expected[at]);
    s.expected[at] &= saved::meta_without_device;
    s.mask[at] = saved::meta_without_device;
    const auto rank = static_cast<size_t>(meta_rank(meta));
    at += 1 + rank + (meta_has_strides(meta) ? rank : 0);
  }
}

}  // namespace

void Capture::finish_saving(std::span<Tensor* const> results, SavedCalls& to) {
  CaptureState& s = *state_;
  SavedCalls::State& file = to.state();
  s.read_results(results);
  const FrozenRegion region = s.end(true, false);
  FrozenParts parts = freeze_call(region, s.arguments.tensors.all(), s.results, s.reads);
  free_devices(parts.call.signature);
  const auto words = s.arguments.words.all();
  if (!file.is_new(parts.call.signature, words)) return;
  saved::SavedCall call;
  if (region.entry != nullptr) {
    const CompileOptions& o = s.function.options;
    if (!compiler::generates_code(o.backend))
      throw UserError({"save",
                       fmt::format("backend \"{}\" makes no code that could be saved", o.backend),
                       {},
                       s.function.context(),
                       "compile it with backend = \"sinter\""});
    const auto targets = compiler::save_targets(file.options.targets, region.device);
    const compiler::Options options{o.fusion, o.rounding, o.math, o.backend, true, s.function.line.text(), o.libraries};
    const graph::Graph graph = fold_for_saving(region, options, parts);
    compiler::add_programs(file.file, call, graph, options, targets, file.options.source);
  }
  call.call = std::move(parts.call);
  for (const Tensor& t : parts.constants) call.constants.push_back(file.constant_number(t));
  file.file.calls.push_back(std::move(call));
  file.words.emplace_back(words.begin(), words.end());
}

}  // namespace sinter::capture
