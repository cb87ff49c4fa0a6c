// SPDX-License-Identifier: Apache-2.0
#include "src/capture/function.h"

#include <fmt/format.h>

#include "runtime/device/log.h"
#include "src/compiler/backends.h"

namespace sinter::capture {

void Function::note_recompile(std::string text) {
  if (device::log_enabled(device::LogChannel::recompiles)) {
    const std::string where = line.text();
    device::log(
        device::LogChannel::recompiles,
        fmt::format("\"{}\"{}: {}", options.name, where.empty() ? "" : fmt::format(" (compiled at {})", where), text));
  }
  std::scoped_lock lock(notes_mutex_);
  recompiles_.push_back(std::move(text));
}

void Function::warn(const std::string& text) {
  counters.warnings.fetch_add(1, std::memory_order_relaxed);
  device::warn(text);
}

void Function::add(const CompileTimes& times) {
  std::scoped_lock lock(notes_mutex_);
  compile_times_.passes_ms += times.passes_ms;
  compile_times_.text_ms += times.text_ms;
  compile_times_.machine_ms += times.machine_ms;
  compile_times_.load_ms += times.load_ms;
}

CompileTimes Function::compile_times() const {
  std::scoped_lock lock(notes_mutex_);
  return compile_times_;
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

Shared<Function> make_function(CompileOptions options, SourceLine line) {
  compiler::check_backend(options.backend, line);
  if (options.max_entries < 1)
    throw UserError({"compile", fmt::format("max_entries is {}", options.max_entries), line, {}, "give 1 or more"});
  return Shared<Function>(new Function(std::move(options), line));
}

const CompileOptions& options(const Function& f) { return f.options; }
SourceLine line(const Function& f) { return f.line; }

FunctionStats stats(const Function& f) {
  const auto& c = f.counters;
  return {c.calls.load(),    c.compilations.load(), c.disk_hits.load(), c.breaks.load(),
          c.launches.load(), c.warnings.load(),     f.compile_times()};
}

}  // namespace sinter::capture
