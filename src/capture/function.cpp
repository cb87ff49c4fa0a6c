// SPDX-License-Identifier: Apache-2.0
#include "src/capture/function.h"

#include <fmt/format.h>

namespace sinter::capture {

void Function::note_recompile(std::string text) {
  std::scoped_lock lock(notes_mutex_);
  recompiles_.push_back(std::move(text));
}

std::vector<std::string> Function::recompiles() {
  std::scoped_lock lock(notes_mutex_);
  return recompiles_;
}

UserError Function::with_context(const UserError& e) const {
  ErrorParts parts = e.parts();
  if (parts.context.empty()) parts.context = context();
  return UserError(std::move(parts));
}

std::string Function::context() const {
  if (line.file == nullptr) return {};
  return fmt::format("tracing \"{}\" (compiled at {})", options.name, line.text());
}

std::shared_ptr<Function> make_function(CompileOptions options, SourceLine line) {
  if (options.backend != "sinter" && options.backend != "reference")
    throw UserError({"compile",
                     fmt::format("unknown backend \"{}\"", options.backend),
                     line,
                     {},
                     "use \"sinter\" or \"reference\""});
  if (options.max_entries < 1)
    throw UserError({"compile", fmt::format("max_entries is {}", options.max_entries), line, {}, "give 1 or more"});
  return std::make_shared<Function>(std::move(options), line);
}

FunctionStats stats(const Function& f) {
  const auto& c = f.counters;
  return {c.calls.load(), c.compilations.load(), c.disk_hits.load(), c.breaks.load(), c.launches.load()};
}

}  // namespace sinter::capture
